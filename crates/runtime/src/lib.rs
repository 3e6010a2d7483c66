//! What lives inside the program under test.
//!
//! The program's threads are fibers of one kernel thread. The compiler's memory-access hooks and the threading API land
//! here; every visible operation first asks the scheduler ([`sched`]), which follows a plan from shared memory and
//! writes a trace back. Between runs all of the program's memory is put back to a checkpoint ([`reset`]).
//!
//! Loaded without gabion the library is passive: every function passes on to the one it stands in for.
//!
//! Absent: search, allocation, threads of its own, any crate but `trace`. Nothing here may call a libc function that
//! allocates, locks or makes a system call once the program runs, because the program's state is what libc would change.

#![no_std]
#![allow(static_mut_refs)]
#![allow(clippy::missing_safety_doc)]

#[macro_use]
mod apart;
#[macro_use]
mod interpose;

mod abi;
mod ahead;
mod api;
mod arguments;
mod aside;
mod blame;
mod block;
mod callers;
mod calls;
mod control;
mod debug;
mod depot;
mod dispatch;
mod executable;
mod fault;
mod fiber;
mod guess;
mod heap;
mod hot;
mod leak;
mod libc;
mod link;
mod maps;
mod objects;
mod places;
mod plan;
mod private;
mod quiet;
mod record;
mod reset;
mod rounds;
mod sched;
mod seal;
mod shadow;
mod sleep;
mod standard;
mod standing;
mod state;
mod sys;
mod time;
mod tls;
mod trust;
mod unwinder;
mod valid;
mod waiting;
mod written;

// Only in the library itself: checked together with the other crates, this one sees `std` through `trace`.
#[cfg(gabion_library)]
#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    sys::die(format_args!("internal error in the runtime: {info}"))
}

// `core` was compiled for unwinding and refers to this; nothing here ever unwinds. Hidden, because the program may have
// one of its own.
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality: mov eax, 8", // go on unwinding: the program's frames above may have something to do
    "ret",
);
