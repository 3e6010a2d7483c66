//! Mutexes. The state lives in the program's own `pthread_mutex_t`, where a reset restores it for free.
//!
//! A normal mutex that is unlocked by who does not hold it, or destroyed while it is held or waited for, is a finding; other
//! kinds say so by an error number.

use super::errno::{EAGAIN, EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM};
use super::usable::{self, State};
use super::{CLOCK_REALTIME, Timespec, awaited, failed, moment, put_joined, timed_out, waits_on};
use crate::abi::access::range;
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::seal;
use crate::state::{g, me};
use crate::waiting;
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{AccessKind, Address, OpKind, Point};

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
    /// Where it was taken.
    place: u64,
}

/// Bytes of a `pthread_mutex_t`.
pub const SIZE: usize = 40;
const _: () = assert!(size_of::<Mutex>() <= SIZE);
pub const RECURSIVE: u32 = 1;
const ERROR_CHECK: u32 = 2;
const ROBUST: u32 = 16;
/// Has a priority ceiling, which is kept in `users` and has no effect.
const PROTECTED: u32 = 64;
/// The kind of a destroyed mutex, as in glibc.
const DESTROYED: u32 = u32::MAX;
/// Lowest priority of SCHED_FIFO: the ceiling of who asks for none.
const LOWEST: u32 = 1;
const HIGHEST: i32 = 99;
/// The last holder died.
const OWNER_DIED: u32 = 1;
/// The present holder was told so and has not made the state consistent.
const INCONSISTENT: u32 = 2;
const LOST: u32 = 3;

fn at(address: u64) -> &'static mut Mutex {
    // SAFETY: the program's mutex.
    unsafe { &mut *(address as *mut Mutex) }
}

/// All bits that a mutex's kind may have: type, robustness, protocol, sharing between processes, elision.
const KINDS: u32 = 0x3f3;

/// What its memory holds.
#[inline(always)]
pub fn state(address: u64) -> State {
    let m = at(address);
    if m.kind & !KINDS == 0 && m.locked <= 1 && m.owner <= MAX_THREADS as u32 {
        State::Ready
    } else if m.kind == DESTROYED {
        State::Destroyed
    } else {
        State::Unset
    }
}

/// The running thread has passed its point and uses a mutex.
#[inline(always)]
pub fn check(address: u64, op: OpKind, pc: u64) {
    usable::check("mutex", op, address, state, pc);
}

/// Would a lock by this thread not block?
pub fn free_for(address: u64, thread: usize) -> bool {
    if usable::fails(address, state) {
        return true;
    }
    let m = at(address);
    m.locked == 0 || (m.owner == thread as u32 + 1 && m.kind & 3 != 0 && m.kind & 3 != 3)
}

/// Who holds it.
pub fn owner(address: u64) -> Option<usize> {
    let m = at(address);
    (m.locked != 0 && m.owner != 0).then(|| m.owner as usize - 1)
}

/// The words that `waiting` looks at, as they were before the running thread took it. None: that is not all there is to it.
pub fn before_it_was_taken(address: u64) -> Option<[u64; 3]> {
    let m = at(address);
    let plain = m.count == 1 && m.kind & ROBUST == 0;
    plain.then(|| [0, u64::from(m.users) << 32, u64::from(m.state) << 32 | u64::from(m.kind)])
}

/// Where it was taken.
pub fn place(address: u64) -> u64 {
    at(address).place
}

fn object(address: u64) -> Address {
    Address::object(address)
}

/// Takes a mutex that is free for the running thread. 0 or an error number.
fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    check(address, op, pc);
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
        m.place = pc;
        if m.kind & ROBUST != 0 {
            m.next = core::mem::replace(&mut me().robust, address);
        }
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
    check(address, OpKind::MutexTryLock, pc);
    let m = at(address);
    let again = m.owner == g().current as u32 + 1 && m.kind & 3 == RECURSIVE;
    if m.locked != 0 && !again {
        seen_held(address);
        return failed(OpKind::MutexTryLock, object(address), EBUSY, pc);
    }
    take(address, OpKind::MutexTryLock, pc)
}

