//! Reader-writer locks. Readers are preferred, as glibc does by default: a read lock waits only for a writer that holds.

use super::errno::{EBUSY, EDEADLK, EINVAL, EPERM, ETIMEDOUT};
use super::mutex::after_unlock;
use super::{CLOCK_REALTIME, Timespec, deadline};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::{ThreadSet, g};
use crate::time;
use gabion_trace::{Address, OpKind};

/// Our use of a `pthread_rwlock_t` (56 bytes, static initialiser all zero).
#[repr(C)]
struct RwLock {
    readers: u32,
    /// 1 + the writing thread.
    writer: u32,
    /// Which of threads 0 to 63 hold it for reading; for reports and for finding circles.
    who: u64,
}

fn at(address: u64) -> &'static mut RwLock {
    // SAFETY: the program's lock.
    unsafe { &mut *(address as *mut RwLock) }
}

fn me() -> u32 {
    g().current as u32 + 1
}

/// A writer that asks again is told so, not blocked.
pub fn free_for_reader(address: u64, thread: usize) -> bool {
    let l = at(address);
    l.writer == 0 || l.writer == thread as u32 + 1
}

pub fn free_for_writer(address: u64, thread: usize) -> bool {
    let l = at(address);
    (l.writer == 0 && l.readers == 0) || l.writer == thread as u32 + 1
}

/// Who holds it.
pub fn owners(address: u64) -> ThreadSet {
    let l = at(address);
    let mut set = ThreadSet::EMPTY;
    set.0[0] = if l.readers > 0 { l.who } else { 0 };
    if l.writer > 0 {
        set.insert(l.writer as usize - 1);
    }
    set
}

fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    let l = at(address);
    let result = if l.writer == me() {
        EDEADLK
    } else if matches!(op, OpKind::ReadLock | OpKind::ReadTryLock) {
        l.readers += 1;
        if me() <= 64 {
            l.who |= 1 << (me() - 1);
        }
        0
    } else {
        l.writer = me();
        0
    };
    time::acquire(address);
    record::op(op, Address::object(address), result as u32, pc);
    result
}

fn lock(address: u64, op: OpKind, pc: u64) -> i32 {
    sched::reach_detailed(op, Address::object(address), pc, 0);
    take(address, op, pc)
}

fn free(address: u64, op: OpKind) -> bool {
    let thread = g().current;
    let held = at(address).writer == thread as u32 + 1;
    !held && if op == OpKind::ReadTryLock { free_for_reader(address, thread) } else { free_for_writer(address, thread) }
}

fn try_lock(address: u64, op: OpKind, pc: u64) -> i32 {
    sched::reach(op, Address::object(address), pc);
    if free(address, op) {
        return take(address, op, pc);
    }
    record::op(op, Address::object(address), EBUSY as u32, pc);
    EBUSY
}

fn timed_lock(address: u64, op: OpKind, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    sched::reach(op, Address::object(address), pc);
    if free(address, op) || at(address).writer == me() {
        return take(address, op, pc);
    }
    // SAFETY: the program's deadline.
    let until = unsafe { &*until };
    if !until.valid() {
        return EINVAL;
    }
    time::reach(deadline(clock, until));
    record::op(op, Address::object(address), ETIMEDOUT as u32, pc);
    ETIMEDOUT
}

fn unlock(address: u64, pc: u64) -> i32 {
    let l = at(address);
    let op = if l.writer == me() { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
    sched::reach(op, Address::object(address), pc);
    if op == OpKind::WriteUnlock {
        l.writer = 0;
    } else if l.readers > 0 {
        l.readers -= 1;
        if me() <= 64 && l.readers == 0 {
            l.who = 0;
        } else if me() <= 64 {
            l.who &= !(1 << (me() - 1));
        }
    } else {
        return EPERM;
    }
    time::release(address);
    record::op(op, Address::object(address), 0, pc);
    after_unlock();
    0
}

fn manage(address: u64, pc: u64) {
    sched::reach(OpKind::RwManage, Address::object(address), pc);
    record::op(OpKind::RwManage, Address::object(address), 0, pc);
}

// ABI: pthread.h
interpose! {
    fn pthread_rwlock_init(l: u64, _attr: *const u8) -> i32 {
        manage(l, caller());
        // SAFETY: the program's lock.
        unsafe { core::ptr::write_bytes(l as *mut u8, 0, 56) };
        0
    }
    fn pthread_rwlock_destroy(l: u64) -> i32 {
        manage(l, caller());
        if at(l).readers != 0 || at(l).writer != 0 { EBUSY } else { 0 }
    }
    fn pthread_rwlock_rdlock(l: u64) -> i32 { lock(l, OpKind::ReadLock, caller()) }
    fn pthread_rwlock_wrlock(l: u64) -> i32 { lock(l, OpKind::WriteLock, caller()) }
    fn pthread_rwlock_tryrdlock(l: u64) -> i32 { try_lock(l, OpKind::ReadTryLock, caller()) }
    fn pthread_rwlock_trywrlock(l: u64) -> i32 { try_lock(l, OpKind::WriteTryLock, caller()) }
    fn pthread_rwlock_timedrdlock(l: u64, until: *const Timespec) -> i32 {
        timed_lock(l, OpKind::ReadTryLock, CLOCK_REALTIME, until, caller())
    }
    fn pthread_rwlock_timedwrlock(l: u64, until: *const Timespec) -> i32 {
        timed_lock(l, OpKind::WriteTryLock, CLOCK_REALTIME, until, caller())
    }
    fn pthread_rwlock_clockrdlock(l: u64, clock: i32, until: *const Timespec) -> i32 {
        timed_lock(l, OpKind::ReadTryLock, clock, until, caller())
    }
    fn pthread_rwlock_clockwrlock(l: u64, clock: i32, until: *const Timespec) -> i32 {
        timed_lock(l, OpKind::WriteTryLock, clock, until, caller())
    }
    fn pthread_rwlock_unlock(l: u64) -> i32 { unlock(l, caller()) }
}
