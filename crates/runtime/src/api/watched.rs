//! Calls whose unwinding is noticed: an exception or panic that leaves them is told, and goes on.

use super::cleanup::get_register;
use core::arch::naked_asm;

/// What to do when a call is left by unwinding. Stands first in what is to be known there.
#[repr(C)]
pub struct Watch {
    pub left: unsafe fn(*const Watch),
}

/// Calls `function(first, second)` in a frame whose unwinding is noticed; rbx holds what to do about it. A function that takes
/// less does not look at the rest.
#[unsafe(naked)]
pub unsafe extern "C-unwind" fn call(_function: u64, _first: u64, _second: u64, _watch: *const Watch) {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_personality 0x1b, {left}",
        "push rbx",
        ".cfi_adjust_cfa_offset 8",
        ".cfi_rel_offset rbx, 0",
        "mov rbx, rcx",
        "mov rax, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "call rax",
        "pop rbx",
        ".cfi_adjust_cfa_offset -8",
        ".cfi_restore rbx",
        "ret",
        ".cfi_endproc",
        left = sym left,
    )
}

const CLEANUP_PHASE: i32 = 2;
const CONTINUE_UNWIND: i32 = 8;
/// The number of rbx in debug and unwind information.
const RBX: i32 = 3;

// ABI: a personality routine (Itanium C++ ABI, exception handling, 1.6). While a handler is looked for nothing happens.
unsafe extern "C-unwind" fn left(_version: i32, actions: i32, _class: u64, _exception: u64, context: u64) -> i32 {
    type Register = unsafe extern "C" fn(u64, i32) -> u64;
    let register = get_register();
    if actions & CLEANUP_PHASE != 0 && register != 0 {
        // SAFETY: the unwinder's own function on its context; rbx was set by `call`, whose caller's frame lives.
        unsafe {
            let watch = core::mem::transmute::<usize, Register>(register)(context, RBX) as *const Watch;
            ((*watch).left)(watch);
        }
    }
    CONTINUE_UNWIND
}
