//! Random numbers.
//!
//! `rand`, `random` and `drand48` are the C library's own generators: their state is hidden, shared by all threads, and
//! lies in memory that a reset restores. Here they only become operations on that state. What the kernel would give
//! (`getrandom` and its like) comes from a stream per thread that depends on the plan's seed and on the thread's own
//! history alone, so that draws of different threads commute.
//!
//! Absent: `/dev/urandom`, which is a file like others.

use super::errno::{EINVAL, fail};
use crate::abi::access::{joined_range, range};
use crate::interpose::caller;
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

/// Functions on hidden state: an operation, then the C library's own.
macro_rules! shared {
    ($(fn $name:ident($($a:ident : $t:ty),*) $(-> $r:ty)?;)*) => {
        interpose! {$(
            fn $name($($a: $t),*) $(-> $r)? {
                hidden(caller());
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
    fn rand() -> i32;
    fn srand(seed: u32);
    fn random() -> i64;
    fn srandom(seed: u32);
    fn initstate(seed: u32, state: u64, size: usize) -> u64;
    fn setstate(state: u64) -> u64;
    fn drand48() -> f64;
    fn lrand48() -> i64;
    fn mrand48() -> i64;
    fn srand48(seed: i64);
    fn seed48(seed: u64) -> u64;
    fn lcong48(parameters: u64);
}

// ABI: stdlib.h. `struct random_data` has 48 bytes, `struct drand48_data` 24, the state of `erand48` 6.
passed! {
    fn rand_r(seed 4; seed: u64) -> i32;
    fn random_r(state 48; state: u64, result: u64 => result 4) -> i32;
    fn srandom_r(state 48; seed: u32, state: u64) -> i32;
    fn initstate_r(state 48; seed: u32, buffer: u64, size: usize, state: u64 => buffer 8) -> i32;
    fn setstate_r(state 48; buffer: u64, state: u64 => buffer 8) -> i32;
    fn erand48(state 6; state: u64) -> f64;
    fn nrand48(state 6; state: u64) -> i64;
    fn jrand48(state 6; state: u64) -> i64;
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
