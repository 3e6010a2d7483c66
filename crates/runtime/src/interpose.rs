//! How a libc function is stood in for.

use crate::objects;
use core::sync::atomic::{AtomicUsize, Ordering};

/// The return address of the interposed call now being made, set by its entry stub.
pub static CALLER: AtomicUsize = AtomicUsize::new(0);

/// What else a call preserves, as it was at the program's last call of a hook or interposed function: rsp, rbx, rbp, r12
/// to r15. Written by entry stubs with `keep_entry!`. For `waiting`, which compares a thread with itself.
pub static mut ENTRY: [u64; 7] = [0; 7];

/// Instructions of an entry stub that fill [`ENTRY`]; they change no register.
macro_rules! keep_entry {
    () => {
        "mov [rip + {entry}], rsp
         mov [rip + {entry} + 8], rbx
         mov [rip + {entry} + 16], rbp
         mov [rip + {entry} + 24], r12
         mov [rip + {entry} + 32], r13
         mov [rip + {entry} + 40], r14
         mov [rip + {entry} + 48], r15"
    };
}

/// An entry stub that keeps the return address and what [`ENTRY`] holds, and goes on at `body`.
macro_rules! enter_here {
    ($body:ident) => {
        core::arch::naked_asm!(
            "mov rax, [rsp]", "mov [rip + {caller}], rax", keep_entry!(), "jmp {body}",
            caller = sym crate::interpose::CALLER, entry = sym crate::interpose::ENTRY, body = sym $body,
        )
    };
}

/// As [`enter_here`], on a stack of the runtime's own: see `apart`. Not for what calls back into the program.
macro_rules! enter_apart {
    ($body:ident) => {
        core::arch::naked_asm!(
            "mov rax, [rsp]", "mov [rip + {caller}], rax", keep_entry!(), apart!(),
            caller = sym crate::interpose::CALLER, entry = sym crate::interpose::ENTRY,
            apart = sym crate::apart::APART, room = const crate::apart::ROOM, body = sym $body,
        )
    };
}

/// The instruction of the program that called us: the return address less one lies within the call.
#[inline(always)]
pub fn caller() -> u64 {
    (CALLER.load(Ordering::Relaxed) as u64).wrapping_sub(1)
}

/// The next definition of a symbol after ours; `name` ends in a zero byte. The loader's own `dlsym` would drop the message of a look-up
/// of the program's that failed.
pub fn next(name: &str) -> usize {
    objects::definition(name.trim_end_matches('\0').as_bytes(), true) as usize
}

/// Any definition of a symbol; `name` ends in a zero byte.
pub fn find(name: &str) -> usize {
    objects::definition(name.trim_end_matches('\0').as_bytes(), false) as usize
}

/// As [`find`], for what we cannot do without.
pub fn require(name: &str) -> usize {
    match find(name) {
        0 => crate::sys::die(format_args!("the C library has no {}", name.trim_end_matches('\0'))),
        address => address,
    }
}

/// Looks a symbol up once.
pub fn cached(cell: &AtomicUsize, name: &str) -> usize {
    match cell.load(Ordering::Relaxed) {
        0 => {
            let found = next(name);
            if found == 0 {
                crate::sys::die(format_args!("the C library has no {}", name.trim_end_matches('\0')));
            }
            cell.store(found, Ordering::Relaxed);
            found
        }
        found => found,
    }
}

/// The function that ours stands in for: `real!(free: fn(*mut u8))(p)`.
macro_rules! real {
    ($name:ident : fn($($t:ty),*) $(-> $r:ty)?) => {{
        static CELL: core::sync::atomic::AtomicUsize = core::sync::atomic::AtomicUsize::new(0);
        let address = crate::interpose::cached(&CELL, concat!(stringify!($name), "\0"));
        // SAFETY: the C library's definition has the type that its header declares, given here.
        #[allow(unused_unsafe)] // often used inside another block
        unsafe { core::mem::transmute::<usize, unsafe extern "C-unwind" fn($($t),*) $(-> $r)?>(address) }
    }};
}

/// Defines functions that stand in for libc's. The entry stub keeps the return address for [`caller`]; when no search
/// is connected the call is passed on. A loop that makes such a call is not recognised as waiting: the call may have
/// any effect. `fn name also other(…)`: the C library has one function under both names. Where it keeps the other only for old
/// programs, no lookup finds it: calls of either are passed on to `name`.
macro_rules! interpose {
    ($($rest:tt)*) => { stand_in! { (crate::waiting::effect()) enter_here $($rest)* } };
}

/// As [`interpose`], for calls whose effect, if any, is told by what they record and announce: see `waiting`.
macro_rules! interpose_open {
    ($($rest:tt)*) => { stand_in! { (()) enter_apart $($rest)* } };
}

macro_rules! stand_in {
    (($effect:expr) $enter:ident $(
        $(#[$meta:meta])* fn $name:ident $(also $other:ident)* ($($a:ident : $t:ty),* $(,)?) $(-> $r:ty)? $body:block
    )*) => {$(
        const _: () = {
            unsafe extern "C-unwind" fn body($($a: $t),*) $(-> $r)? {
                if !crate::control::controlled() {
                    // SAFETY: the caller's arguments, unchanged.
                    return unsafe { real!($name: fn($($t),*) $(-> $r)?)($($a),*) };
                }
                $effect;
                $body
            }
            $(#[$meta])*
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name($(_: $t),*) $(-> $r)? {
                $enter!(body)
            }
            $(
                #[unsafe(no_mangle)]
                #[unsafe(naked)]
                unsafe extern "C-unwind" fn $other() {
                    $enter!(body)
                }
            )*
        };
    )*};
}

/// Exports `body` under a name of the compiler's or our own, with an entry stub that keeps the return address. It is called
/// whether a search is connected or not.
macro_rules! export {
    ($name:expr, fn($($a:ident : $t:ty),*) $(-> $r:ty)? $body:block) => {
        const _: () = {
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? $body
            // ABI: sanitizer/tsan_interface_atomic.h; our own gabion.h
            #[unsafe(export_name = $name)]
            #[unsafe(naked)]
            unsafe extern "C" fn entry($(_: $t),*) $(-> $r)? {
                enter_apart!(body)
            }
        };
    };
}
