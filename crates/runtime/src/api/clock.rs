//! Clocks and sleeping, all in virtual time.
//!
//! Reading a clock is no visible operation: a thread's time depends only on what it did and whom it synchronised with.
//! Sleeping is a point and lets time pass; it never waits, and it orders nothing. Processor-time clocks read the same
//! virtual time from zero, so sleep counts as work there.

use super::errno::{EINVAL, EPERM, fail};
use super::{Timespec, put};
use crate::abi::access::range;
use crate::control::controlled;
use crate::interpose::caller;
use crate::time::{self, EPOCH, UPTIME};
use crate::{record, sched};
use gabion_trace::{AccessKind, Address, OpKind};

const SECOND: u64 = 1_000_000_000;
const TIME_UTC: i32 = 1;
const TIMER_ABSTIME: i32 = 1;
const THREAD_CPU_TIME: i32 = 3;
/// Ticks of `times` are this long.
const TICK: u64 = SECOND / 100;

/// A clock's reading at virtual time 0; None: there is no such clock.
pub fn origin(clock: i32) -> Option<u64> {
    match clock {
        0 | 5 | 8 | 11 => Some(EPOCH),
        1 | 4 | 6 | 7 | 9 => Some(UPTIME),
        2 | 3 => Some(0),
        _ if clock < 0 => Some(0), // the processor clock of a process or thread
        _ => None,
    }
}

fn split(nanoseconds: u64) -> Timespec {
    Timespec { seconds: (nanoseconds / SECOND) as i64, nanoseconds: (nanoseconds % SECOND) as i64 }
}

/// The duration or moment that the program asks for.
fn take(from: *const Timespec, pc: u64) -> Timespec {
    range(from as u64, size_of::<Timespec>() as u64, AccessKind::READ, pc);
    // SAFETY: the program's variable.
    unsafe { from.read() }
}

fn asleep(pc: u64) {
    sched::reach(OpKind::Sleep, Address(0), pc);
    record::op(OpKind::Sleep, Address(0), 0, pc);
}

/// Sleeps for some virtual time.
pub fn sleep_for(nanoseconds: u64, pc: u64) {
    asleep(pc);
    time::pass(nanoseconds);
}

/// `clock_nanosleep`: 0 or an error number.
pub fn sleep(clock: i32, flags: i32, request: *const Timespec, pc: u64) -> i32 {
    let Some(zero) = origin(clock).filter(|_| clock != THREAD_CPU_TIME) else { return EINVAL };
    let wanted = take(request, pc);
    if !wanted.valid() || (wanted.seconds < 0 && flags & TIMER_ABSTIME == 0) {
        return EINVAL;
    }
    if flags & TIMER_ABSTIME != 0 {
        asleep(pc);
        time::reach(wanted.total().saturating_sub(zero));
    } else {
        sleep_for(wanted.total(), pc);
    }
    0
}

/// `clock_gettime`.
pub fn get(clock: i32, to: *mut Timespec, pc: u64) -> i32 {
    let Some(zero) = origin(clock) else { return fail(EINVAL) };
    put(to, split(zero + time::look()), pc);
    0
}

#[repr(C)]
struct Timeval {
    seconds: i64,
    microseconds: i64,
}

impl Timeval {
    fn new(nanoseconds: u64) -> Self {
        Timeval { seconds: (nanoseconds / SECOND) as i64, microseconds: (nanoseconds % SECOND / 1000) as i64 }
    }
}

/// `gettimeofday`. The time zone is Greenwich's.
pub fn time_of_day(to: *mut u8, zone: *mut [i32; 2], pc: u64) -> i32 {
    put(to.cast(), Timeval::new(EPOCH + time::look()), pc);
    put(zone, [0; 2], pc);
    0
}

/// `time`.
pub fn seconds(to: *mut i64, pc: u64) -> i64 {
    let now = ((EPOCH + time::look()) / SECOND) as i64;
    put(to, now, pc);
    now
}

/// Most memory that the program is told to have had, in kilobytes.
const RESIDENT: i64 = 8192;

