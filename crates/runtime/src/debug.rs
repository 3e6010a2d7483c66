//! For debuggers: where the threads are and where they switch. `crates/native/gdb/gabion.py` finds the table by its name.

use crate::control;
use crate::fiber::{self, Fiber};
use crate::state::{self, Globals};
use core::mem::{offset_of, size_of};
use gabion_trace::Ending;

/// Words of one size, so that a debugger needs to know nothing but their order.
#[repr(C)]
pub struct Table {
    version: u64,
    fibers: *const Globals,
    stride: u64,
    /// Offsets of fields of a fiber.
    sp: u64,
    fs: u64,
    life: u64,
    step: u64,
    function: u64,
    name: u64,
    current: *const usize,
    threads: *const usize,
    /// Every switch of threads, and the end of every run, passes here.
    switch: unsafe extern "C" fn(*mut u64, u64, u64),
    finish: fn(Ending, i32, u64, u64, &[u8]) -> !,
}

// SAFETY: never changed.
unsafe impl Sync for Table {}

const _: () = assert!(offset_of!(Globals, fibers) == 0);

/// The table.
#[allow(non_upper_case_globals)] // a name for people to type
#[used]
#[unsafe(no_mangle)]
pub static gabion_debugger: Table = Table {
    version: 1,
    fibers: state::place(),
    stride: size_of::<Fiber>() as u64,
    sp: offset_of!(Fiber, sp) as u64,
    fs: offset_of!(Fiber, fs) as u64,
    life: offset_of!(Fiber, life) as u64,
    step: offset_of!(Fiber, step) as u64,
    function: offset_of!(Fiber, function) as u64,
    name: offset_of!(Fiber, name) as u64,
    current: state::place().cast::<u8>().wrapping_add(offset_of!(Globals, current)).cast(),
    threads: state::place().cast::<u8>().wrapping_add(offset_of!(Globals, threads)).cast(),
    switch: fiber::switch,
    finish: control::finish,
};
