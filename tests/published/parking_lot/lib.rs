//! parking_lot: mutex, reader-writer lock, condition variable. Whoever has to wait spins first and counts the rounds, which are
//! all orders of their own: 16,000 for a mutex and two threads, millions for a condition. So two of these only try.

#![cfg(test)]

use parking_lot::{Condvar, Mutex, RwLock};
use std::thread;

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
