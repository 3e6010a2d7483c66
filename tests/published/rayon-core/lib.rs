//! rayon-core: fork and join in a pool. Its threads look for work 64 times before they sleep, and each time is an order of its own, so
//! this does not come to its end.

#![cfg(test)]

use rayon_core::{ThreadPoolBuilder, join};

#[test]
fn fork_and_join() {
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| join(|| 1, || 2)), (1, 2));
}
