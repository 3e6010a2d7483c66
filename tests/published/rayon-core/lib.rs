//! rayon-core: fork and join in a pool. Its threads look for work 64 times before they sleep, and each time is an order of its own, so
//! where one looks while another makes work the search does not come to its end. A pool of the current thread alone looks at nobody.

#![cfg(test)]

use rayon_core::{ThreadPoolBuilder, join};
use std::thread;

#[test]
fn fork_and_join() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
}

#[test]
fn a_pool_begins_and_ends() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.current_num_threads(), 1);
}

#[test]
fn a_pool_in_each_thread() {
    let fork_and_join = || {
        let pool = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build().unwrap();
        assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
    };
    thread::scope(|scope| {
        scope.spawn(fork_and_join);
        fork_and_join();
    });
}
