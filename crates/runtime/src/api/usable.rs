//! Synchronisation objects that cannot be used: absent, never initialised, destroyed.
//!
//! Memory counts as initialised in the states that an initialiser or an operation of the model leaves behind. Zeroed memory is one
//! of them where the C library has a static initialiser that is all zero (mutex, condition variable, reader-writer lock, once), and
//! for a semaphore, which is one of value 0 then. A spin lock of glibc on x86 is free when it is 1, so a zeroed one is never had; a
//! zeroed barrier divides by its count. Memory that happens to look like an initialised object is not told from one: a semaphore
//! may hold any value, and so may a block of the heap that was never written.

use crate::blame::{self, Misuse};
use gabion_trace::OpKind;

/// Below this there is no memory.
const LOWEST: u64 = 4096;

/// A word that marks an object as destroyed, where it has no field for it.
pub const DESTROYED: u32 = 0xdead_0b1e;

/// What an object's memory holds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Ready,
    /// Nothing that an initialiser leaves.
    Unset,
    Destroyed,
}

/// Is it a null pointer, or as good as one?
#[inline(always)]
pub fn is_null(address: u64) -> bool {
    address < LOWEST
}

/// Can an operation on the object go wrong at once, so that nothing keeps it waiting?
#[inline(always)]
pub fn fails(address: u64, state: fn(u64) -> State) -> bool {
    is_null(address) || state(address) != State::Ready
}

/// The running thread has passed its point and is about to use an object, which is `what`. Does not come back if it cannot be used.
#[inline(always)]
pub fn check(what: &str, op: OpKind, address: u64, state: fn(u64) -> State, pc: u64) {
    if fails(address, state) {
        refuse(what, op, address, state, pc);
    }
}

/// As [`check`], of an object that is initialised: whatever its memory holds, there has to be some.
#[inline(always)]
pub fn check_present(address: u64, pc: u64) {
    if is_null(address) {
        blame::null_object(address, pc);
    }
}

#[cold]
#[inline(never)]
fn refuse(what: &str, op: OpKind, address: u64, state: fn(u64) -> State, pc: u64) -> ! {
    check_present(address, pc);
    let misuse = if state(address) == State::Destroyed { Misuse::UseDestroyed } else { Misuse::UseUnset };
    blame::lock(misuse, what, op, address, None, pc)
}
