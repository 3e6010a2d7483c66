//! Attributes of threads, mutexes and the rest: functions that only read or write the program's objects.
//!
//! Missed: what `pthread_attr_setaffinity_np` and `pthread_attr_setsigmask_np` allocate.

use super::pass::{Call, Then};
use super::touch::{self, R, W};
use crate::api::about::ATTRIBUTE_SIZE as THREAD;
use crate::interpose::cached;
use core::sync::atomic::AtomicUsize;

/// Bytes of the other attribute objects.
// ABI: bits/pthreadtypes-arch.h; `pthread_rwlockattr_t` has 8.
const OTHER: u64 = 4;
const RWLOCK: u64 = 8;
/// A `sigset_t`.
const SIGNALS: u64 = 128;

/// The object is filled in or changed.
fn sets(size: u64, c: &Call) -> Then {
    touch::all(&[(c.a[0], size, W)], c.pc());
    Then::Pass
}

/// The same from memory of the program's.
fn sets_from(from: (u64, u64), c: &Call) -> Then {
    touch::all(&[(c.a[0], THREAD, W), (from.0, from.1, R)], c.pc());
    Then::Pass
}

/// The object is read, and something of it written where the second argument says.
fn gets(size: u64, result: u64, c: &Call) -> Then {
    touch::all(&[(c.a[1], result, W), (c.a[0], size, R)], c.pc());
    Then::Pass
}

/// The same with two results.
fn gets_two(c: &Call) -> Then {
    touch::all(&[(c.a[1], 8, W), (c.a[2], 8, W), (c.a[0], THREAD, R)], c.pc());
    Then::Pass
}

fn gets_set(c: &Call) -> Then {
    touch::all(&[(c.a[2], c.a[1], W), (c.a[0], THREAD, R)], c.pc());
    Then::Pass
}

// ABI: pthread.h, of threads
pass! {
    pthread_attr_init => |c, _| sets(THREAD, c);
    pthread_attr_destroy => |c, _| sets(THREAD, c);
    pthread_attr_setdetachstate => |c, _| sets(THREAD, c);
    pthread_attr_setguardsize => |c, _| sets(THREAD, c);
    pthread_attr_setinheritsched => |c, _| sets(THREAD, c);
    pthread_attr_setschedpolicy => |c, _| sets(THREAD, c);
    pthread_attr_setscope => |c, _| sets(THREAD, c);
    pthread_attr_setstack => |c, _| sets(THREAD, c);
    pthread_attr_setstackaddr => |c, _| sets(THREAD, c);
    pthread_attr_setstacksize => |c, _| sets(THREAD, c);
    pthread_attr_setschedparam => |c, _| sets_from((c.a[1], 4), c);
    pthread_attr_setaffinity_np => |c, _| sets_from((c.a[2], c.a[1]), c);
    pthread_attr_setsigmask_np => |c, _| sets_from((c.a[1], SIGNALS), c);
    pthread_attr_getdetachstate => |c, _| gets(THREAD, 4, c);
    pthread_attr_getguardsize => |c, _| gets(THREAD, 8, c);
    pthread_attr_getinheritsched => |c, _| gets(THREAD, 4, c);
    pthread_attr_getschedparam => |c, _| gets(THREAD, 4, c);
    pthread_attr_getschedpolicy => |c, _| gets(THREAD, 4, c);
    pthread_attr_getscope => |c, _| gets(THREAD, 4, c);
    pthread_attr_getstackaddr => |c, _| gets(THREAD, 8, c);
    pthread_attr_getstacksize => |c, _| gets(THREAD, 8, c);
    pthread_attr_getsigmask_np => |c, _| gets(THREAD, SIGNALS, c);
    pthread_attr_getstack => |c, _| gets_two(c);
    pthread_attr_getaffinity_np => |c, _| gets_set(c);
}

// ABI: pthread.h, of mutexes
pass! {
    pthread_mutexattr_init => |c, _| sets(OTHER, c);
    __pthread_mutexattr_init => |c, _| sets(OTHER, c);
    pthread_mutexattr_destroy => |c, _| sets(OTHER, c);
    __pthread_mutexattr_destroy => |c, _| sets(OTHER, c);
    pthread_mutexattr_settype => |c, _| sets(OTHER, c);
    __pthread_mutexattr_settype => |c, _| sets(OTHER, c);
    pthread_mutexattr_setkind_np => |c, _| sets(OTHER, c);
    pthread_mutexattr_setprioceiling => |c, _| sets(OTHER, c);
    pthread_mutexattr_setprotocol => |c, _| sets(OTHER, c);
    pthread_mutexattr_setpshared => |c, _| sets(OTHER, c);
    pthread_mutexattr_setrobust => |c, _| sets(OTHER, c);
    pthread_mutexattr_setrobust_np => |c, _| sets(OTHER, c);
    pthread_mutexattr_gettype => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getkind_np => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getprioceiling => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getprotocol => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getpshared => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getrobust => |c, _| gets(OTHER, 4, c);
    pthread_mutexattr_getrobust_np => |c, _| gets(OTHER, 4, c);
}

// ABI: pthread.h, of condition variables, reader-writer locks and barriers
pass! {
    pthread_condattr_init => |c, _| sets(OTHER, c);
    pthread_condattr_destroy => |c, _| sets(OTHER, c);
    pthread_condattr_setclock => |c, _| sets(OTHER, c);
    pthread_condattr_setpshared => |c, _| sets(OTHER, c);
    pthread_condattr_getclock => |c, _| gets(OTHER, 4, c);
    pthread_condattr_getpshared => |c, _| gets(OTHER, 4, c);
    pthread_rwlockattr_init => |c, _| sets(RWLOCK, c);
    pthread_rwlockattr_destroy => |c, _| sets(RWLOCK, c);
    pthread_rwlockattr_setkind_np => |c, _| sets(RWLOCK, c);
    pthread_rwlockattr_setpshared => |c, _| sets(RWLOCK, c);
    pthread_rwlockattr_getkind_np => |c, _| gets(RWLOCK, 4, c);
    pthread_rwlockattr_getpshared => |c, _| gets(RWLOCK, 4, c);
    pthread_barrierattr_init => |c, _| sets(OTHER, c);
    pthread_barrierattr_destroy => |c, _| sets(OTHER, c);
    pthread_barrierattr_setpshared => |c, _| sets(OTHER, c);
    pthread_barrierattr_getpshared => |c, _| gets(OTHER, 4, c);
}

/// A function of the C library's on a thread's attributes, called by the runtime itself.
pub struct Real(&'static str, AtomicUsize);

impl Real {
    const fn new(name: &'static str) -> Real {
        Real(name, AtomicUsize::new(0))
    }

    /// Calls it; 0, or an error number.
    pub fn call(&self, attributes: u64, first: u64, second: u64) -> i32 {
        type Function = unsafe extern "C" fn(u64, u64, u64) -> i32;
        // SAFETY: each has at most these arguments, pointers or integers; a superfluous one does no harm.
        unsafe { core::mem::transmute::<usize, Function>(cached(&self.1, self.0))(attributes, first, second) }
    }
}

pub static INIT: Real = Real::new("pthread_attr_init\0");
pub static GET_DETACHED: Real = Real::new("pthread_attr_getdetachstate\0");
pub static GET_STACK: Real = Real::new("pthread_attr_getstack\0");
pub static SET_STACK: Real = Real::new("pthread_attr_setstack\0");
pub static SET_DETACHED: Real = Real::new("pthread_attr_setdetachstate\0");
pub static SET_GUARD: Real = Real::new("pthread_attr_setguardsize\0");