/// The running thread sees that somebody holds it.
fn seen_held(address: u64) {
    if let Some(holder) = owner(address).filter(|t| *t < g().threads) {
        waiting::locks::was_seen(holder);
    }
}

/// A timed lock takes a free mutex, whatever the deadline, and times out on a held one.
pub fn timed_lock(address: u64, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    let op = OpKind::MutexTimedLock;
    sched::reach(op, object(address), pc);
    check(address, op, pc);
    if !waits_on(clock) {
        return failed(op, object(address), EINVAL, pc);
    }
    if free_for(address, g().current) {
        return take(address, op, pc);
    }
    seen_held(address);
    match moment(clock, until, pc) {
        Ok(at) => timed_out(op, object(address), at, pc),
        Err(error) => failed(op, object(address), error, pc),
    }
}

/// May the running thread unlock it? An error number if not.
pub fn releasable(address: u64) -> Result<(), i32> {
    let m = at(address);
    let mine = m.locked != 0 && m.owner == g().current as u32 + 1;
    match m.kind {
        kind if !mine && (matches!(kind & 3, RECURSIVE | ERROR_CHECK) || kind & ROBUST != 0) => Err(EPERM),
        _ => Ok(()),
    }
}

/// Does the running thread hold it?
pub fn is_mine(address: u64) -> bool {
    owner(address) == Some(g().current)
}

pub fn unlock(address: u64, pc: u64) -> i32 {
    sched::reach(OpKind::MutexUnlock, object(address), pc);
    check(address, OpKind::MutexUnlock, pc);
    if let Err(error) = releasable(address) {
        return failed(OpKind::MutexUnlock, object(address), error, pc);
    }
    if !is_mine(address) {
        blame::lock(Misuse::Unlock, "mutex", OpKind::MutexUnlock, address, owner(address), pc);
    }
    let freed = release(address);
    record::op(OpKind::MutexUnlock, object(address), 0, pc);
    if freed {
        after_unlock(pc);
    }
    0
}

/// Where unlocking is a point: before the next visible operation. Whether it is sealed depends on where the unlock is.
pub fn after_unlock(pc: u64) {
    let g = g();
    g.pass(Point::Unlock);
    if g.active && g.points.has(Point::Unlock) {
        if seal::seals_off(Point::Unlock, pc) {
            g.passed_off += 1;
        } else {
            me().force = true;
        }
    }
}

/// Unlocks a mutex once, wherever it is called from. True: it is free now.
pub fn release(address: u64) -> bool {
    let m = at(address);
    if m.kind & 3 == RECURSIVE && m.count > 1 {
        m.count -= 1;
        return false;
    }
    if m.kind & ROBUST != 0 {
        forget_robust(address);
        if m.state == INCONSISTENT {
            m.state = LOST;
        }
    }
    m.locked = 0;
    m.owner = 0;
    m.count = 0;
    true
}

/// Takes a mutex again after waiting on a condition variable.
pub fn reacquire(address: u64, pc: u64) -> i32 {
    take(address, OpKind::CondReacquire, pc)
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
            record::op(OpKind::MutexUnlock, object(address), EOWNERDEAD as u32, me().function);
        }
        address = next;
    }
}

fn manage(address: u64, result: impl FnOnce() -> i32, pc: u64) -> i32 {
    sched::reach(OpKind::MutexManage, object(address), pc);
    usable::check_present(address, pc);
    let result = result();
    record::op(OpKind::MutexManage, object(address), result as u32, pc);
    result
}

/// A new mutex.
pub fn initialise(address: u64, kind: u32, ceiling: u32, pc: u64) -> i32 {
    let fill = || {
        awaited::initialised(OpKind::MutexManage, address, pc);
        // SAFETY: the program's mutex.
        unsafe { core::ptr::write_bytes(address as *mut u8, 0, SIZE) };
        let m = at(address);
        (m.kind, m.users) = (kind, ceiling);
        0
    };
    manage(address, fill, pc)
}

