//! arc-swap: one thread reads while another replaces.

#![cfg(test)]

use arc_swap::ArcSwap;
use std::sync::Arc;
use std::thread;

#[test]
fn the_old_one_or_the_new_one() {
    let shared = ArcSwap::from_pointee(1);
    thread::scope(|scope| {
        scope.spawn(|| shared.store(Arc::new(2)));
        let seen = **shared.load();
        assert!(seen == 1 || seen == 2);
    });
    assert_eq!(**shared.load(), 2);
}

#[test]
fn the_last_owner_frees() {
    let first = Arc::new(1);
    let shared = ArcSwap::new(first.clone());
    thread::scope(|scope| {
        scope.spawn(|| drop(shared.swap(Arc::new(2))));
        drop(shared.load_full());
    });
    assert_eq!(Arc::strong_count(&first), 1);
}
