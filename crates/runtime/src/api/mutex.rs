//! Mutexes. The state lives in the program's own `pthread_mutex_t`, where a reset restores it for free.
//!
//! Not done here: findings for misuse (unlock by a stranger, destroy while held). As in glibc, a normal mutex is unlocked
//! by anybody.

use super::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT};
use super::{CLOCK_REALTIME, Timespec, deadline};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::{g, me};
use crate::time;
use gabion_trace::{Address, OpKind, Point};

/// The first words of a `pthread_mutex_t`, in glibc's order, because static initialisers fill in `kind`.
#[repr(C)]
pub struct Mutex {
    /// 0: free.
    locked: u32,
    count: u32,
    /// 1 + the holding thread.
    owner: u32,
    users: u32,
    kind: u32,
    /// Robust: see the constants below.
    state: u32,
    /// Next robust mutex of the same holder.
    next: u64,
}

const RECURSIVE: u32 = 1;
const ERROR_CHECK: u32 = 2;
const ROBUST: u32 = 16;
/// The last holder died.
const OWNER_DIED: u32 = 1;
/// The present holder was told so and has not made the state consistent.
const INCONSISTENT: u32 = 2;
const LOST: u32 = 3;

fn at(address: u64) -> &'static mut Mutex {
    // SAFETY: the program's mutex.
    unsafe { &mut *(address as *mut Mutex) }
}

/// Would a lock by this thread not block?
pub fn free_for(address: u64, thread: usize) -> bool {
    let m = at(address);
    m.locked == 0 || (m.owner == thread as u32 + 1 && m.kind & 3 != 0 && m.kind & 3 != 3)
}

/// Who holds it.
pub fn owner(address: u64) -> Option<usize> {
    let m = at(address);
    (m.locked != 0 && m.owner != 0).then(|| m.owner as usize - 1)
}

fn object(address: u64) -> Address {
    Address::object(address)
}

/// Takes a mutex that is free for the running thread. 0 or an error number.
fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    let m = at(address);
    let result = if m.locked != 0 {
        match m.kind & 3 {
            RECURSIVE if m.count == u32::MAX => EAGAIN,
            RECURSIVE => {
                m.count += 1;
                0
            }
            _ => EDEADLK,
        }
    } else if m.state == LOST {
        ENOTRECOVERABLE
    } else {
        m.locked = 1;
        m.count = 1;
        m.owner = g().current as u32 + 1;
        if m.kind & ROBUST != 0 {
            m.next = core::mem::replace(&mut me().robust, address);
        }
        time::acquire(address);
        if m.state == OWNER_DIED {
            m.state = INCONSISTENT;
            EOWNERDEAD
        } else {
            0
        }
    };
    record::op(op, object(address), result as u32, pc);
    result
}

pub fn lock(address: u64, pc: u64) -> i32 {
    sched::reach_detailed(OpKind::MutexLock, object(address), pc, 0);
    take(address, OpKind::MutexLock, pc)
}

pub fn try_lock(address: u64, pc: u64) -> i32 {
    sched::reach(OpKind::MutexTryLock, object(address), pc);
    let m = at(address);
    let again = m.owner == g().current as u32 + 1 && m.kind & 3 == RECURSIVE;
    if m.locked != 0 && !again {
        record::op(OpKind::MutexTryLock, object(address), EBUSY as u32, pc);
        return EBUSY;
    }
    take(address, OpKind::MutexTryLock, pc)
}

/// A timed lock takes a free mutex and times out on a held one.
pub fn timed_lock(address: u64, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    sched::reach(OpKind::MutexTimedLock, object(address), pc);
    let thread = g().current;
    if free_for(address, thread) {
        return take(address, OpKind::MutexTimedLock, pc);
    }
    // SAFETY: the program's deadline.
    let until = unsafe { &*until };
    if !until.valid() {
        return EINVAL;
    }
    time::reach(deadline(clock, until));
    record::op(OpKind::MutexTimedLock, object(address), ETIMEDOUT as u32, pc);
    ETIMEDOUT
}

