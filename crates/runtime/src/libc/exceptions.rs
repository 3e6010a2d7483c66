//! Exceptions and panics: who threw them; of C++ exceptions that nobody catches where that was, and what they say.
//!
//! When the C++ library gives up, the stack may be unwound already as far as a function that lets nothing through, so
//! the place is kept when an exception is thrown.

use super::pass::{Call, Then};
use super::plain;
use super::touch;
use crate::block::Deed;
use crate::interpose::find;
use crate::state::me;
use crate::sys::Text;
use core::mem::transmute;

/// `what` of `std::exception`, and `__do_catch` of `std::type_info`, in the tables of virtual functions.
// ABI: exception; typeinfo
const WHAT: usize = 2;
const DO_CATCH: usize = 4;

fn thrown(c: &Call) -> Then {
    me().thrown = Deed::now(c.pc());
    Then::Pass
}

// ABI: cxxabi.h
pass! { @when Controlled
    __cxa_throw => |c, _| thrown(c);
    _ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE => |c, _| {
        thrown(c);
        super::cxx::rethrown(c)
    };
}

// ABI: unwind.h; C++ and Rust alike
pass! { @when Controlled
    _Unwind_RaiseException => |c, _| {
        crate::blame::raised(c.pc());
        Then::Pass
    };
}

/// The words of a process that is aborted by the C++ library, and who threw the exception, if that is why. `pc` called
/// `abort`.
pub fn uncaught(pc: u64) -> Option<(Option<Deed>, Text<512>)> {
    let (from, to) = touch::module("_ZSt9terminatev\0");
    if !(from..to).contains(&pc) {
        return None;
    }
    let found = |name: &str| Some(find(name)).filter(|address| *address != 0);
    // SAFETY: functions of the C++ library with these types; the exception is alive as long as its handler runs.
    unsafe {
        let current = transmute::<usize, unsafe extern "C" fn() -> u64>(found("__cxa_current_exception_type\0")?)();
        if current == 0 {
            return Some((None, Text::format(format_args!("std::terminate was called without an exception"))));
        }
        let text = match what(current) {
            Some(words) => Text::format(format_args!("{}: {words}", name(current))),
            None => Text::format(format_args!("{}", name(current))),
        };
        Some((Some(me().thrown), text))
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
