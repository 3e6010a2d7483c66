//! Unnamed semaphores.

use super::errno::{EAGAIN, EINVAL, EOVERFLOW, fail};
use super::usable::{self, DESTROYED, State};
use super::{CLOCK_REALTIME, Timespec, awaited, failed, moment, put_joined, timed_out};
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use gabion_trace::{Address, OpKind};

const MAX: u32 = i32::MAX as u32;

/// Our use of a `sem_t` (32 bytes): its value, and at [`STAMP`] whether it was destroyed.
fn at(address: u64) -> &'static mut u32 {
    // SAFETY: the program's semaphore.
    unsafe { &mut *(address as *mut u32) }
}

/// Offset of the word that is [`DESTROYED`] in a destroyed semaphore. glibc has padding there.
const STAMP: u64 = 12;

fn stamp(address: u64) -> &'static mut u32 {
    at(address + STAMP)
}

/// What its memory holds.
fn state(address: u64) -> State {
    if *stamp(address) == DESTROYED { State::Destroyed } else { State::Ready }
}

/// The running thread has passed its point and uses a semaphore.
fn check(address: u64, op: OpKind, pc: u64) {
    usable::check("semaphore", op, address, state, pc);
}

/// May a wait go on? One that fails at once may.
pub fn available(address: u64) -> bool {
    usable::fails(address, state) || *at(address) > 0
}

/// Is somebody blocked there?
fn is_awaited(address: u64) -> bool {
    let g = g();
    let waits = |t: usize| {
        let pending = &g.fibers[t].pending;
        pending.op == OpKind::SemWait && pending.object == Address::object(address)
    };
    !available(address) && g.live.iter().any(waits)
}

fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    check(address, op, pc);
    *at(address) -= 1;
    let result = if op == OpKind::SemWait { *at(address) } else { 0 }; // others say whether they got it
    record::op(op, Address::object(address), result, pc);
    0
}

fn timed_wait(address: u64, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    sched::reach(OpKind::SemTimedWait, Address::object(address), pc);
    let (op, object) = (OpKind::SemTimedWait, Address::object(address));
    check(address, op, pc);
    // As in glibc, what is not valid is refused even if there is no need to wait.
    match moment(clock, until, pc) {
        Err(error) => fail(failed(op, object, error, pc)),
        Ok(_) if available(address) => take(address, op, pc),
        Ok(at) => fail(timed_out(op, object, at, pc)),
    }
}

// ABI: semaphore.h
interpose! {
    fn sem_init(s: u64, _shared: i32, value: u32) -> i32 {
        let pc = caller();
        if value > MAX {
            return fail(EINVAL);
        }
        sched::reach(OpKind::SemManage, Address::object(s), pc);
        usable::check_present(s, pc);
        awaited::initialised(OpKind::SemManage, s, pc);
        (*at(s), *stamp(s)) = (value, 0);
        record::op(OpKind::SemManage, Address::object(s), value, pc);
        0
    }
    fn sem_destroy(s: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SemManage, Address::object(s), pc);
        check(s, OpKind::SemManage, pc);
        if is_awaited(s) {
            blame::lock(Misuse::DestroyAwaited, "semaphore", OpKind::SemManage, s, None, pc);
        }
        record::op(OpKind::SemManage, Address::object(s), 0, pc);
        *stamp(s) = DESTROYED;
        0
    }
    fn sem_wait(s: u64) -> i32 {
        let pc = caller();
        sched::reach_detailed(OpKind::SemWait, Address::object(s), pc, 0);
        take(s, OpKind::SemWait, pc)
    }
    fn sem_post(s: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SemPost, Address::object(s), pc);
        check(s, OpKind::SemPost, pc);
        if *at(s) == MAX {
            return fail(failed(OpKind::SemPost, Address::object(s), EOVERFLOW, pc));
        }
        *at(s) += 1;
        record::op(OpKind::SemPost, Address::object(s), *at(s), pc);
        0
    }
}

// ABI: semaphore.h. May be polled.
interpose_open! {
    fn sem_trywait(s: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SemTryWait, Address::object(s), pc);
        check(s, OpKind::SemTryWait, pc);
        if available(s) {
            return take(s, OpKind::SemTryWait, pc);
        }
        fail(failed(OpKind::SemTryWait, Address::object(s), EAGAIN, pc))
    }
    fn sem_timedwait(s: u64, until: *const Timespec) -> i32 { timed_wait(s, CLOCK_REALTIME, until, caller()) }
    fn sem_clockwait(s: u64, clock: i32, until: *const Timespec) -> i32 { timed_wait(s, clock, until, caller()) }
    fn sem_getvalue(s: u64, value: *mut i32) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SemRead, Address::object(s), pc);
        check(s, OpKind::SemRead, pc);
        usable::check_present(value as u64, pc);
        record::op(OpKind::SemRead, Address::object(s), *at(s), pc);
        put_joined(value, *at(s) as i32, pc);
        0
    }
}
