//! `pthread_once`: the first caller runs the function, the others wait until it has returned.

use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use crate::time;
use gabion_trace::{Address, OpKind};

/// Our use of a `pthread_once_t`: 0 new, [`DONE`], else 2 + the running thread.
const DONE: u32 = 1;

fn at(address: u64) -> &'static mut u32 {
    // SAFETY: the program's control word.
    unsafe { &mut *(address as *mut u32) }
}

/// A thread that calls again from inside would wait for itself.
pub fn free_for(address: u64, _thread: usize) -> bool {
    *at(address) <= DONE
}

/// Who runs the function.
pub fn owner(address: u64) -> Option<usize> {
    (*at(address) as usize).checked_sub(2)
}

/// Runs `function` if nobody has.
pub fn run(control: u64, function: u64, pc: u64) {
    let object = Address::object(control);
    sched::reach_detailed(OpKind::Once, object, pc, 0);
    record::op(OpKind::Once, object, *at(control), pc);
    if *at(control) == DONE {
        time::acquire(control);
        return;
    }
    *at(control) = g().current as u32 + 2;
    // SAFETY: the program's function, which takes and returns nothing.
    unsafe { core::mem::transmute::<u64, unsafe extern "C-unwind" fn()>(function)() };
    sched::reach(OpKind::OnceDone, object, pc);
    *at(control) = DONE;
    time::release(control);
    record::op(OpKind::OnceDone, object, 0, pc);
}

// ABI: pthread.h
interpose! {
    fn pthread_once(control: u64, function: u64) -> i32 { run(control, function, caller()); 0 }
}
