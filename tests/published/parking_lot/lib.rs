//! parking_lot: mutex, reader-writer lock, condition variable. Whoever has to wait spins first and counts the rounds, which are
//! all orders of their own: 16,000 for a mutex and two threads, millions for a condition whose mutex two threads want. So two of these only try,
//! and one signals without the mutex.

#![cfg(test)]

use parking_lot::{Condvar, Mutex, RwLock};
use std::thread;
use std::time::Duration;

#[test]
fn a_mutex_excludes() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        let add = || count.try_lock().map(|mut count| *count += 1).is_some();
        let other = scope.spawn(add);
        let added = usize::from(add()) + usize::from(other.join().unwrap());
        assert!(added >= 1);
        assert_eq!(*count.lock(), added);
    });
}

#[test]
fn a_mutex_waits() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock() += 1);
        *count.lock() += 1;
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn a_condition_is_signalled() {
    let (ready, changed) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            *ready.lock() = true;
            changed.notify_one();
        });
        let mut seen = ready.lock();
        while !*seen {
            changed.wait(&mut seen);
        }
    });
}

#[test]
fn woken_or_too_late() {
    let (lock, changed) = (Mutex::new(()), Condvar::new());
    thread::scope(|scope| {
        let other = scope.spawn(|| changed.notify_one());
        let in_time = !changed.wait_for(&mut lock.lock(), Duration::from_secs(1)).timed_out();
        assert_eq!(in_time, other.join().unwrap());
    });
}

#[test]
fn a_writer_excludes_a_reader() {
    let pair = RwLock::new((0, 0));
    thread::scope(|scope| {
        scope.spawn(|| {
            if let Some(mut pair) = pair.try_write() {
                pair.0 += 1;
                pair.1 += 1;
            }
        });
        if let Some(pair) = pair.try_read() {
            assert_eq!(pair.0, pair.1);
        }
    });
}