pub fn destroy(address: u64, pc: u64) -> i32 {
    let spoil = || {
        check(address, OpKind::MutexManage, pc);
        let m = at(address);
        if m.locked != 0 {
            blame::lock(Misuse::DestroyHeld, "mutex", OpKind::MutexManage, address, owner(address), pc);
        }
        if super::cond::mutex_is_awaited(address) {
            blame::lock(Misuse::DestroyAwaited, "mutex", OpKind::MutexManage, address, None, pc);
        }
        m.kind = DESTROYED;
        0
    };
    manage(address, spoil, pc)
}

// ABI: pthread.h. A `pthread_mutexattr_t` is one word: the kind in its low bits, a priority ceiling in bits 12 to 23, the
// protocol in bits 28 and 29, robustness in bit 30.
interpose! {
    fn pthread_mutex_init also __pthread_mutex_init(m: u64, attr: *const u32) -> i32 {
        let pc = caller();
        if !attr.is_null() {
            range(attr as u64, 4, AccessKind::READ, pc);
        }
        // SAFETY: the program's attribute, or none.
        let attr = unsafe { attr.as_ref() }.copied().unwrap_or(0);
        let robust = if attr & 0x4000_0000 != 0 { ROBUST } else { 0 };
        let protected = attr >> 28 & 3 == 2;
        let ceiling = if protected { (attr >> 12 & 0xfff).max(LOWEST) } else { 0 };
        initialise(m, attr & 3 | robust | if protected { PROTECTED } else { 0 }, ceiling, pc)
    }
    fn pthread_mutex_destroy also __pthread_mutex_destroy(m: u64) -> i32 { destroy(m, caller()) }
    fn pthread_mutex_consistent(m: u64) -> i32 {
        let pc = caller();
        let heal = || {
            check(m, OpKind::MutexManage, pc);
            let m = at(m);
            let told = m.kind & ROBUST != 0 && m.state == INCONSISTENT;
            if !told || m.owner != g().current as u32 + 1 {
                return EINVAL;
            }
            m.state = 0;
            0
        };
        manage(m, heal, pc)
    }
    fn pthread_mutex_getprioceiling(m: u64, ceiling: *mut i32) -> i32 {
        let pc = caller();
        if !has_ceiling(m, pc) {
            return EINVAL;
        }
        let get = || {
            usable::check_present(ceiling as u64, pc);
            put_joined(ceiling, at(m).users as i32, pc);
            0
        };
        manage(m, get, pc)
    }
    fn pthread_mutex_setprioceiling(m: u64, ceiling: i32, old: *mut i32) -> i32 {
        let pc = caller();
        if !has_ceiling(m, pc) || !(LOWEST as i32..=HIGHEST).contains(&ceiling) {
            return EINVAL;
        }
        let set = || {
            let before = core::mem::replace(&mut at(m).users, ceiling as u32);
            put_joined(old, before as i32, pc);
            0
        };
        manage(m, set, pc)
    }
}

fn has_ceiling(address: u64, pc: u64) -> bool {
    check(address, OpKind::MutexManage, pc);
    at(address).kind & PROTECTED != 0
}

// ABI: pthread.h. May be polled.
interpose_open! {
    fn pthread_mutex_lock also __pthread_mutex_lock(m: u64) -> i32 { lock(m, caller()) }
    fn pthread_mutex_unlock also __pthread_mutex_unlock(m: u64) -> i32 { unlock(m, caller()) }
    fn pthread_mutex_trylock also __pthread_mutex_trylock(m: u64) -> i32 { try_lock(m, caller()) }
    fn pthread_mutex_timedlock(m: u64, until: *const Timespec) -> i32 { timed_lock(m, CLOCK_REALTIME, until, caller()) }
    fn pthread_mutex_clocklock(m: u64, clock: i32, until: *const Timespec) -> i32 {
        timed_lock(m, clock, until, caller())
    }
}
