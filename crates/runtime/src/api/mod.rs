//! The program's side: the threading API and everything else of the C library that is stood in for.

pub mod about;
pub mod awaited;
pub mod barrier;
pub mod c11;
pub mod cleanup;
pub mod clock;
pub mod cond;
pub mod fini;
pub mod futex;
pub mod handlers;
pub mod header;
pub mod jump;
pub mod keys;
pub mod load;
pub mod looks;
pub mod lookup;
#[macro_use]
pub mod malloc;
pub mod mutex;
mod new;
pub mod once;
pub mod process;
pub mod random;
pub mod refused;
pub mod rwlock;
pub mod sem;
pub mod signal;
pub mod spin;
pub mod standard;
pub mod thread;
pub mod usable;
mod watched;

use crate::abi::access::{joined_range, range};
use crate::state::me;
use crate::{record, time};
use gabion_trace::{AccessKind, Address, OpKind};

/// Error numbers of the C library.
pub mod errno {
    pub const EPERM: i32 = 1;
    pub const ESRCH: i32 = 3;
    pub const EINTR: i32 = 4;
    pub const EAGAIN: i32 = 11;
    pub const ENOMEM: i32 = 12;
    pub const EFAULT: i32 = 14;
    pub const EBUSY: i32 = 16;
    pub const EINVAL: i32 = 22;
    pub const ERANGE: i32 = 34;
    pub const EDEADLK: i32 = 35;
    pub const ENOSYS: i32 = 38;
    pub const EOVERFLOW: i32 = 75;
    pub const ETIMEDOUT: i32 = 110;
    pub const EOWNERDEAD: i32 = 130;
    pub const ENOTRECOVERABLE: i32 = 131;

    unsafe extern "C" {
        // ABI: the address of the calling thread's errno.
        fn __errno_location() -> *mut i32;
    }

    /// Sets the running fiber's `errno` and gives −1, as most of the C library does.
    pub fn fail(error: i32) -> i32 {
        // SAFETY: thread-local, of the running fiber.
        unsafe { *__errno_location() = error };
        -1
    }

    /// The running fiber's `errno`, for calls that must leave it as it was.
    pub fn get() -> i32 {
        // SAFETY: thread-local, of the running fiber.
        unsafe { *__errno_location() }
    }
    pub fn set(value: i32) {
        // SAFETY: as above.
        unsafe { *__errno_location() = value };
    }
}

/// `struct timespec`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

impl Timespec {
    /// Is the fraction in range?
    pub fn valid(&self) -> bool {
        (0..1_000_000_000).contains(&self.nanoseconds)
    }
    /// In nanoseconds; what lies before the epoch counts as the epoch.
    pub fn total(&self) -> u64 {
        (self.seconds.max(0) as u64).saturating_mul(1_000_000_000).saturating_add(self.nanoseconds as u64)
    }
}

pub const CLOCK_REALTIME: i32 = 0;
pub const CLOCK_MONOTONIC: i32 = 1;

/// Virtual time at which an absolute deadline on a clock lies.
pub fn deadline(clock: i32, at: &Timespec) -> u64 {
    at.total().saturating_sub(clock::origin(clock).unwrap_or(0))
}

/// May timed waits be measured on it?
pub fn waits_on(clock: i32) -> bool {
    clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC
}

/// A call that has had its point reads an object's attributes, of that many bytes; null is allowed.
pub fn reads_attributes(attributes: u64, size: u64, pc: u64) {
    if attributes != 0 {
        after_point(attributes, size, AccessKind::READ, pc);
    }
}

/// A call that has had its point touches the program's memory.
pub fn after_point(at: u64, size: u64, kind: AccessKind, pc: u64) {
    (me().pointed, me().pointed_at) = (true, 0);
    joined_range(at, size, kind, pc);
}

/// When a timed wait ends, in virtual time; an error number if the clock or the program's deadline is not valid. The
/// call has had its point.
pub fn moment(clock: i32, until: *const Timespec, pc: u64) -> Result<u64, i32> {
    if !waits_on(clock) {
        return Err(errno::EINVAL);
    }
    after_point(until as u64, size_of::<Timespec>() as u64, AccessKind::READ, pc);
    // SAFETY: the program's deadline.
    let until = unsafe { until.read() };
    if until.valid() { Ok(deadline(clock, &until)) } else { Err(errno::EINVAL) }
}

/// An operation that gives an error: records it.
pub fn failed(op: OpKind, object: Address, error: i32, pc: u64) -> i32 {
    record::op(op, object, error as u32, pc);
    error
}

/// A timed wait that ends by time.
pub fn timed_out(op: OpKind, object: Address, at: u64, pc: u64) -> i32 {
    time::reach(at);
    failed(op, object, errno::ETIMEDOUT, pc)
}

/// A call's result goes to the program's variable, as if the program wrote it; null is allowed. This is the call's
/// point.
pub fn put<T>(to: *mut T, value: T, pc: u64) {
    if !to.is_null() {
        range(to as u64, size_of::<T>() as u64, AccessKind::WRITE, pc);
        // SAFETY: the program's variable.
        unsafe { to.write_unaligned(value) }
    }
}

/// As [`put`], for a call that has had its point.
pub fn put_joined<T>(to: *mut T, value: T, pc: u64) {
    if !to.is_null() {
        after_point(to as u64, size_of::<T>() as u64, AccessKind::WRITE, pc);
        // SAFETY: the program's variable.
        unsafe { to.write_unaligned(value) }
    }
}
