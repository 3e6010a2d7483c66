//! spin: locks and `Once` without an operating system.

#![cfg(test)]

mod once;

use spin::{Mutex, RwLock};
use std::thread;

#[test]
fn a_mutex_excludes() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock() += 1);
        *count.lock() += 1;
    });
    assert_eq!(*count.lock(), 2);
}

#[test]
fn a_writer_excludes_a_reader() {
    let pair = RwLock::new((0, 0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut pair = pair.write();
            pair.0 += 1;
            pair.1 += 1;
        });
        // A reader that waits counts itself in and out again.
        let pair = pair.read();
        assert_eq!(pair.0, pair.1);
    });
}
