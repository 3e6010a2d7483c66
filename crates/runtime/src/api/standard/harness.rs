//! The harness of a test binary: it starts a thread for the test, waits for it, prints and gives back what it had.
//!
//! It is prebuilt, as the standard library is, and trusted with it. What its thread does while no function of the program's runs
//! there is the harness's own: hundreds of blocks that it frees after the test, which nobody else knows of.

use super::models;
use crate::standard;
use gabion_trace::standard::Model;

models! {
    fn run(tests: u64, count: u64) {
        standard::enter_harness();
        let function = standard::original(Model::Harness);
        // SAFETY: the library's own function.
        unsafe { core::mem::transmute::<u64, extern "C-unwind" fn(u64, u64)>(function)(tests, count) }
    }
}