/// `struct rusage`: processor time, and fourteen counters, all but the first of which stay 0.
#[repr(C)]
struct Usage {
    user: Timeval,
    system: Timeval,
    counters: [i64; 14],
}

/// `struct timeb`.
#[repr(C)]
struct Timeb {
    seconds: i64,
    milliseconds: u16,
    zone: i16,
    summer: i16,
}

// ABI: time.h, sys/time.h, sys/times.h, sys/resource.h
interpose! {
    fn clock_getres(clock: i32, to: *mut Timespec) -> i32 {
        let pc = caller();
        if origin(clock).is_none() {
            return fail(EINVAL);
        }
        put(to, split(1), pc);
        0
    }
    fn clock_settime(clock: i32, _to: *const Timespec) -> i32 {
        fail(if origin(clock).is_some() { EPERM } else { EINVAL })
    }
    fn settimeofday(_to: *const u8, _zone: *const u8) -> i32 { fail(EPERM) }
    fn adjtime(_delta: *const u8, _old: *mut u8) -> i32 { fail(EPERM) }
    fn timespec_get(to: *mut Timespec, base: i32) -> i32 {
        let pc = caller();
        if base != TIME_UTC {
            return 0;
        }
        put(to, split(EPOCH + time::look()), pc);
        base
    }
    fn timespec_getres(to: *mut Timespec, base: i32) -> i32 {
        let pc = caller();
        if base != TIME_UTC {
            return 0;
        }
        put(to, split(1), pc);
        base
    }
    fn clock() -> i64 { (time::look() / 1000) as i64 }
    fn times(to: *mut [i64; 4]) -> i64 {
        let pc = caller();
        let now = time::look();
        put(to, [(now / TICK) as i64, 0, 0, 0], pc);
        ((UPTIME + now) / TICK) as i64
    }
    fn getrusage(_whose: i32, to: *mut Usage) -> i32 {
        let pc = caller();
        let mut counters = [0; 14];
        counters[0] = RESIDENT;
        put(to, Usage { user: Timeval::new(time::look()), system: Timeval::new(0), counters }, pc);
        0
    }
}

// ABI: sys/timeb.h. The C library keeps `ftime` only for old programs, where no lookup finds it: passive, it is made
// here as well.
#[unsafe(no_mangle)]
unsafe extern "C" fn ftime(to: *mut Timeb) -> i32 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    if controlled() {
        now = split(EPOCH + time::look());
    } else {
        // SAFETY: a variable of ours.
        unsafe { real!(clock_gettime: fn(i32, *mut Timespec) -> i32)(0, &mut now) };
    }
    let milliseconds = (now.nanoseconds / 1_000_000) as u16;
    // SAFETY: the program's variable.
    unsafe { *to = Timeb { seconds: now.seconds, milliseconds, zone: 0, summer: 0 } };
    0
}

// ABI: time.h, unistd.h. Nothing interrupts a sleep, so what would be left of it is never written.
interpose_open! {
    fn clock_gettime(clock: i32, to: *mut Timespec) -> i32 { get(clock, to, caller()) }
    fn gettimeofday(to: *mut u8, zone: *mut [i32; 2]) -> i32 { time_of_day(to, zone, caller()) }
    fn time(to: *mut i64) -> i64 { seconds(to, caller()) }
    fn nanosleep also __nanosleep(request: *const Timespec, _left: *mut Timespec) -> i32 {
        match sleep(super::CLOCK_REALTIME, 0, request, caller()) {
            0 => 0,
            error => fail(error),
        }
    }
    fn clock_nanosleep(clock: i32, flags: i32, request: *const Timespec, _left: *mut Timespec) -> i32 {
        sleep(clock, flags, request, caller())
    }
    fn usleep(microseconds: u32) -> i32 {
        sleep_for(u64::from(microseconds) * 1000, caller());
        0
    }
    fn sleep(seconds: u32) -> u32 {
        sleep_for(u64::from(seconds) * SECOND, caller());
        0
    }
}
