//! Functions that announce what a call touches and pass it on.
//!
//! One entry stub serves any function, variadic ones included: it saves all registers that can carry arguments, asks
//! [`enter`] where to go on, puts them back and jumps there. The saved registers have the layout of the ABI's register
//! save area, so that arguments are fetched as `va_arg` does.

use super::format::Arguments;
use super::touch;
use crate::control::controlled;
use crate::interpose::{CALLER, cached};
use core::sync::atomic::{AtomicUsize, Ordering};

/// Registers at the call.
#[repr(C)]
pub struct Call {
    /// rdi, rsi, rdx, rcx, r8, r9.
    pub a: [u64; 6],
    /// xmm0 to xmm7.
    pub floats: [[u64; 2]; 8],
    /// al: how many of those are used. Taken as the result, if the call is done here.
    result: u64,
    return_address: u64,
    /// First argument that is in memory.
    stack: u64,
}

/// Bytes of [`Call`] below the return address.
const FRAME: usize = 184;
const _: () = assert!(core::mem::offset_of!(Call, return_address) == FRAME);

impl Call {
    /// The program's call instruction.
    pub fn pc(&self) -> u64 {
        self.return_address.wrapping_sub(1)
    }
    /// The arguments after the first `named` ones.
    pub fn rest(&mut self, named: u32) -> Arguments {
        Arguments {
            general: named * 8,
            float: 48,
            memory: &raw mut self.stack as u64,
            saved: self.a.as_mut_ptr() as u64,
        }
    }
}

/// How a call goes on.
pub enum Then {
    /// At the C library's function, with the arguments as they are.
    Pass,
    /// It was done; this is its result.
    Return(u64),
}

/// When a function's announcement is run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// While somebody watches.
    Watched,
    /// Also before the program is concurrent.
    Controlled,
}

/// One function.
pub struct Entry {
    pub name: &'static str,
    pub real: AtomicUsize,
    pub when: When,
    pub before: fn(&mut Call, &Entry) -> Then,
}

impl Entry {
    /// Calls the C library's function, for those with whole arguments and result.
    pub fn call(&self, a: &[u64; 6]) -> u64 {
        type Any = unsafe extern "C-unwind" fn(u64, u64, u64, u64, u64, u64) -> u64;
        // SAFETY: superfluous arguments do no harm; the others are the program's.
        unsafe { core::mem::transmute::<usize, Any>(cached(&self.real, self.name))(a[0], a[1], a[2], a[3], a[4], a[5]) }
    }
}

/// Where a call goes on; 0: back, with the result in the frame.
pub extern "C-unwind" fn enter(entry: &Entry, call: &mut Call) -> usize {
    if controlled() {
        CALLER.store(call.return_address as usize, Ordering::Relaxed);
        if (touch::watching() || entry.when == When::Controlled)
            && let Then::Return(value) = (entry.before)(call, entry)
        {
            call.result = value;
            return 0;
        }
    }
    cached(&entry.real, entry.name)
}

/// Defines functions that announce and pass on: `name => announcement;`.
macro_rules! pass {
    ($($name:ident => $before:expr;)*) => { pass! { @when Watched $($name => $before;)* } };
    (@when $when:ident $($name:ident => $before:expr;)*) => {$(
        const _: () = {
            static ENTRY: crate::libc::pass::Entry = crate::libc::pass::Entry {
                name: concat!(stringify!($name), "\0"),
                real: core::sync::atomic::AtomicUsize::new(0),
                when: crate::libc::pass::When::$when,
                before: $before,
            };
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name() {
                core::arch::naked_asm!(
                    ".cfi_startproc", keep_entry!(), "sub rsp, 184", ".cfi_adjust_cfa_offset 184",
                    "mov [rsp], rdi", "mov [rsp + 8], rsi", "mov [rsp + 16], rdx", "mov [rsp + 24], rcx",
                    "mov [rsp + 32], r8", "mov [rsp + 40], r9", "mov [rsp + 176], rax",
                    "movaps [rsp + 48], xmm0", "movaps [rsp + 64], xmm1", "movaps [rsp + 80], xmm2",
                    "movaps [rsp + 96], xmm3", "movaps [rsp + 112], xmm4", "movaps [rsp + 128], xmm5",
                    "movaps [rsp + 144], xmm6", "movaps [rsp + 160], xmm7",
                    "lea rdi, [rip + {this}]", "mov rsi, rsp", "call {enter}", "mov r11, rax",
                    "mov rax, [rsp + 176]", "test r11, r11", "je 2f",
                    "mov rdi, [rsp]", "mov rsi, [rsp + 8]", "mov rdx, [rsp + 16]", "mov rcx, [rsp + 24]",
                    "mov r8, [rsp + 32]", "mov r9, [rsp + 40]",
                    "movaps xmm0, [rsp + 48]", "movaps xmm1, [rsp + 64]", "movaps xmm2, [rsp + 80]",
                    "movaps xmm3, [rsp + 96]", "movaps xmm4, [rsp + 112]", "movaps xmm5, [rsp + 128]",
                    "movaps xmm6, [rsp + 144]", "movaps xmm7, [rsp + 160]",
                    "add rsp, 184", ".cfi_adjust_cfa_offset -184",
                    "jmp r11",
                    "2: .cfi_adjust_cfa_offset 184", "add rsp, 184", ".cfi_adjust_cfa_offset -184", "ret", ".cfi_endproc",
                    this = sym ENTRY, entry = sym crate::interpose::ENTRY, enter = sym crate::libc::pass::enter,
                )
            }
        };
    )*};
}
