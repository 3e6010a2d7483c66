//! The C library's functions on memory, strings and streams, and those with hidden shared state.
//!
//! Three kinds: [`own`] functions are done here, with no look-up and no libc (memory and string basics, which are called
//! before anything is set up, and by the compiler in our own code); [`pass`] functions announce what the call touches
//! and pass it on to libc's; a few of those call libc's themselves, because what they touched is known only afterwards.
//!
//! A call that touches several ranges has one point, before the first of them that is not the thread's own: see
//! [`touch`]. What is exported from here is announced exactly; what is not (wide formatted output, for one) is left to
//! the caveats of the verdict.

#![allow(unexpected_cfgs)] // gabion_library, set by crates/native/build.rs alone

#[macro_use]
mod own;
#[macro_use]
mod pass;

pub mod attributes;
pub mod buffers;
mod convert;
pub mod cxx;
pub mod exceptions;
mod format;
mod fortified;
mod hidden;
mod locale;
pub mod locks;
mod memory;
mod plain;
mod printf;
mod ready;
mod results;
mod scanf;
mod sets;
mod sort;
mod stdio;
mod strings;
mod tokens;
mod touch;
mod wide;
mod zone;

// The names that the compiler itself refers to live in a crate of their own: see names.rs.
#[cfg(gabion_library)]
extern crate gabion_names;
#[cfg(not(gabion_library))]
mod names;

pub use locale::{before_threads, thread_begins};
pub use touch::{from_libc, module, multiplier, protected_point, string as announce_string};

/// State of the functions here that a run changes and the next must not see.
struct State {
    /// Where `strtok` goes on.
    token: u64,
    /// The program's handler for `std::terminate`, once it has set one.
    terminate: u64,
    /// Where the broken-down time in static memory is, once the program has been given it.
    broken_down: u64,
    /// A hash of the time zone's name when the library last looked at it; 0: it has not.
    zone: u64,
    /// Memory of the program's that `random` works on, and how much; nowhere: the library's own.
    random: (u64, u64),
}

static mut STATE: State = State { token: 0, terminate: 0, broken_down: 0, zone: 0, random: (0, 0) };

fn state() -> &'static mut State {
    // SAFETY: one kernel thread.
    unsafe { &mut STATE }
}

/// Where `random` works.
pub fn random_state() -> &'static mut (u64, u64) {
    &mut state().random
}

/// What a reset has to restore: (address, length).
pub fn region() -> (u64, u64) {
    (&raw const STATE as u64, size_of::<State>() as u64)
}
