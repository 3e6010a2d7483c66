//! Exit handlers: their list is shared by all threads, and the order in which they are registered is seen at the end.
//!
//! `atexit` and `at_quick_exit` are linked into the program itself and call the functions here; so do the constructors
//! of static objects, long before `main`, when nobody watches.

use crate::interpose::caller;
use crate::record;
use crate::sched;
use gabion_trace::{Address, OpKind, Pseudo};

fn point(pc: u64) {
    let object = Address::pseudo(Pseudo::ExitHandlers);
    sched::reach(OpKind::Hidden, object, pc);
    record::op(OpKind::Hidden, object, 0, pc);
}

// ABI: Itanium C++ ABI 3.3.6.3; stdlib.h
interpose! {
    fn __cxa_atexit(function: u64, argument: u64, library: u64) -> i32 {
        point(caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(__cxa_atexit: fn(u64, u64, u64) -> i32)(function, argument, library) }
    }
    fn __cxa_at_quick_exit(function: u64, library: u64) -> i32 {
        point(caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(__cxa_at_quick_exit: fn(u64, u64) -> i32)(function, library) }
    }
    fn on_exit(function: u64, argument: u64) -> i32 {
        point(caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(on_exit: fn(u64, u64) -> i32)(function, argument) }
    }
}
