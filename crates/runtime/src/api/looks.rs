//! Library functions that only look at an object of the program's: announced, then passed on.

use crate::abi::access;
use crate::interpose::caller;
use gabion_trace::AccessKind;

const POINTER: u64 = 8;

// ABI: Itanium C++ ABI 2.9.7: the object's pointer to its virtual table. sched.h: a set of processors.
interpose! {
    fn __dynamic_cast(object: u64, from: u64, to: u64, hint: i64) -> u64 {
        access::range(object, POINTER, AccessKind::READ, caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(__dynamic_cast: fn(u64, u64, u64, i64) -> u64)(object, from, to, hint) }
    }
    fn __sched_cpucount(size: u64, set: u64) -> i32 {
        access::range(set, size, AccessKind::READ, caller());
        // SAFETY: the call as the program made it.
        unsafe { real!(__sched_cpucount: fn(u64, u64) -> i32)(size, set) }
    }
}
