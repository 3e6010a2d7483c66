//! `Once`, one of whose two initialisations fails. Before 0.9.8 the thread that waited for it ran into code that is
//! thought to be unreachable (RUSTSEC-2023-0031).

#![cfg(test)]

use spin::Once;
use std::thread;

#[test]
fn the_other_one_initialises() {
    let once: Once<u32> = Once::new();
    thread::scope(|scope| {
        scope.spawn(|| once.try_call_once(|| Err(())).is_ok());
        assert_eq!(*once.call_once(|| 1), 1);
    });
}
