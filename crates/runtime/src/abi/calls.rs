//! Function entry and exit, and the start of a module.
//!
//! Entry pushes the call site onto the running fiber's shadow call stack, exit drops it: the price of a stack at every
//! point is two stores per call. The runtime that is not connected has no shadow stack and does nothing.

use crate::state::SHADOW;
use core::arch::naked_asm;

// ABI: void __tsan_func_entry(void *call_site)
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __tsan_func_entry(_site: u64) {
    naked_asm!(
        "mov rax, [rip + {top}]", "test rax, rax", "je 2f", "mov [rax], rdi", "add rax, 8", "mov [rip + {top}], rax",
        "2: ret", top = sym SHADOW,
    )
}

// ABI: void __tsan_func_exit(void)
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __tsan_func_exit() {
    naked_asm!(
        "mov rax, [rip + {top}]", "test rax, rax", "je 2f", "sub rax, 8", "mov [rip + {top}], rax", "2: ret",
        top = sym SHADOW,
    )
}

// ABI: called by a constructor of every instrumented module.
#[unsafe(no_mangle)]
extern "C" fn __tsan_init() {}

// ABI: annotations that some programs carry for the sanitizer. What they hide from it is not hidden from us.
#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_begin() {}
#[unsafe(no_mangle)]
extern "C" fn __tsan_ignore_thread_end() {}
