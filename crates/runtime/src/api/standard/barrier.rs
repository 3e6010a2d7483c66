//! `Barrier`. Nothing of it is instrumented; its state is kept in its own bytes, none of which anybody else looks at.

use super::super::barrier::arrive;
use super::models;
use crate::interpose::caller;
use crate::standard;

/// How many have arrived is kept beside how many are needed.
fn arrived(barrier: u64, needed_at: u64) -> &'static mut u32 {
    let at = if needed_at == 0 { barrier + 8 } else { barrier };
    // SAFETY: the program's barrier, of which all but the number of its threads is zero at first.
    unsafe { &mut *(at as *mut u32) }
}

models! {
    /// True: the last to arrive.
    fn wait(barrier: u64) -> bool {
        let pc = caller();
        let needed_at = u64::from(standard::layout().barrier) - 1;
        // SAFETY: the program's barrier.
        let needed = unsafe { *((barrier + needed_at) as *const u64) };
        arrive(barrier, arrived(barrier, needed_at), needed.min(u64::from(u32::MAX)) as u32, pc)
    }
}
