//! once_cell: cells that are written once, by whoever comes first.

#![cfg(test)]

use once_cell::sync::{Lazy, OnceCell};
use std::thread;

#[test]
fn all_see_the_first() {
    let cell = OnceCell::new();
    thread::scope(|scope| {
        let other = scope.spawn(|| *cell.get_or_init(|| 1));
        let seen = *cell.get_or_init(|| 2);
        assert_eq!(seen, other.join().unwrap());
    });
}

#[test]
fn one_of_them_sets_it() {
    let cell = OnceCell::new();
    thread::scope(|scope| {
        let other = scope.spawn(|| cell.set(1).is_ok());
        let set = cell.set(2).is_ok();
        assert!(set != other.join().unwrap());
    });
}

#[test]
fn made_when_it_is_needed() {
    let value = Lazy::new(|| 7);
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(*value, 7));
        assert_eq!(*value, 7);
    });
}
