//! Exit handlers: their list is shared by all threads, and the order in which they are registered is seen at the end.
//!
//! `atexit` and `at_quick_exit` are linked into the program itself and call the functions here; so do the constructors
//! of static objects, long before `main`, when nobody watches.

use crate::abi::access;
use crate::interpose::caller;
use crate::record;
use crate::sched;
use gabion_trace::{AccessKind, Address, OpKind, Pseudo};

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

// ABI: the C++ runtime's; it looks at the object's pointer to its virtual table.
interpose! {
    fn __dynamic_cast(object: u64, from: u64, to: u64, hint: i64) -> u64 {
        access::range(object, 8, AccessKind::READ, caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(__dynamic_cast: fn(u64, u64, u64, i64) -> u64)(object, from, to, hint) }
    }
}
