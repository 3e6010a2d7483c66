//! Barriers.

use super::errno::EINVAL;
use super::usable::{self, DESTROYED, State};
use super::{awaited, reads_attributes};
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::{g, me};
use crate::valid;
use gabion_trace::{AccessKind, Address, OpKind};

/// What the thread that completes a round is told.
const SERIAL_THREAD: i32 = -1;

/// Our use of a `pthread_barrier_t` (32 bytes).
#[repr(C)]
struct Barrier {
    needed: u32,
    arrived: u32,
    /// [`READY`] or [`DESTROYED`].
    stamp: u32,
}

/// Stamp of an initialised barrier.
const READY: u32 = 0xba55_1e7e;

fn at(address: u64) -> &'static mut Barrier {
    // SAFETY: the program's barrier.
    unsafe { &mut *(address as *mut Barrier) }
}

/// As many threads as this, or more, are refused, as in glibc.
const TOO_MANY: u32 = u32::MAX / 2;

/// What its memory holds.
fn state(address: u64) -> State {
    match at(address).stamp {
        READY => State::Ready,
        DESTROYED => State::Destroyed,
        _ => State::Unset,
    }
}

/// Details of a waiter's pending operation: how many threads the round needs, above a bit that says whether it is complete and one
/// that says whether the barrier was destroyed since. It may be, and its memory be reused, as soon as one thread has left, so
/// nothing of that is for its memory to say. (The C library's destruction waits for those that are still leaving.)
const RELEASED: u64 = 1;
const GONE: u64 = 2;
const NEEDED: u32 = 2;

/// Has the round that a waiter arrived in been completed?
pub fn passed(_address: u64, detail: u64) -> bool {
    detail & RELEASED != 0
}

/// How many threads a waiter's round needs.
pub fn needed(detail: u64) -> u64 {
    detail >> NEEDED
}

/// All waiters at a barrier get a bit in their details.
fn mark_waiters(object: Address, bit: u64) {
    let g = g();
    for t in g.live.iter() {
        let p = &mut g.fibers[t].pending;
        if p.op == OpKind::BarrierWait && p.object == object {
            p.detail |= bit;
        }
    }
}

/// Does a thread wait for others to arrive?
fn is_awaited(object: Address) -> bool {
    let g = g();
    g.live.iter().any(|t| {
        let p = &g.fibers[t].pending;
        p.op == OpKind::BarrierWait && p.object == object && p.detail & RELEASED == 0
    })
}

/// Arrives at a barrier with this count for this many threads, and waits for the others. True: this was the last.
pub fn arrive(address: u64, arrived: &mut u32, needed: u32, pc: u64) -> bool {
    sched::reach(OpKind::BarrierArrive, Address::object(address), pc);
    arrived_at(address, arrived, needed, pc)
}

/// As [`arrive`], after its point.
fn arrived_at(address: u64, arrived: &mut u32, needed: u32, pc: u64) -> bool {
    let object = Address::object(address);
    *arrived += 1;
    record::op(OpKind::BarrierArrive, object, *arrived, pc);
    if *arrived >= needed {
        *arrived = 0;
        mark_waiters(object, RELEASED); // they may leave
        return true;
    }
    sched::reach_detailed(OpKind::BarrierWait, object, pc, u64::from(needed) << NEEDED);
    if me().pending.detail & GONE == 0 {
        valid::check(address, 1, AccessKind::UPDATE, pc); // freed without having been destroyed
    }
    record::op(OpKind::BarrierWait, object, 0, pc);
    false
}

fn wait(address: u64, pc: u64) -> i32 {
    sched::reach(OpKind::BarrierArrive, Address::object(address), pc);
    usable::check("barrier", OpKind::BarrierArrive, address, state, pc);
    let b = at(address);
    if arrived_at(address, &mut b.arrived, b.needed, pc) { SERIAL_THREAD } else { 0 }
}

// ABI: pthread.h
interpose! {
    fn pthread_barrier_init(b: u64, attr: u64, count: u32) -> i32 {
        let pc = caller();
        if count == 0 || count >= TOO_MANY {
            return EINVAL;
        }
        sched::reach(OpKind::BarrierManage, Address::object(b), pc);
        usable::check_present(b, pc);
        reads_attributes(attr, 4, pc);
        awaited::initialised(OpKind::BarrierManage, b, pc);
        *at(b) = Barrier { needed: count, arrived: 0, stamp: READY };
        record::op(OpKind::BarrierManage, Address::object(b), 0, pc);
        0
    }
    fn pthread_barrier_destroy(b: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::BarrierManage, Address::object(b), pc);
        usable::check("barrier", OpKind::BarrierManage, b, state, pc);
        if is_awaited(Address::object(b)) {
            blame::lock(Misuse::DestroyAwaited, "barrier", OpKind::BarrierManage, b, None, pc);
        }
        record::op(OpKind::BarrierManage, Address::object(b), 0, pc);
        at(b).stamp = DESTROYED;
        mark_waiters(Address::object(b), GONE);
        0
    }
    fn pthread_barrier_wait(b: u64) -> i32 { wait(b, caller()) }
}
