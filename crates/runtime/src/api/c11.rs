//! C11 threads, on top of the POSIX ones: glibc's types are the same underneath.

use super::errno::{EBUSY, ENOMEM, ETIMEDOUT};
use super::{CLOCK_REALTIME, Timespec, clock, cond, keys, mutex, once, put_joined, thread};
use crate::interpose::caller;
use crate::tls;

const SUCCESS: i32 = 0;
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const NO_MEMORY: i32 = 3;
const TIMED_OUT: i32 = 4;

/// A POSIX error number as C11 says it.
fn result(error: i32) -> i32 {
    match error {
        0 => SUCCESS,
        EBUSY => BUSY,
        ENOMEM => NO_MEMORY,
        ETIMEDOUT => TIMED_OUT,
        _ => ERROR,
    }
}

// ABI: threads.h. A thread's int travels in the lower half of its pointer-sized result.
interpose! {
    fn thrd_create(handle: *mut u64, function: u64, argument: u64) -> i32 {
        result(thread::create(handle, core::ptr::null(), function, argument, caller()))
    }
    fn thrd_join(handle: u64, to: *mut i32) -> i32 {
        let pc = caller();
        result(thread::join("thrd_join", handle, |value| put_joined(to, value as i32, pc), pc))
    }
    fn thrd_detach(handle: u64) -> i32 { result(thread::detach("thrd_detach", handle, caller())) }
    fn thrd_exit(value: i32) { super::cleanup::exit(value as i64 as u64) }
}

// ABI: threads.h. `mtx_t` is a `pthread_mutex_t`, `cnd_t` a `pthread_cond_t`.
interpose! {
    fn mtx_init(m: u64, kind: i32) -> i32 {
        let pc = caller();
        if kind & !3 != 0 {
            return ERROR;
        }
        // `mtx_recursive` is also the kind of a recursive mutex.
        result(mutex::initialise(m, kind as u32 & mutex::RECURSIVE, 0, pc))
    }
    fn mtx_destroy(m: u64) { mutex::destroy(m, caller()); }

    fn cnd_init(c: u64) -> i32 {
        cond::initialise(c, core::ptr::null(), caller());
        SUCCESS
    }
    fn cnd_wait(c: u64, m: u64) -> i32 { result(cond::wait(c, m, caller())) }
    fn cnd_signal(c: u64) -> i32 { result(cond::signal(c, caller())) }
    fn cnd_broadcast(c: u64) -> i32 { result(cond::broadcast(c, caller())) }
    fn cnd_destroy(c: u64) { cond::destroy(c, caller()) }
}

// ABI: threads.h. `tss_t` is a `pthread_key_t`, `once_flag` a `pthread_once_t`.
interpose! {
    fn tss_create(key: *mut u32, destructor: u64) -> i32 {
        result(keys::create(key, destructor, caller()))
    }
    fn tss_delete(key: u32) { keys::delete(key, caller()); }
    fn tss_get(key: u32) -> u64 { keys::get(key, caller()) }
    fn tss_set(key: u32, value: u64) -> i32 { result(keys::set(key, value, caller())) }
    fn call_once(flag: u64, function: u64) { once::run(flag, function, caller()) }
}

// ABI: threads.h. May be polled, or change nothing.
interpose_open! {
    fn cnd_timedwait(c: u64, m: u64, until: *const Timespec) -> i32 {
        result(cond::timed_wait(c, m, cond::Measure::Clock(CLOCK_REALTIME), until, caller()))
    }
    fn mtx_lock(m: u64) -> i32 { result(mutex::lock(m, caller())) }
    fn mtx_unlock(m: u64) -> i32 { result(mutex::unlock(m, caller())) }
    fn thrd_current() -> u64 { tls::thread_pointer() }
    fn thrd_equal(a: u64, b: u64) -> i32 { i32::from(a == b) }
    fn thrd_yield() { thread::give_way(caller()) }
    fn thrd_sleep(request: *const Timespec, _left: *mut Timespec) -> i32 {
        if clock::sleep(CLOCK_REALTIME, 0, request, caller()) == 0 { 0 } else { -2 }
    }
    fn mtx_trylock(m: u64) -> i32 { result(mutex::try_lock(m, caller())) }
    fn mtx_timedlock(m: u64, until: *const Timespec) -> i32 {
        result(mutex::timed_lock(m, CLOCK_REALTIME, until, caller()))
    }
}
