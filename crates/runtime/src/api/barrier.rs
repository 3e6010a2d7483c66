//! Barriers.

use super::errno::{EBUSY, EINVAL};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use crate::time;
use gabion_trace::{Address, OpKind};

/// What the thread that completes a round is told.
const SERIAL_THREAD: i32 = -1;

/// Our use of a `pthread_barrier_t` (32 bytes).
#[repr(C)]
struct Barrier {
    needed: u32,
    arrived: u32,
}

fn at(address: u64) -> &'static mut Barrier {
    // SAFETY: the program's barrier.
    unsafe { &mut *(address as *mut Barrier) }
}

/// As many threads as this, or more, are refused, as in glibc.
const TOO_MANY: u32 = u32::MAX / 2;

/// Details of a waiter's pending operation: how many threads the round needs, above a bit that says whether it is complete. A
/// barrier may be destroyed and its memory reused as soon as one thread has left, so neither is for its memory to say.
const RELEASED: u64 = 1;

/// Has the round that a waiter arrived in been completed?
pub fn passed(_address: u64, detail: u64) -> bool {
    detail & RELEASED != 0
}

/// How many threads a waiter's round needs.
pub fn needed(detail: u64) -> u64 {
    detail >> 1
}

/// The round is complete: its waiters may leave.
fn release_all(object: Address) {
    let g = g();
    for t in g.live.iter() {
        let p = &mut g.fibers[t].pending;
        if p.op == OpKind::BarrierWait && p.object == object {
            p.detail |= RELEASED;
        }
    }
}

/// Arrives at a barrier with this count for this many threads, and waits for the others. True: this was the last.
pub fn arrive(address: u64, arrived: &mut u32, needed: u32, pc: u64) -> bool {
    let object = Address::object(address);
    sched::reach(OpKind::BarrierArrive, object, pc);
    time::exchange(address);
    *arrived += 1;
    record::op(OpKind::BarrierArrive, object, *arrived, pc);
    if *arrived >= needed {
        *arrived = 0;
        release_all(object);
        return true;
    }
    sched::reach_detailed(OpKind::BarrierWait, object, pc, u64::from(needed) << 1);
    time::acquire(address);
    record::op(OpKind::BarrierWait, object, 0, pc);
    false
}

fn wait(address: u64, pc: u64) -> i32 {
    let b = at(address);
    if arrive(address, &mut b.arrived, b.needed, pc) { SERIAL_THREAD } else { 0 }
}

// ABI: pthread.h
interpose! {
    fn pthread_barrier_init(b: u64, _attr: *const u8, count: u32) -> i32 {
        let pc = caller();
        if count == 0 || count >= TOO_MANY {
            return EINVAL;
        }
        sched::reach(OpKind::BarrierManage, Address::object(b), pc);
        *at(b) = Barrier { needed: count, arrived: 0 };
        record::op(OpKind::BarrierManage, Address::object(b), 0, pc);
        0
    }
    fn pthread_barrier_destroy(b: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::BarrierManage, Address::object(b), pc);
        record::op(OpKind::BarrierManage, Address::object(b), 0, pc);
        if at(b).arrived > 0 { EBUSY } else { 0 }
    }
    fn pthread_barrier_wait(b: u64) -> i32 { wait(b, caller()) }
}
