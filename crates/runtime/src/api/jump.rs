//! `setjmp` and `longjmp`: the shadow call stack goes back with the real one.
//!
//! A function that returns twice cannot be written in Rust, so the stand-ins are stubs that take a note and then jump to
//! the C library's function with the stack as it was. The note lies in the buffer itself, in the four bytes of padding
//! after `__mask_was_saved`; even the short buffers of `pthread_cleanup_push` have these. It holds the depth of the
//! shadow stack and whether the signal mask was asked for: that mask is ours, kept where the C library would keep the
//! kernel's, and the C library is told to save none.
//!
//! C++ exceptions need nothing here: gcc and clang both call the exit hook from the cleanups of unwound functions.

use super::signal;
use crate::aside::shadow_base;
use crate::control::controlled;
use crate::interpose::{caller, next};
use crate::state::{g, set_shadow_top, shadow_top};
use core::arch::naked_asm;
use core::sync::atomic::{AtomicUsize, Ordering};

/// Offsets into `struct __jmp_buf_tag`: eight registers, `int __mask_was_saved`, padding, `__saved_mask`.
const NOTE: usize = 68;
const MASK: usize = 72;
/// Marks a note: the upper bits. Below are a bit for the mask and twenty for the depth.
const MARK: u32 = 0x6a6 << 21;
const WITH_MASK: u32 = 1 << 20;
const DEPTH: u32 = WITH_MASK - 1;

/// One of the C library's functions, looked up at its first use.
struct Function {
    name: &'static str,
    address: AtomicUsize,
}

impl Function {
    const fn new(name: &'static str) -> Function {
        Function { name, address: AtomicUsize::new(0) }
    }

    fn find(&self) -> usize {
        match self.address.load(Ordering::Relaxed) {
            0 => {
                let found = next(self.name);
                self.address.store(found, Ordering::Relaxed);
                found
            }
            found => found,
        }
    }
}

static SAVE: Function = Function::new("__sigsetjmp\0");

/// Notes the depth, and the mask if it is asked for. Gives the C library's function to go on with; it shall save no mask.
unsafe extern "C" fn note(buffer: *mut u8, with_mask: &mut i32, function: &Function) -> usize {
    if controlled() {
        let depth = (shadow_top().saturating_sub(shadow_base(g().current)) / 8) as u32;
        let masked = if core::mem::replace(with_mask, 0) != 0 { WITH_MASK } else { 0 };
        // SAFETY: the program's buffer; those without room for a mask are never used with one.
        unsafe {
            (buffer.add(NOTE) as *mut u32).write(MARK | masked | depth & DEPTH);
            if masked != 0 {
                (buffer.add(MASK) as *mut u64).write(signal::blocked());
            }
        }
        return SAVE.find();
    }
    function.find()
}

/// Goes back to what was noted. Gives the C library's function to go on with.
unsafe extern "C-unwind" fn recall(buffer: *const u8, function: &Function) -> usize {
    let pc = caller();
    if controlled() {
        // SAFETY: the program's buffer.
        let (note, mask) = unsafe { ((buffer.add(NOTE) as *const u32).read(), buffer.add(MASK) as *const u64) };
        if note & !(WITH_MASK | DEPTH) == MARK {
            if shadow_top() != 0 {
                set_shadow_top(shadow_base(g().current) + u64::from(note & DEPTH) * 8);
            }
            if note & WITH_MASK != 0 {
                // SAFETY: written together with the note.
                signal::block(unsafe { mask.read() }, pc);
            }
        }
    }
    function.find()
}

/// Stubs of functions that return twice. `$mask` puts into esi whether the mask is to be saved.
macro_rules! set {
    ($($name:ident $mask:literal;)*) => {$(
        const _: () = {
            static FUNCTION: Function = Function::new(concat!(stringify!($name), "\0"));
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $name(_buffer: *mut u8, _with_mask: i32) -> i32 {
                naked_asm!(
                    $mask, "push rdi", "push rsi", "sub rsp, 8",
                    "lea rsi, [rsp + 8]", "lea rdx, [rip + {function}]", "call {note}",
                    "add rsp, 8", "pop rsi", "pop rdi", "jmp rax",
                    function = sym FUNCTION, note = sym note,
                )
            }
        };
    )*};
}

/// Stubs of functions that do not return.
macro_rules! jump {
    ($($name:ident)*) => {$(
        const _: () = {
            static FUNCTION: Function = Function::new(concat!(stringify!($name), "\0"));
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name(_buffer: *mut u8, _value: i32) {
                naked_asm!(
                    "mov rax, [rsp]", "mov [rip + {caller}], rax",
                    "push rdi", "push rsi", "sub rsp, 8", "lea rsi, [rip + {function}]", "call {recall}",
                    "add rsp, 8", "pop rsi", "pop rdi", "jmp rax",
                    caller = sym crate::interpose::CALLER, function = sym FUNCTION, recall = sym recall,
                )
            }
        };
    )*};
}

// ABI: setjmp.h. `setjmp` as a function saves the mask; the header's macro of that name is `_setjmp`, which does not.
set! {
    setjmp "mov esi, 1";
    _setjmp "xor esi, esi";
    __sigsetjmp "";
}
jump! { longjmp _longjmp siglongjmp __longjmp_chk }
