//! Libraries loaded while the program runs: nobody has looked at their code, so the verdict says so.
//!
//! The loader searches along the paths of whoever called it, so these are stubs that take a note and go on at the C
//! library's function with the stack as it was.

use crate::control::controlled;
use crate::interpose::{cached, caller};
use crate::{record, sched};
use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;
use gabion_trace::{Address, Coverage, OpKind, Pseudo};

struct Function {
    name: &'static str,
    address: AtomicUsize,
    covers: Coverage,
}

/// Notes the call and gives the C library's function to go on with.
unsafe extern "C-unwind" fn note(function: &Function) -> usize {
    crate::tls::no_spare();
    super::fini::ask_loader();
    if controlled() {
        let (object, pc) = (Address::pseudo(Pseudo::World), caller());
        sched::reach(OpKind::Hidden, object, pc);
        record::op(OpKind::Hidden, object, 0, pc);
        record::cover(function.covers);
    }
    cached(&function.address, function.name)
}

macro_rules! load {
    ($($name:ident covers $covers:expr;)*) => {$(
        const _: () = {
            static FUNCTION: Function =
                Function { name: concat!(stringify!($name), "\0"), address: AtomicUsize::new(0), covers: $covers };
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name() {
                naked_asm!(
                    ".cfi_startproc", "mov rax, [rsp]", "mov [rip + {caller}], rax",
                    "push rdi", "push rsi", "push rdx", ".cfi_adjust_cfa_offset 24",
                    "lea rdi, [rip + {function}]", "call {note}",
                    "pop rdx", "pop rsi", "pop rdi", ".cfi_adjust_cfa_offset -24", "jmp rax", ".cfi_endproc",
                    caller = sym crate::interpose::CALLER, function = sym FUNCTION, note = sym note,
                )
            }
        };
    )*};
}

// ABI: dlfcn.h. What is loaded must not be there in the next run.
load! {
    dlopen covers Coverage::LOADED.with(Coverage::NEEDS_FORK);
    dlmopen covers Coverage::LOADED.with(Coverage::NEEDS_FORK);
    dlclose covers Coverage::NEEDS_FORK;
}
