//! The program's side: the threading API and everything else of the C library that is stood in for.

pub mod barrier;
pub mod c11;
pub mod cleanup;
pub mod clock;
pub mod cond;
pub mod futex;
pub mod jump;
pub mod keys;
pub mod malloc;
pub mod mutex;
pub mod once;
pub mod process;
pub mod random;
pub mod refused;
pub mod rwlock;
pub mod sem;
pub mod signal;
pub mod spin;
pub mod thread;

/// Error numbers of the C library.
pub mod errno {
    pub const EPERM: i32 = 1;
    pub const ESRCH: i32 = 3;
    pub const EINTR: i32 = 4;
    pub const EAGAIN: i32 = 11;
    pub const ENOMEM: i32 = 12;
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

/// A clock's reading at virtual time 0.
pub fn clock_origin(clock: i32) -> u64 {
    if clock == CLOCK_REALTIME || clock == 5 || clock == 11 { crate::time::EPOCH } else { crate::time::UPTIME }
}

/// Virtual time at which an absolute deadline on a clock lies.
pub fn deadline(clock: i32, at: &Timespec) -> u64 {
    at.total().saturating_sub(clock_origin(clock))
}
