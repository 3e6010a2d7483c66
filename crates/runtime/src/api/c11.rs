//! C11 threads, on top of the POSIX ones: glibc's types are the same underneath.

use super::errno::{EBUSY, EINVAL, ENOMEM, ETIMEDOUT};
use super::{CLOCK_REALTIME, Timespec, clock, cond, deadline, keys, mutex, once, thread};
use crate::interpose::caller;
use crate::{record, sched, tls};
use gabion_trace::{Address, OpKind};

const SUCCESS: i32 = 0;
const BUSY: i32 = 1;
const ERROR: i32 = 2;
const NO_MEMORY: i32 = 3;
const TIMED_OUT: i32 = 4;

const MUTEX_SIZE: usize = 40;
const COND_SIZE: usize = 48;
/// Where a mutex has its kind; `mtx_recursive` is also the kind of a recursive mutex.
const MUTEX_KIND: u64 = 16;
const RECURSIVE: u32 = 1;

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

/// A new object: zero but for what its kind asks for.
fn fresh(op: OpKind, at: u64, size: usize, pc: u64) {
    manage(op, at, pc);
    // SAFETY: the program's object.
    unsafe { core::ptr::write_bytes(at as *mut u8, 0, size) };
}

fn manage(op: OpKind, at: u64, pc: u64) {
    sched::reach(op, Address::object(at), pc);
    record::op(op, Address::object(at), 0, pc);
}

// ABI: threads.h. A thread's int travels in the lower half of its pointer-sized result.
interpose! {
    fn thrd_create(handle: *mut u64, function: u64, argument: u64) -> i32 {
        result(thread::create(handle, core::ptr::null(), function, argument, caller()))
    }
    fn thrd_join(handle: u64, to: *mut i32) -> i32 {
        let mut value = 0;
        let error = thread::join(handle, &mut value, caller());
        if error == 0 && !to.is_null() {
            // SAFETY: the program's variable.
            unsafe { *to = value as i32 };
        }
        result(error)
    }
    fn thrd_detach(handle: u64) -> i32 { result(thread::detach(handle, caller())) }
    fn thrd_exit(value: i32) { thread::end(value as i64 as u64) }
    fn thrd_current() -> u64 { tls::thread_pointer() }
    fn thrd_equal(a: u64, b: u64) -> i32 { i32::from(a == b) }
    fn thrd_yield() { thread::give_way(caller()) }
    fn thrd_sleep(request: *const Timespec, _left: *mut Timespec) -> i32 {
        if clock::sleep(CLOCK_REALTIME, 0, request, caller()) == 0 { 0 } else { -2 }
    }
}

// ABI: threads.h. `mtx_t` is a `pthread_mutex_t`, `cnd_t` a `pthread_cond_t`.
interpose! {
    fn mtx_init(m: u64, kind: i32) -> i32 {
        let pc = caller();
        if kind & !3 != 0 {
            return ERROR;
        }
        fresh(OpKind::MutexManage, m, MUTEX_SIZE, pc);
        // SAFETY: the program's mutex.
        unsafe { *((m + MUTEX_KIND) as *mut u32) = kind as u32 & RECURSIVE };
        SUCCESS
    }
    fn mtx_lock(m: u64) -> i32 { result(mutex::lock(m, caller())) }
    fn mtx_trylock(m: u64) -> i32 { result(mutex::try_lock(m, caller())) }
    fn mtx_timedlock(m: u64, until: *const Timespec) -> i32 {
        result(mutex::timed_lock(m, CLOCK_REALTIME, until, caller()))
    }
    fn mtx_unlock(m: u64) -> i32 { result(mutex::unlock(m, caller())) }
    fn mtx_destroy(m: u64) { manage(OpKind::MutexManage, m, caller()) }

    fn cnd_init(c: u64) -> i32 {
        fresh(OpKind::CondManage, c, COND_SIZE, caller());
        SUCCESS
    }
    fn cnd_wait(c: u64, m: u64) -> i32 { result(cond::wait(c, m, cond::Until::Forever, caller())) }
    fn cnd_timedwait(c: u64, m: u64, until: *const Timespec) -> i32 {
        let pc = caller();
        // SAFETY: the program's deadline.
        let until = unsafe { &*until };
        if !until.valid() {
            return result(EINVAL);
        }
        result(cond::wait(c, m, cond::Until::Time(deadline(CLOCK_REALTIME, until)), pc))
    }
    fn cnd_signal(c: u64) -> i32 { result(cond::signal(c, caller())) }
    fn cnd_broadcast(c: u64) -> i32 { result(cond::broadcast(c, caller())) }
    fn cnd_destroy(c: u64) { manage(OpKind::CondManage, c, caller()) }
}

// ABI: threads.h. `tss_t` is a `pthread_key_t`, `once_flag` a `pthread_once_t`.
interpose! {
    fn tss_create(key: *mut u32, destructor: u64) -> i32 {
        match keys::create(destructor) {
            Ok(new) => {
                // SAFETY: the program's variable.
                unsafe { *key = new };
                SUCCESS
            }
            Err(error) => result(error),
        }
    }
    fn tss_delete(key: u32) { keys::delete(key); }
    fn tss_get(key: u32) -> u64 { keys::get(key) }
    fn tss_set(key: u32, value: u64) -> i32 { result(keys::set(key, value)) }
    fn call_once(flag: u64, function: u64) { once::run(flag, function, caller()) }
}
