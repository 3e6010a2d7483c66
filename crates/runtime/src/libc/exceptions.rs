//! Exceptions and panics: who threw them; of C++ exceptions that nobody catches where that was, and what they say.
//!
//! When the C++ library gives up, the stack may be unwound already as far as a function that lets nothing through, so
//! the place is kept when an exception is thrown.

use super::pass::{Call, Then};
use super::plain;
use super::touch;
use crate::block::Deed;
use crate::interpose::{cached, find};
use crate::standard;
use crate::state::{g, me};
use crate::sys::Text;
use core::mem::transmute;
use core::sync::atomic::AtomicUsize;
use gabion_trace::{AccessKind, Ending};

/// `what` of `std::exception`, and `__do_catch` of `std::type_info`, in the tables of virtual functions.
// ABI: exception; typeinfo
const WHAT: usize = 2;
const DO_CATCH: usize = 4;

/// A function of the C++ library that is not ours: where it is, is the library.
pub const IN_LIBRARY: &str = "_ZSt14get_unexpectedv\0";
/// Bytes of what the unwinder knows of an exception, before the object that was thrown.
const UNWINDERS: u64 = 32;

fn thrown(c: &Call, object: u64) -> Then {
    let f = me();
    f.throwing = (c.pc(), object);
    if !f.terminating {
        // A handler that throws, or throws again in order to see what it is, does not change what nobody caught.
        (f.thrown, f.thrown_object) = (Deed::now(c.pc()), object);
    }
    Then::Pass
}

// ABI: cxxabi.h
pass! { @when Controlled
    __cxa_throw => |c, _| thrown(c, c.a[0]);
    _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE => |c, _| {
        thrown(c, super::cxx::pointed_at(c.a[0]));
        super::cxx::rethrown(c)
    };
    _ZSt9terminatev => |c, _| {
        me().terminated_at = c.pc();
        Then::Pass
    };
}

// ABI: exception, std::set_terminate and std::get_terminate. The library calls ours, and ours the program's, so that it is known
// whose end it is when the handler ends the process.
pass! { @when Controlled
    _ZSt13set_terminatePFvvE => |c, entry| {
        if c.a[0] == 0 {
            return Then::Pass;
        }
        handler(AccessKind::UPDATE, c.pc());
        let kept = core::mem::replace(&mut super::state().terminate, c.a[0]);
        let before = entry.call(&[terminating as *const () as u64, 0, 0, 0, 0, 0]);
        Then::Return(as_set(before, kept))
    };
    _ZSt13get_terminatev => |c, entry| match in_library(c.pc()) {
        true => Then::Pass, // the library asks itself, in order to call it
        false => {
            handler(AccessKind::READ, c.pc());
            Then::Return(as_set(entry.call(&[0; 6]), super::state().terminate))
        }
    };
}

/// The handler for `std::terminate` is asked for or set.
fn handler(kind: AccessKind, pc: u64) {
    if touch::protected_point(&[(touch::terminate_handler(), kind)], pc) {
        touch::protected(touch::terminate_handler(), 8, kind, pc);
    } else {
        crate::abi::access::range(touch::terminate_handler(), 8, kind.with(AccessKind::ATOMIC), pc);
    }
}

fn in_library(pc: u64) -> bool {
    let (from, to) = touch::module(IN_LIBRARY);
    (from..to).contains(&pc)
}

/// A handler, or the program's if it is ours.
fn as_set(handler: u64, own: u64) -> u64 {
    if handler == terminating as *const () as u64 { own } else { handler }
}

unsafe extern "C-unwind" fn terminating() {
    let f = me();
    if !f.terminating {
        (f.terminating, f.uncaught) = (true, current_type());
    }
    // SAFETY: what the program gave to `std::set_terminate`.
    unsafe { transmute::<u64, unsafe extern "C-unwind" fn()>(super::state().terminate)() }
}

/// The process ends. Was the program's handler for `std::terminate` called for an exception? It may end the process itself, or be
/// at work in another thread.
pub fn ended_by_handler() -> Option<(Ending, u64, Text<512>)> {
    if me().terminating {
        return uncaught(0).filter(|(ending, ..)| *ending == Ending::Uncaught);
    }
    let thrower = &g().fibers[thrower()];
    // SAFETY: a type_info of the program's, as the C++ library gave it.
    let text = || unsafe { Text::format(format_args!("{}", name(thrower.uncaught))) };
    (thrower.terminating && thrower.uncaught != 0).then(|| (Ending::Uncaught, thrower.thrown.pc, text()))
}

/// Whose exception it is that nobody caught: the running thread's, unless another is in the program's handler for one.
pub fn thrower() -> usize {
    let g = g();
    let is_handled = |t: &usize| g.fibers[*t].terminating && g.fibers[*t].uncaught != 0;
    if me().terminating { g.current } else { g.live.iter().find(is_handled).unwrap_or(g.current) }
}

/// The type of the exception that the running thread handles; 0: none.
fn current_type() -> u64 {
    match find("__cxa_current_exception_type\0") {
        0 => 0,
        // SAFETY: a function of the C++ library with this type.
        function => unsafe { transmute::<usize, unsafe extern "C" fn() -> u64>(function)() },
    }
}

// ABI: cxxabi.h, void __cxa_end_catch(). The last to leave a handler gives up the exception, whose count in front of it orders
// whoever did so before with who destroys it.
pass! {
    __cxa_end_catch => |c, _| {
        if let Some(object) = given_up() {
            super::cxx::released(object, c);
        }
        Then::Pass
    };
}

