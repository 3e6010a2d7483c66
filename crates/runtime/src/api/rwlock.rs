//! Reader-writer locks. By default readers are preferred, as in glibc: a read lock waits only for a writer that holds.
//! With the kind PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP readers also wait for writers that wait.
//!
//! Timed locks that cannot have the lock end by time. Only where readers wait for it does a timed write lock stand there in between.

use super::errno::{EBUSY, EDEADLK};
use super::mutex::after_unlock;
use super::usable::{self, State};
use super::{CLOCK_REALTIME, Timespec, awaited, failed, moment, reads_attributes, timed_out};
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::{ThreadSet, g};
use crate::waiting;
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{Address, OpKind};

/// Threads whose read locks are counted one by one.
const COUNTED: usize = 40;

/// Our use of a `pthread_rwlock_t` (56 bytes). A static initialiser is zero but for the kind, which is where glibc has it.
#[repr(C)]
struct RwLock {
    readers: u32,
    /// 1 + the writing thread.
    writer: u32,
    /// How often the first threads hold it for reading; for reports and for finding circles.
    held: [u8; COUNTED],
    kind: u32,
}

const SIZE: usize = 56;
/// Offset of the member that names the writing thread.
pub const WRITER: u64 = core::mem::offset_of!(RwLock, writer) as u64;
/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP.
const WRITERS_FIRST: u32 = 2;

/// The detail of a pending write lock that has been tried and now waits.
const WAITS: u64 = 1;

fn at(address: u64) -> &'static mut RwLock {
    // SAFETY: the program's lock.
    unsafe { &mut *(address as *mut RwLock) }
}

/// The last of the kinds.
const KINDS: u32 = WRITERS_FIRST;

/// What its memory holds.
fn state(address: u64) -> State {
    let l = at(address);
    if l.kind == usable::DESTROYED {
        State::Destroyed
    } else if l.kind <= KINDS && l.writer as usize <= MAX_THREADS && (l.writer == 0 || l.readers == 0) {
        State::Ready
    } else {
        State::Unset
    }
}

/// The running thread has passed its point and uses a lock.
fn check(address: u64, op: OpKind, pc: u64) {
    usable::check("reader-writer lock", op, address, state, pc);
}

fn me() -> u32 {
    g().current as u32 + 1
}

/// A writer that asks again is told so, not blocked.
pub fn free_for_reader(address: u64, thread: usize) -> bool {
    if usable::fails(address, state) {
        return true;
    }
    let l = at(address);
    l.writer == thread as u32 + 1 || (l.writer == 0 && !(l.kind == WRITERS_FIRST && writer_waits(address, thread)))
}

/// Does it matter to readers who waits?
pub fn sees_waiters(address: u64) -> bool {
    !usable::is_null(address) && at(address).kind == WRITERS_FIRST
}

/// Does anybody but this thread wait to write?
fn writer_waits(address: u64, thread: usize) -> bool {
    let g = g();
    g.live.iter().any(|t| {
        let p = &g.fibers[t].pending;
        let writes = matches!(p.op, OpKind::WriteLock | OpKind::WriteTryLock);
        t != thread && writes && p.detail == WAITS && p.object == Address::object(address)
    })
}

pub fn free_for_writer(address: u64, thread: usize) -> bool {
    if usable::fails(address, state) {
        return true;
    }
    let l = at(address);
    (l.writer == 0 && l.readers == 0) || l.writer == thread as u32 + 1
}

/// Who holds it.
pub fn owners(address: u64) -> ThreadSet {
    let l = at(address);
    let mut set = ThreadSet::EMPTY;
    for (thread, _) in l.held.iter().enumerate().filter(|(_, n)| **n > 0 && l.readers > 0) {
        set.insert(thread);
    }
    if l.writer > 0 {
        set.insert(l.writer as usize - 1);
    }
    set
}

fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    check(address, op, pc);
    let l = at(address);
    let result = if l.writer == me() {
        EDEADLK
    } else if matches!(op, OpKind::ReadLock | OpKind::ReadTryLock) {
        l.readers = l.readers.wrapping_add(1);
        if let Some(n) = l.held.get_mut(g().current) {
            *n = n.saturating_add(1);
        }
        0
    } else {
        l.writer = me();
        0
    };
    record::op(op, Address::object(address), result as u32, pc);
    result
}

fn read_lock(address: u64, pc: u64) -> i32 {
    sched::reach_detailed(OpKind::ReadLock, Address::object(address), pc, 0);
    take(address, OpKind::ReadLock, pc)
}

/// Where readers wait for waiting writers, to begin to wait is a step of its own.
fn write_lock(address: u64, pc: u64) -> i32 {
    let object = Address::object(address);
    if sees_waiters(address) {
        sched::reach(OpKind::WriteTryLock, object, pc);
        if free_for_writer(address, g().current) {
            return take(address, OpKind::WriteLock, pc);
        }
        record::op(OpKind::WriteTryLock, object, EBUSY as u32, pc);
    }
    sched::reach_detailed(OpKind::WriteLock, object, pc, WAITS);
    take(address, OpKind::WriteLock, pc)
}

