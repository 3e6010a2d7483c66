//! Stacks that hold code: GNU C's nested functions put a few instructions there, which others call.
//!
//! Whether stacks are executable is a property of the program and of every library in it (`PT_GNU_STACK`). The loader gives
//! the kernel's stack that protection, also when a library that is loaded later asks for it; the stacks made here follow.

use crate::maps;
use crate::places;
use crate::state::g;
use crate::sys;

const READ_WRITE: u64 = 3;
const EXECUTE: u64 = 4;
/// How far from the arguments the kernel's stack may reach.
const REACH: u64 = 8 << 20;

/// Protection of stacks, and where the kernel's stack holds the arguments.
static mut PROTECTION: u64 = READ_WRITE;
static mut ARGUMENTS: u64 = 0;

/// The protection that stacks get.
pub fn protection() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { PROTECTION }
}

/// Before the first stack is made: is the kernel's executable?
pub fn learn(arguments: u64) {
    // SAFETY: one kernel thread.
    unsafe { ARGUMENTS = arguments };
    maps::each(|mapping| {
        if (mapping.from..mapping.to).contains(&arguments) && mapping.permissions[2] == b'x' {
            open();
        }
    });
}

/// The program, or the loader for it, protects memory: if that makes the kernel's stack executable, all others become so too.
pub fn protects(address: u64, protection: u64) {
    // SAFETY: one kernel thread.
    let stack = unsafe { ARGUMENTS };
    if protection & EXECUTE != 0 && address.abs_diff(stack) < REACH {
        open();
    }
}

fn open() {
    // SAFETY: one kernel thread; the stacks that were made so far.
    unsafe {
        PROTECTION = READ_WRITE | EXECUTE;
        for (thread, low) in g().slot_low.iter().enumerate().filter(|(_, low)| **low != 0) {
            sys::call(sys::MPROTECT, *low, places::slot_end(thread) - low, PROTECTION);
        }
    }
}
