//! Functions that are done here.
//!
//! The exported entry is a compare and a jump while nobody watches: no look-up, no initialised state, no write to
//! memory, so it works before relocation and in programs with threads of their own. Each body exists twice, with and
//! without its announcements.

use super::touch;
use crate::interpose::caller;
use gabion_trace::AccessKind;

/// What a body announces through; without `WATCHED` it does nothing.
pub struct To<const WATCHED: bool> {
    pc: u64,
}

impl<const WATCHED: bool> To<WATCHED> {
    #[inline(always)]
    pub fn new() -> Self {
        To { pc: if WATCHED { caller() } else { 0 } }
    }
    /// On behalf of the instruction `pc`.
    pub fn at(pc: u64) -> Self {
        To { pc }
    }
    #[inline(always)]
    pub fn pc(&self) -> u64 {
        self.pc
    }
    /// The point, when how far the call goes is not known before it.
    #[inline(always)]
    pub fn point<const N: usize>(&self, places: [(*const u8, AccessKind); N]) {
        if WATCHED {
            touch::point(&places.map(|(at, kind)| (at as u64, kind)), self.pc);
        }
    }
    /// The point and all ranges, when they are known before it.
    #[inline(always)]
    pub fn all<const N: usize>(&self, ranges: [(*const u8, usize, AccessKind); N]) {
        if WATCHED {
            touch::all(&ranges.map(|(at, length, kind)| (at as u64, length as u64, kind)), self.pc);
        }
    }
    #[inline(always)]
    pub fn read(&self, at: *const u8, length: usize) {
        if WATCHED {
            touch::read(at as u64, length, self.pc);
        }
    }
    #[inline(always)]
    pub fn variable(&self, at: *const u8, size: usize, kind: AccessKind) {
        if WATCHED {
            touch::variable(at as u64, size, kind, self.pc);
        }
    }
    #[inline(always)]
    pub fn write(&self, at: *const u8, length: usize) {
        if WATCHED {
            touch::write(at as u64, length, self.pc);
        }
    }
}

/// Defines exported functions: `fn name(arguments) -> result |to| { body }`.
macro_rules! own {
    ($($(#[$meta:meta])* fn $name:ident($($a:ident : $t:ty),* $(,)?) $(-> $r:ty)? |$to:ident| $body:block)*) => {$(
        const _: () = {
            #[allow(unused_variables)]
            unsafe extern "C-unwind" fn body<const WATCHED: bool>($($a: $t),*) $(-> $r)? {
                let $to = crate::libc::own::To::<WATCHED>::new();
                // SAFETY: the program's arguments, used as the function's contract says.
                #[allow(unused_unsafe)]
                unsafe { $body }
            }
            $(#[$meta])*
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name($(_: $t),*) $(-> $r)? {
                core::arch::naked_asm!(
                    "cmp byte ptr [rip + {watching}], 0", "jne 2f", "jmp {quiet}",
                    "2: mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {watched}",
                    watching = sym crate::state::WATCHING, caller = sym crate::interpose::CALLER,
                    quiet = sym body::<false>, watched = sym body::<true>,
                )
            }
        };
    )*};
}

/// As [`own`], for what the compiler itself refers to: the entry is called `gabion_NAME` and is visible only inside
/// this library; names.rs exports NAME. Unwatched, the plain one from plain.rs does it.
macro_rules! own_unnamed {
    ($($name:ident = $entry:literal, $plain:literal: fn($($a:ident : $t:ty),*) $(-> $r:ty)? |$to:ident| $body:block)*) => {$(
        unsafe extern "C" fn $name($($a: $t),*) $(-> $r)? {
            let $to = crate::libc::own::To::<true>::new();
            // SAFETY: the program's arguments, used as the function's contract says.
            #[allow(unused_unsafe)]
            unsafe { $body }
        }
        core::arch::global_asm!(
            concat!(".globl ", $entry), concat!(".hidden ", $entry), concat!(".type ", $entry, ", @function"),
            concat!($entry, ":"),
            "cmp byte ptr [rip + {watching}], 0", "jne 2f", concat!("jmp ", $plain),
            "2: mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {watched}",
            concat!(".size ", $entry, ", . - ", $entry),
            watching = sym crate::state::WATCHING, caller = sym crate::interpose::CALLER, watched = sym $name,
        );
    )*};
}
