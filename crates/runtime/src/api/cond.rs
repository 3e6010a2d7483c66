//! Condition variables.
//!
//! To wait is to release the mutex and enter the queue in one step; a signal picks any one of those in the queue (a
//! choice) and lets it compete for the mutex. A timed wait can end at any time, by time. Spurious wake-ups, when asked
//! for, end a wait without a signal, once per thread and run.
//!
//! The queue is the set of threads whose pending operation names the condition variable; the object itself holds only
//! its clock, and whether it was destroyed.

use super::errno::ETIMEDOUT;
use super::usable::{self, DESTROYED, State};
use super::{CLOCK_MONOTONIC, CLOCK_REALTIME, Timespec, awaited, failed, moment, mutex, reads_attributes};
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::plan;
use crate::record;
use crate::sched;
use crate::state::{Pending, ThreadSet, g, me};
use crate::time;
use crate::waiting::{self, timed};
use gabion_trace::{Address, ChoiceKind, Coverage, OpKind};

/// Bytes of a `pthread_cond_t`.
const SIZE: usize = 48;

/// The first word of a `pthread_cond_t`: its clock. A static initialiser is all zero: real time.
fn clock_of(cond: u64) -> &'static mut i32 {
    // SAFETY: the program's condition variable.
    unsafe { &mut *(cond as *mut i32) }
}

/// What its memory holds.
fn state(cond: u64) -> State {
    // SAFETY: the program's condition variable, whose second word tells a destroyed one.
    let second = unsafe { *((cond + 4) as *const u32) };
    match *clock_of(cond) {
        CLOCK_REALTIME | CLOCK_MONOTONIC if second == 0 => State::Ready,
        _ if second == DESTROYED => State::Destroyed,
        _ => State::Unset,
    }
}

/// The running thread has passed its point and uses a condition variable.
fn check(cond: u64, op: OpKind, pc: u64) {
    usable::check("condition variable", op, cond, state, pc);
}

fn waiters(cond: u64) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    for t in g.live.iter() {
        let p = &g.fibers[t].pending;
        if matches!(p.op, OpKind::CondQueued | OpKind::CondTimeout) && p.object == Address::object(cond) {
            set.insert(t);
        }
    }
    set
}

/// Does anybody wait on a condition variable who will take this mutex afterwards?
pub fn mutex_is_awaited(mutex: u64) -> bool {
    let g = g();
    g.live.iter().any(|t| {
        let f = &g.fibers[t];
        let waits = matches!(f.pending.op, OpKind::CondQueued | OpKind::CondTimeout | OpKind::CondReacquire);
        waits && f.mutex == mutex
    })
}

/// How a wait may end other than by a signal.
#[derive(Clone, Copy)]
pub enum Until {
    Forever,
    /// At this virtual time.
    Time(u64),
}

/// Waits. The mutex is held again when this returns: 0, ETIMEDOUT, or what taking the mutex said.
pub fn wait(cond: u64, mutex: u64, pc: u64) -> i32 {
    let entry = timed::entry();
    sched::reach(OpKind::CondWait, Address::object(cond), pc);
    enter(cond, mutex, Until::Forever, entry, pc)
}

/// The rest of a wait, after its point.
fn enter(cond: u64, mutex: u64, until: Until, entry: [u64; 7], pc: u64) -> i32 {
    check(cond, OpKind::CondWait, pc);
    mutex::check(mutex, OpKind::CondWait, pc);
    if let Err(error) = mutex::releasable(mutex) {
        return failed(OpKind::CondWait, Address::object(cond), error, pc);
    }
    if !mutex::is_mine(mutex) {
        blame::lock(Misuse::WaitUnheld, "mutex", OpKind::CondWait, cond, None, pc);
    }
    if waiters(cond).iter().any(|t| g().fibers[t].mutex != mutex) {
        blame::lock(Misuse::WaitOther, "condition variable", OpKind::CondWait, cond, None, pc);
    }
    record::cover(Coverage::COND_WAIT);
    mutex::release(mutex); // once: a recursive mutex may stay held, as in glibc
    record::op(OpKind::CondWait, Address::object(cond), 0, pc);
    record::op(OpKind::MutexUnlock, Address::object(mutex), 0, pc);
    let op = match until {
        Until::Forever => OpKind::CondQueued,
        Until::Time(_) => OpKind::CondTimeout,
    };
    me().mutex = mutex;
    waiting::has_waiter(Address::object(cond));
    timed::queue(Pending { op, object: Address::object(cond), pc, detail: 0 }, mutex, entry);
    let mut result = 0;
    let f = me();
    if core::mem::replace(&mut f.timed_out, false) {
        // By time, or spuriously: not through a signal, which would have changed what is pending.
        match until {
            Until::Time(at) => {
                time::reach(at);
                result = ETIMEDOUT;
            }
            Until::Forever => f.spurious += 1,
        }
        record::op(f.pending.op, Address::object(cond), 0, pc);
        sched::reach_detailed(OpKind::CondReacquire, Address::object(mutex), pc, 0);
    }
    match mutex::reacquire(mutex, pc) {
        0 => result,
        other => other,
    }
}

