//! crossbeam-epoch: what a pinned thread has seen is not freed under it.

#![cfg(test)]

use crossbeam_epoch::{Atomic, Collector, Owned};
use std::sync::atomic::Ordering::SeqCst;
use std::thread;

#[test]
fn replaced_while_it_is_read() {
    let (collector, slot) = (Collector::new(), Atomic::new(1));
    let reader = collector.register();
    let guard = reader.pin();
    thread::scope(|scope| {
        scope.spawn(|| {
            let writer = collector.register();
            let guard = writer.pin();
            let old = slot.swap(Owned::new(2), SeqCst, &guard);
            // SAFETY: nobody finds it any more.
            unsafe { guard.defer_destroy(old) };
        });
        // SAFETY: it is freed only when this thread is not pinned.
        let seen = unsafe { *slot.load(SeqCst, &guard).deref() };
        assert!(seen == 1 || seen == 2);
    });
    // SAFETY: all others are gone.
    drop(unsafe { slot.into_owned() });
}

#[test]
fn registered_and_gone() {
    let collector = Collector::new();
    let mine = collector.register();
    thread::scope(|scope| {
        scope.spawn(|| drop(collector.register()));
        assert!(!mine.is_pinned());
        drop(mine.pin());
    });
}
