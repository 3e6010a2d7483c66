//! Random numbers.
//!
//! `rand`, `random` and `drand48` are the C library's own generators: their state is hidden, shared by all threads, and
//! lies in memory that a reset restores. Here they only become operations on that state. What the kernel would give
//! (`getrandom` and its like) comes from a stream per thread that depends on the plan's seed and on the thread's own
//! history alone, so that draws of different threads commute.
//!
//! Absent: `/dev/urandom`, which is a file like others.

use super::after_point;
use super::errno::{EINVAL, fail};
use crate::abi::access::{joined_range, point, range};
use crate::interpose::caller;
use crate::libc::{multiplier, protected_point};
use crate::state::me;
use crate::{record, sched};
use gabion_trace::{AccessKind, Address, OpKind, Pseudo};

const EIO: i32 = 5;
/// Largest request of `getentropy`.
const ENTROPY_MAX: usize = 256;
/// GRND_NONBLOCK, GRND_RANDOM, GRND_INSECURE.
const FLAGS: u32 = 7;

/// The next number of the running thread's stream (splitmix64).
fn draw() -> u64 {
    let f = me();
    f.random = f.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut x = f.random;
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Fills memory of the program.
fn fill(to: *mut u8, length: usize, pc: u64) {
    range(to as u64, length as u64, AccessKind::WRITE, pc);
    let mut done = 0;
    while done < length {
        let piece = draw().to_le_bytes();
        let n = piece.len().min(length - done);
        // SAFETY: the program's buffer has this length.
        unsafe { core::ptr::copy_nonoverlapping(piece.as_ptr(), to.add(done), n) };
        done += n;
    }
}

/// `getrandom`.
pub fn get(to: *mut u8, length: usize, flags: u32, pc: u64) -> isize {
    if flags & !FLAGS != 0 || flags & 6 == 6 {
        return fail(EINVAL) as isize;
    }
    let length = length.min(i32::MAX as usize);
    fill(to, length, pc);
    length as isize
}

/// A call that uses the hidden generators.
fn hidden(pc: u64) {
    let object = Address::pseudo(Pseudo::Random);
    sched::reach(OpKind::Hidden, object, pc);
    record::op(OpKind::Hidden, object, 0, pc);
}

/// The same of the generator behind `rand` and `random`, whose state the program may have put into memory of its own.
fn hidden_state(pc: u64) {
    hidden(pc);
    let (at, length) = *crate::libc::random_state();
    if at != 0 {
        after_point(at, length, AccessKind::UPDATE, pc);
    }
}

/// Bytes of a generator's state, by its type. Before that it has its type, and how far it has come.
// ABI: glibc, stdlib/random.c.
const STATES: [u64; 5] = [8, 32, 64, 128, 256];

/// The type of generator that a state of so many bytes gets.
fn state_for(size: u64) -> u64 {
    STATES.iter().rev().copied().find(|bytes| *bytes <= size).unwrap_or(0)
}

/// From now on `random` works on this memory.
fn works_on(at: u64, length: u64) {
    *crate::libc::random_state() = (at, length);
}

/// Functions on hidden state: an operation, then the C library's own.
macro_rules! shared {
    ($touch:ident; $(fn $name:ident($($a:ident : $t:ty),*) $(-> $r:ty)?;)*) => {
        interpose! {$(
            fn $name($($a: $t),*) $(-> $r)? {
                $touch(caller());
                // SAFETY: the program's arguments.
                unsafe { real!($name: fn($($t),*) $(-> $r)?)($($a),*) }
            }
        )*}
    };
}

/// Functions on state that the program passes: an update of that many bytes, and a write of the result if one is given.
macro_rules! passed {
    ($(fn $name:ident($state:ident $size:literal; $($a:ident : $t:ty),* $(=> $out:ident $bytes:literal)?) -> $r:ty;)*) => {
        interpose! {$(
            fn $name($($a: $t),*) -> $r {
                let _pc = caller();
                range($state, $size, AccessKind::UPDATE, _pc);
                $(joined_range($out, $bytes, AccessKind::WRITE, _pc);)?
                // SAFETY: the program's arguments.
                unsafe { real!($name: fn($($t),*) -> $r)($($a),*) }
            }
        )*}
    };
}

// ABI: stdlib.h. All share Pseudo::Random, as the C library's locks would have it.
shared! {
    hidden_state;
    fn rand() -> i32;
    fn srand(seed: u32);
    fn random() -> i64;
    fn srandom(seed: u32);
}
shared! {
    hidden;
    fn drand48() -> f64;
    fn lrand48() -> i64;
    fn mrand48() -> i64;
}

// ABI: stdlib.h. The state goes to memory of the program's, and what that held before is put in order.
interpose! {
    fn initstate(seed: u32, state: u64, size: usize) -> u64 {
        let pc = caller();
        hidden_state(pc);
        let length = state_for(size as u64);
        if length != 0 {
            after_point(state, length, AccessKind::WRITE, pc);
            works_on(state, length);
        }
        // SAFETY: the program's arguments.
        unsafe { real!(initstate: fn(u32, u64, usize) -> u64)(seed, state, size) }
    }
    fn setstate(state: u64) -> u64 {
        let pc = caller();
        hidden_state(pc);
        if state == 0 {
            fail(EINVAL);
            return 0;
        }
        after_point(state, 4, AccessKind::READ, pc);
        // SAFETY: the program's arguments, of which the library reads the first word too.
        let (kind, before) = unsafe { (*(state as *const u32) % 5, real!(setstate: fn(u64) -> u64)(state)) };
        if before != 0 {
            works_on(state, STATES[kind as usize]);
            after_point(state, STATES[kind as usize], AccessKind::UPDATE, pc);
        }
        before
    }
}

/// Changes of the multiplier and the addend: by what the program passes, of so many bytes; the former value of `seed48` is static.
fn reseeds(from: u64, bytes: u64, pc: u64) {
    hidden(pc);
    if from != 0 {
        after_point(from, bytes, AccessKind::READ, pc);
    }
    after_point(multiplier(), 8, AccessKind::WRITE.with(AccessKind::ATOMIC), pc);
}

// ABI: stdlib.h
interpose! {
    fn srand48(seed: i64) {
        reseeds(0, 0, caller());
        // SAFETY: the program's argument.
        unsafe { real!(srand48: fn(i64))(seed) }
    }
    fn seed48(seed: u64) -> u64 {
        let pc = caller();
        reseeds(seed, 6, pc);
        // SAFETY: the program's argument.
        let before = unsafe { real!(seed48: fn(u64) -> u64)(seed) };
        after_point(before, 6, AccessKind::WRITE, pc);
        before
    }
    fn lcong48(parameters: u64) {
        reseeds(parameters, 14, caller());
        // SAFETY: the program's argument.
        unsafe { real!(lcong48: fn(u64))(parameters) }
    }
}

/// Functions on a number that the program passes, with the multiplier and the addend that all share.
macro_rules! multiplied {
    ($(fn $name:ident -> $r:ty;)*) => {
        interpose! {$(
            fn $name(state: u64) -> $r {
                let pc = caller();
                if !protected_point(&[(multiplier(), AccessKind::READ)], pc) {
                    point(state, AccessKind::UPDATE, pc);
                }
                joined_range(state, 6, AccessKind::UPDATE, pc);
                joined_range(multiplier(), 8, AccessKind::READ.with(AccessKind::ATOMIC), pc);
                // SAFETY: the program's arguments.
                unsafe { real!($name: fn(u64) -> $r)(state) }
            }
        )*}
    };
}

// ABI: stdlib.h
multiplied! {
    fn erand48 -> f64;
    fn nrand48 -> i64;
    fn jrand48 -> i64;
}

// ABI: stdlib.h. `struct random_data` has 48 bytes, `struct drand48_data` 24, the number of `erand48_r` 6.
passed! {
    fn rand_r(seed 4; seed: u64) -> i32;
    fn random_r(state 48; state: u64, result: u64 => result 4) -> i32;
    fn srandom_r(state 48; seed: u32, state: u64) -> i32;
    fn initstate_r(state 48; seed: u32, buffer: u64, size: usize, state: u64 => buffer 8) -> i32;
    fn setstate_r(state 48; buffer: u64, state: u64 => buffer 8) -> i32;
    fn drand48_r(state 24; state: u64, result: u64 => result 8) -> i32;
    fn lrand48_r(state 24; state: u64, result: u64 => result 8) -> i32;
    fn mrand48_r(state 24; state: u64, result: u64 => result 8) -> i32;
    fn erand48_r(state 6; state: u64, buffer: u64, result: u64 => result 8) -> i32;
    fn nrand48_r(state 6; state: u64, buffer: u64, result: u64 => result 8) -> i32;
    fn jrand48_r(state 6; state: u64, buffer: u64, result: u64 => result 8) -> i32;
    fn srand48_r(state 24; seed: i64, state: u64) -> i32;
    fn seed48_r(state 24; seed: u64, state: u64) -> i32;
    fn lcong48_r(state 24; parameters: u64, state: u64) -> i32;
}

// ABI: sys/random.h, stdlib.h
interpose! {
    fn getrandom(to: *mut u8, length: usize, flags: u32) -> isize { get(to, length, flags, caller()) }
    fn getentropy(to: *mut u8, length: usize) -> i32 {
        let pc = caller();
        if length > ENTROPY_MAX {
            return fail(EIO);
        }
        fill(to, length, pc);
        0
    }
    fn arc4random() -> u32 { draw() as u32 }
    fn arc4random_uniform(bound: u32) -> u32 {
        // The high half of a product of 64 bits: off by less than one in four thousand million.
        if bound == 0 { 0 } else { (((draw() >> 32) * u64::from(bound)) >> 32) as u32 }
    }
    fn arc4random_buf(to: *mut u8, length: usize) { fill(to, length, caller()) }
}