pub fn unlock(address: u64, pc: u64) -> i32 {
    sched::reach(OpKind::MutexUnlock, object(address), pc);
    let m = at(address);
    let mine = m.locked != 0 && m.owner == g().current as u32 + 1;
    if !mine && (m.kind & 3 == RECURSIVE || m.kind & 3 == ERROR_CHECK || m.kind & ROBUST != 0) {
        return EPERM;
    }
    if m.kind & 3 == RECURSIVE && m.count > 1 {
        m.count -= 1;
        return 0;
    }
    release(address);
    record::op(OpKind::MutexUnlock, object(address), 0, pc);
    after_unlock();
    0
}

/// Where unlocking is a point: before the next visible operation.
pub fn after_unlock() {
    let g = g();
    g.passed |= 1 << Point::Unlock as u16;
    if g.active && g.points.has(Point::Unlock) {
        g.fibers[g.current].force = true;
    }
    crate::abi::access::new_step();
}

/// Frees a mutex, wherever it is called from. Gives how often it was held.
pub fn release(address: u64) -> u32 {
    let m = at(address);
    if m.kind & ROBUST != 0 {
        forget_robust(address);
        if m.state == INCONSISTENT {
            m.state = LOST;
        }
    }
    time::release(address);
    m.locked = 0;
    m.owner = 0;
    core::mem::replace(&mut m.count, 0)
}

/// Takes a mutex again after waiting on a condition variable.
pub fn reacquire(address: u64, count: u32, pc: u64) -> i32 {
    let result = take(address, OpKind::CondReacquire, pc);
    at(address).count = count.max(1);
    result
}

fn forget_robust(address: u64) {
    let f = me();
    let mut link = &mut f.robust;
    while *link != 0 {
        if *link == address {
            *link = at(address).next;
            return;
        }
        link = &mut at(*link).next;
    }
}

/// The running thread ends: robust mutexes that it holds pass on with a warning.
pub fn owner_dies() {
    let mut address = core::mem::replace(&mut me().robust, 0);
    while address != 0 {
        let m = at(address);
        let next = m.next;
        if m.locked != 0 && m.owner == g().current as u32 + 1 {
            m.state = OWNER_DIED;
            m.locked = 0;
            m.owner = 0;
            m.count = 0;
            time::release(address);
            record::op(OpKind::MutexUnlock, object(address), EOWNERDEAD as u32, me().function);
        }
        address = next;
    }
}

fn manage(address: u64, pc: u64) {
    sched::reach(OpKind::MutexManage, object(address), pc);
    record::op(OpKind::MutexManage, object(address), 0, pc);
}

// ABI: pthread.h. A `pthread_mutexattr_t` is one word: the kind in its low bits, robustness in bit 30.
interpose! {
    fn pthread_mutex_init(m: *mut Mutex, attr: *const u32) -> i32 {
        manage(m as u64, caller());
        // SAFETY: the program's mutex and attribute.
        unsafe {
            core::ptr::write_bytes(m as *mut u8, 0, 40);
            if !attr.is_null() {
                (*m).kind = (*attr & 3) | if *attr & 0x4000_0000 != 0 { ROBUST } else { 0 };
            }
        }
        0
    }
    fn pthread_mutex_destroy(m: u64) -> i32 {
        manage(m, caller());
        if at(m).locked != 0 { EBUSY } else { 0 }
    }
    fn pthread_mutex_lock(m: u64) -> i32 { lock(m, caller()) }
    fn pthread_mutex_trylock(m: u64) -> i32 { try_lock(m, caller()) }
    fn pthread_mutex_timedlock(m: u64, until: *const Timespec) -> i32 { timed_lock(m, CLOCK_REALTIME, until, caller()) }
    fn pthread_mutex_clocklock(m: u64, clock: i32, until: *const Timespec) -> i32 {
        timed_lock(m, clock, until, caller())
    }
    fn pthread_mutex_unlock(m: u64) -> i32 { unlock(m, caller()) }
    fn pthread_mutex_consistent(m: u64) -> i32 {
        manage(m, caller());
        let m = at(m);
        if m.kind & ROBUST == 0 || m.state != INCONSISTENT || m.owner != g().current as u32 + 1 {
            return EINVAL;
        }
        m.state = 0;
        0
    }
    fn pthread_mutex_getprioceiling(_m: u64, ceiling: *mut i32) -> i32 {
        // SAFETY: the program's variable.
        unsafe { *ceiling = 0 };
        EINVAL
    }
    fn pthread_mutex_setprioceiling(_m: u64, _ceiling: i32, _old: *mut i32) -> i32 { EINVAL }
}