/// Would this kind of lock be had at once?
fn free(address: u64, op: OpKind) -> bool {
    let thread = g().current;
    if op == OpKind::ReadTryLock { free_for_reader(address, thread) } else { free_for_writer(address, thread) }
}

fn try_lock(address: u64, op: OpKind, pc: u64) -> i32 {
    sched::reach(op, Address::object(address), pc);
    check(address, op, pc);
    if at(address).writer != me() && free(address, op) {
        return take(address, op, pc);
    }
    seen_held(address);
    failed(op, Address::object(address), EBUSY, pc)
}

/// The running thread sees that somebody holds it.
fn seen_held(address: u64) {
    owners(address).iter().filter(|t| *t < g().threads).for_each(waiting::locks::was_seen);
}

/// As in glibc, what is not valid is refused even if there is no need to wait.
fn timed_lock(address: u64, op: OpKind, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    sched::reach(op, Address::object(address), pc);
    check(address, op, pc);
    match moment(clock, until, pc) {
        Err(error) => failed(op, Address::object(address), error, pc),
        Ok(_) if free(address, op) => take(address, op, pc),
        Ok(at) if op == OpKind::WriteTryLock && sees_waiters(address) => wait_until(address, at, pc),
        Ok(at) => {
            seen_held(address);
            timed_out(op, Address::object(address), at, pc)
        }
    }
}

/// A timed write lock where readers wait for it meanwhile: to begin to wait is a step of its own.
fn wait_until(address: u64, at: u64, pc: u64) -> i32 {
    let (op, object) = (OpKind::WriteTryLock, Address::object(address));
    record::op(op, object, EBUSY as u32, pc);
    sched::reach_detailed(op, object, pc, WAITS);
    check(address, op, pc);
    if free(address, op) { take(address, op, pc) } else { timed_out(op, object, at, pc) }
}

/// Does the running thread hold it, for all that is counted?
fn is_mine(address: u64) -> bool {
    let l = at(address);
    l.writer == me() || (l.readers > 0 && l.held.get(g().current).is_none_or(|n| *n > 0))
}

fn unlock(address: u64, pc: u64) -> i32 {
    let writes = !usable::is_null(address) && at(address).writer == me();
    let op = if writes { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
    sched::reach(op, Address::object(address), pc);
    check(address, op, pc);
    let l = at(address);
    if !is_mine(address) {
        blame::lock(Misuse::Unlock, "reader-writer lock", op, address, owners(address).first(), pc);
    }
    if op == OpKind::WriteUnlock {
        l.writer = 0;
    } else {
        l.readers = l.readers.wrapping_sub(1);
        if l.readers == 0 {
            l.held = [0; COUNTED];
        } else if let Some(n) = l.held.get_mut(g().current) {
            *n = n.saturating_sub(1);
        }
    }
    record::op(op, Address::object(address), 0, pc);
    after_unlock(pc);
    0
}

fn manage(address: u64, pc: u64) {
    sched::reach(OpKind::RwManage, Address::object(address), pc);
    usable::check_present(address, pc);
    record::op(OpKind::RwManage, Address::object(address), 0, pc);
}

// ABI: pthread.h. The first word of a `pthread_rwlockattr_t` is the kind.
interpose! {
    fn pthread_rwlock_init also __pthread_rwlock_init(l: u64, attr: *const u32) -> i32 {
        let pc = caller();
        manage(l, pc);
        awaited::initialised(OpKind::RwManage, l, pc);
        reads_attributes(attr as u64, 4, pc);
        // SAFETY: the program's lock, and its attribute or none.
        unsafe {
            core::ptr::write_bytes(l as *mut u8, 0, SIZE);
            at(l).kind = attr.as_ref().copied().unwrap_or(0);
        }
        0
    }
    fn pthread_rwlock_destroy also __pthread_rwlock_destroy(l: u64) -> i32 {
        let pc = caller();
        manage(l, pc);
        check(l, OpKind::RwManage, pc);
        if at(l).writer != 0 || at(l).readers != 0 {
            blame::lock(Misuse::DestroyHeld, "reader-writer lock", OpKind::RwManage, l, owners(l).first(), pc);
        }
        at(l).kind = usable::DESTROYED;
        0
    }
    fn pthread_rwlock_wrlock also __pthread_rwlock_wrlock(l: u64) -> i32 { write_lock(l, caller()) }
}

// ABI: pthread.h. May be polled.
interpose_open! {
    fn pthread_rwlock_rdlock also __pthread_rwlock_rdlock(l: u64) -> i32 { read_lock(l, caller()) }
    fn pthread_rwlock_unlock also __pthread_rwlock_unlock(l: u64) -> i32 { unlock(l, caller()) }
    fn pthread_rwlock_tryrdlock also __pthread_rwlock_tryrdlock(l: u64) -> i32 {
        try_lock(l, OpKind::ReadTryLock, caller())
    }
    fn pthread_rwlock_trywrlock also __pthread_rwlock_trywrlock(l: u64) -> i32 {
        try_lock(l, OpKind::WriteTryLock, caller())
    }
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
}