/// A waiter leaves the queue and competes for its mutex.
fn wake(thread: usize) {
    let f = &mut g().fibers[thread];
    f.pending = Pending { op: OpKind::CondReacquire, object: Address::object(f.mutex), pc: f.pending.pc, detail: 0 };
    timed::woken(thread);
    time::lets_go(thread);
    record::pending(thread);
}

pub fn signal(cond: u64, pc: u64) -> i32 {
    sched::reach(OpKind::CondSignal, Address::object(cond), pc);
    check(cond, OpKind::CondSignal, pc);
    let set = waiters(cond);
    let woken = match set.len() {
        0 => None,
        1 => set.first(),
        n => Some(plan::choose_thread(ChoiceKind::Waiter, &set, &set, n)),
    };
    record::op(OpKind::CondSignal, Address::object(cond), woken.map_or(0, |t| t as u32 + 1), pc);
    if let Some(thread) = woken {
        wake(thread);
    }
    0
}

pub fn broadcast(cond: u64, pc: u64) -> i32 {
    sched::reach(OpKind::CondBroadcast, Address::object(cond), pc);
    check(cond, OpKind::CondBroadcast, pc);
    let set = waiters(cond);
    record::op(OpKind::CondBroadcast, Address::object(cond), set.len() as u32, pc);
    for thread in set.iter() {
        wake(thread);
    }
    0
}

/// Which clock a deadline is on.
pub enum Measure {
    /// The condition variable's own.
    Own,
    Clock(i32),
}

/// Waits until a deadline.
pub fn timed_wait(cond: u64, mutex: u64, measure: Measure, until: *const Timespec, pc: u64) -> i32 {
    let entry = timed::entry();
    sched::reach(OpKind::CondWait, Address::object(cond), pc);
    check(cond, OpKind::CondWait, pc);
    let clock = match measure {
        Measure::Own => *clock_of(cond),
        Measure::Clock(clock) => clock,
    };
    match moment(clock, until, pc) {
        Ok(at) => enter(cond, mutex, Until::Time(at), entry, pc),
        Err(error) => failed(OpKind::CondWait, Address::object(cond), error, pc),
    }
}

fn manage(cond: u64, pc: u64) {
    sched::reach(OpKind::CondManage, Address::object(cond), pc);
    usable::check_present(cond, pc);
    record::op(OpKind::CondManage, Address::object(cond), 0, pc);
}

/// A new condition variable.
pub fn initialise(cond: u64, attr: *const u32, pc: u64) {
    manage(cond, pc);
    awaited::initialised(OpKind::CondManage, cond, pc);
    reads_attributes(attr as u64, 4, pc);
    // SAFETY: the program's object and attribute.
    unsafe {
        core::ptr::write_bytes(cond as *mut u8, 0, SIZE);
        let monotonic = !attr.is_null() && *attr >> 1 & 1 == 1;
        *clock_of(cond) = if monotonic { CLOCK_MONOTONIC } else { CLOCK_REALTIME };
    }
}

pub fn destroy(cond: u64, pc: u64) {
    manage(cond, pc);
    check(cond, OpKind::CondManage, pc);
    if waiters(cond).len() > 0 {
        blame::lock(Misuse::DestroyAwaited, "condition variable", OpKind::CondManage, cond, None, pc);
    }
    // SAFETY: the program's object.
    unsafe { *((cond + 4) as *mut u32) = DESTROYED };
}

// ABI: pthread.h. Bit 1 of a `pthread_condattr_t` is its clock.
interpose! {
    fn pthread_cond_init(cond: u64, attr: *const u32) -> i32 {
        initialise(cond, attr, caller());
        0
    }
    fn pthread_cond_destroy(cond: u64) -> i32 {
        destroy(cond, caller());
        0
    }
    fn pthread_cond_wait(cond: u64, mutex: u64) -> i32 { wait(cond, mutex, caller()) }
}

// ABI: pthread.h. What polling may be made of.
interpose_open! {
    fn pthread_cond_signal(cond: u64) -> i32 { signal(cond, caller()) }
    fn pthread_cond_broadcast(cond: u64) -> i32 { broadcast(cond, caller()) }
    fn pthread_cond_timedwait(cond: u64, mutex: u64, until: *const Timespec) -> i32 {
        timed_wait(cond, mutex, Measure::Own, until, caller())
    }
    fn pthread_cond_clockwait(cond: u64, mutex: u64, clock: i32, until: *const Timespec) -> i32 {
        timed_wait(cond, mutex, Measure::Clock(clock), until, caller())
    }
}
