//! Functions with state that all threads share and no header shows: the environment, the working directory, messages.
//!
//! Each is an operation on the object that stands for that state. (Results in static memory: `results`; time zones: `zone`; the locale:
//! `locale`.)

use super::pass::{Call, Entry, Then};
use super::plain;
use super::touch::{self, R, W};
use gabion_trace::{AccessKind, Address, Pseudo};

unsafe extern "C" {
    // ABI: unistd.h
    static environ: u64;
}

const ENVIRONMENT: Address = Address::pseudo(Pseudo::Environment);
const WORLD: Address = Address::pseudo(Pseudo::World);

/// An operation on hidden state that reads strings.
pub fn with_strings(object: Address, strings: &[u64], c: &Call) -> Then {
    touch::hidden(object, &[(strings.first().copied().unwrap_or(0), R)], c.pc());
    for text in strings {
        touch::string(*text, c.pc());
    }
    Then::Pass
}

/// Where the list of the environment is, which programs may replace.
fn list() -> u64 {
    // SAFETY: a variable of the C library.
    unsafe { environ }
}

/// The environment as memory, of a call that has had its point: the variable that says where the list is, the list, and if it is only
/// looked at the names in it. Programs change all of that themselves; the library's functions do not race with each other.
pub fn environment(kind: AccessKind, pc: u64) {
    if !touch::watching() {
        return;
    }
    touch::protected(&raw const environ as u64, 8, kind, pc);
    let at = |index: u64| list() + 8 * index;
    // SAFETY: a list of pointers that ends in null.
    let entry = |index: u64| unsafe { *(at(index) as *const u64) };
    let count = if list() == 0 { 0 } else { (0..).find(|index| entry(*index) == 0).unwrap_or(0) };
    if list() != 0 {
        touch::protected(list(), 8 * (count + 1), kind, pc);
    }
    if !kind.writes() {
        (0..count).for_each(|index| touch::protected(entry(index), name_length(entry(index)), kind, pc));
    }
}

/// Bytes of the name in an entry, with the sign after it.
fn name_length(entry: u64) -> u64 {
    // SAFETY: a string of the environment's.
    (0..).find(|at| matches!(unsafe { *((entry + at) as *const u8) }, 0 | b'=')).unwrap_or(0) + 1
}

/// Looks for a variable, or changes one.
fn variables(kind: AccessKind, strings: &[u64], c: &Call) -> Then {
    let name = strings.first().copied().unwrap_or(0);
    touch::hidden(ENVIRONMENT, &[(name, R), (&raw const environ as u64, kind), (list(), kind)], c.pc());
    for text in strings {
        touch::string(*text, c.pc());
    }
    environment(kind, c.pc());
    Then::Pass
}

// ABI: stdlib.h
pass! {
    getenv => |c, _| variables(R, &[c.a[0]], c);
    secure_getenv => |c, _| variables(R, &[c.a[0]], c);
    setenv => |c, _| variables(W, &[c.a[0], c.a[1]], c);
    putenv => |c, _| variables(W, &[c.a[0]], c);
    unsetenv => |c, _| variables(W, &[c.a[0]], c);
    clearenv => |c, _| variables(W, &[], c);
}

/// The working directory, which all threads share, in memory of the program or new memory.
fn working_directory(c: &Call, entry: &Entry) -> Then {
    touch::hidden(WORLD, &[(c.a[0], W)], c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

// ABI: unistd.h
pass! {
    chdir => |c, _| with_strings(WORLD, &[c.a[0]], c);
    fchdir => |c, _| with_strings(WORLD, &[], c);
    getcwd => |c, entry| working_directory(c, entry);
}

fn message_into(c: &Call, entry: &Entry) -> Then {
    touch::point(&[(if c.a[2] > 0 { c.a[1] } else { 0 }, W)], c.pc());
    let result = entry.call(&c.a);
    if c.a[2] > 0 {
        let n = plain::length_within(c.a[1] as *const u8, c.a[2] as usize);
        touch::write(c.a[1], n.saturating_add(1).min(c.a[2] as usize), c.pc());
    }
    Then::Return(result)
}

// ABI: string.h
pass! {
    strerror_r => |c, e| message_into(c, e);
    __xpg_strerror_r => |c, e| message_into(c, e);
}

/// The former state goes to a variable of the program's.
fn cancellation(c: &Call) -> Then {
    if c.a[1] != 0 {
        touch::point(&[(c.a[1], W)], c.pc());
        touch::variable(c.a[1], 4, W, c.pc());
    }
    Then::Pass
}

// ABI: pthread.h. Nobody is cancelled, so the state is nobody's business.
pass! {
    pthread_setcancelstate => |c, _| cancellation(c);
    pthread_setcanceltype => |c, _| cancellation(c);
}