// ABI: libsupc++ unwind-cxx.h, struct __cxa_exception and __cxa_dependent_exception: what of them is used, in bytes.
const PRIMARY: u64 = 0;
const HANDLERS: u64 = 40;
const CLASS: u64 = 80;
const OBJECT: u64 = CLASS + UNWINDERS;
/// The class of exceptions of libstdc++; those that were thrown again from an exception pointer have the next number, and
/// point to the first.
const GNU: u64 = u64::from_be_bytes(*b"GNUCC++\0");

/// The exception that the running thread gives up, if it leaves the handler that it is in.
fn given_up() -> Option<u64> {
    static GLOBALS: AtomicUsize = AtomicUsize::new(0);
    let globals = cached(&GLOBALS, "__cxa_get_globals_fast\0");
    // SAFETY: a function of the C++ library with this type; it gives the thread's list of exceptions that are handled.
    unsafe {
        let header = *transmute::<usize, unsafe extern "C" fn() -> *const u64>(globals)();
        if header == 0 {
            return None;
        }
        // The class first: what others throw has nothing more in front of it.
        let is_last = || *((header + HANDLERS) as *const i32) == 1;
        match (*((header + CLASS) as *const u64)).wrapping_sub(GNU) {
            0 if is_last() => Some(header + OBJECT),
            1 if is_last() => Some(*((header + PRIMARY) as *const u64)),
            _ => None,
        }
    }
}

/// Where the program called `std::terminate`, if `pc` is what the C++ library does for it.
pub fn told_at(pc: u64) -> u64 {
    match me().terminated_at {
        0 => pc,
        at if in_library(pc) => at,
        _ => pc,
    }
}

// ABI: unwind.h; C++ and Rust alike
pass! { @when Controlled
    _Unwind_RaiseException => |c, _| {
        let (f, object) = (me(), c.a[0] + UNWINDERS);
        f.raised = true;
        crate::blame::raised(if f.throwing.1 == object { f.throwing.0 } else { c.pc() }, object);
        Then::Pass
    };
}

/// `_URC_END_OF_STACK`.
const END_OF_STACK: u64 = 5;

// ABI: unwind.h. Rust's library tells of a panic during another with all of its stack, whatever the environment says: it reads and decodes the
// program's file for that, in thousands of steps. It finds no frames; reports have the stack anyway.
pass! { @when Controlled
    _Unwind_Backtrace => |c, _| {
        if standard::is_library(c.pc()) { Then::Return(END_OF_STACK) } else { Then::Pass }
    };
}

/// The words of a process that is aborted by the C++ library, or in the program's handler for `std::terminate`, and where the
/// exception was thrown, if that is why, or else who called `std::terminate`. `pc` called `abort`.
pub fn uncaught(pc: u64) -> Option<(Ending, u64, Text<512>)> {
    if !in_library(pc) && !me().terminating {
        return None;
    }
    let current = current_type();
    // SAFETY: functions of the C++ library with these types; the exception is alive as long as its handler runs.
    unsafe {
        if current == 0 {
            let text = Text::format(format_args!("std::terminate was called without an exception"));
            return Some((Ending::Abort, if me().terminated_at == 0 { pc } else { me().terminated_at }, text));
        }
        let text = match what(current) {
            Some(words) => Text::format(format_args!("{}: {words}", name(current))),
            None => Text::format(format_args!("{}", name(current))),
        };
        Some((Ending::Uncaught, me().thrown.pc, text))
    }
}

/// A type's name as a person writes it.
unsafe fn name(of: u64) -> &'static str {
    // SAFETY: a type_info, whose second word is its mangled name; see `uncaught`.
    unsafe {
        let mangled = *(of as *const u64).add(1) as *const u8;
        let mangled = if *mangled == b'*' { mangled.add(1) } else { mangled };
        let readable = match find("__cxa_demangle\0") {
            0 => core::ptr::null(),
            address => {
                let mut status = 0i32;
                type Demangle = unsafe extern "C" fn(*const u8, u64, u64, *mut i32) -> *const u8;
                transmute::<usize, Demangle>(address)(mangled, 0, 0, &mut status)
            }
        };
        words(if readable.is_null() { mangled } else { readable })
    }
}

/// What the current exception says, if it is a `std::exception`.
unsafe fn what(of: u64) -> Option<&'static str> {
    let standard = find("_ZTISt9exception\0") as u64;
    let current = find("_ZSt17current_exceptionv\0");
    if standard == 0 || current == 0 {
        return None;
    }
    // SAFETY: as for `uncaught`; the pointer is never released, the process is about to end.
    unsafe {
        let mut object = 0u64;
        transmute::<usize, unsafe extern "C" fn(*mut u64) -> u64>(current)(&mut object);
        if object == 0 {
            return None;
        }
        type DoCatch = unsafe extern "C" fn(u64, u64, *mut u64, u32) -> bool;
        if !transmute::<u64, DoCatch>(entry(standard, DO_CATCH))(standard, of, &mut object, 1) {
            return None;
        }
        let text = transmute::<u64, unsafe extern "C" fn(u64) -> *const u8>(entry(object, WHAT))(object);
        (!text.is_null()).then(|| words(text))
    }
}

/// An entry of an object's table of virtual functions.
unsafe fn entry(object: u64, index: usize) -> u64 {
    // SAFETY: an object with virtual functions, so many at least.
    unsafe { *(*(object as *const u64) as *const u64).add(index) }
}

unsafe fn words(text: *const u8) -> &'static str {
    // SAFETY: a text of the program or its library that ends in a zero byte.
    let bytes = unsafe { core::slice::from_raw_parts(text, plain::length(text).min(400)) };
    core::str::from_utf8(bytes).unwrap_or("(not text)")
}
