//! thread_local: a value for each thread, in one object.

#![cfg(test)]

mod iterate;

use std::cell::Cell;
use std::thread;
use thread_local::ThreadLocal;

#[test]
fn each_has_its_own() {
    let counts = ThreadLocal::<Cell<u32>>::new();
    counts.get_or_default().set(2);
    thread::scope(|scope| {
        scope.spawn(|| counts.get_or_default().set(1));
        assert_eq!(counts.get().unwrap().get(), 2);
    });
    assert_eq!(counts.into_iter().map(|count| count.get()).sum::<u32>(), 3);
}

/// A thread may be given what one left that has ended: to expect 0 here would be a mistake.
#[test]
fn nothing_is_lost() {
    let counts = ThreadLocal::<Cell<u32>>::new();
    thread::scope(|scope| {
        scope.spawn(|| counts.get_or_default().set(1));
        let own = counts.get_or_default();
        own.set(own.get() + 2);
    });
    assert_eq!(counts.into_iter().map(|count| count.get()).sum::<u32>(), 3);
}
