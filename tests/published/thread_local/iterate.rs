//! One thread looks at all values while another adds the first. Before 1.1.4 that was a data race (RUSTSEC-2022-0006):
//! the address of the values was read without acquiring what they were set up with.

#![cfg(test)]

use std::thread;
use thread_local::ThreadLocal;

#[test]
fn looked_at_while_one_is_added() {
    let values = ThreadLocal::with_capacity(0);
    thread::scope(|scope| {
        scope.spawn(|| *values.get_or(|| 1));
        assert!(values.iter().all(|value| *value == 1));
    });
}
