//! Barriers.

use super::errno::{EBUSY, EINVAL};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::time;
use gabion_trace::{Address, OpKind};

/// What the thread that completes a round is told.
const SERIAL_THREAD: i32 = -1;

/// Our use of a `pthread_barrier_t` (32 bytes).
#[repr(C)]
struct Barrier {
    needed: u32,
    arrived: u32,
    /// Rounds completed.
    generation: u64,
}

fn at(address: u64) -> &'static mut Barrier {
    // SAFETY: the program's barrier.
    unsafe { &mut *(address as *mut Barrier) }
}

/// Has the round that a waiter arrived in been completed?
pub fn passed(address: u64, generation: u64) -> bool {
    at(address).generation != generation
}

fn wait(address: u64, pc: u64) -> i32 {
    let object = Address::object(address);
    sched::reach(OpKind::BarrierArrive, object, pc);
    time::exchange(address);
    let b = at(address);
    b.arrived += 1;
    record::op(OpKind::BarrierArrive, object, b.arrived, pc);
    if b.arrived >= b.needed {
        b.arrived = 0;
        b.generation += 1;
        return SERIAL_THREAD;
    }
    sched::reach_detailed(OpKind::BarrierWait, object, pc, b.generation);
    time::acquire(address);
    record::op(OpKind::BarrierWait, object, 0, pc);
    0
}

// ABI: pthread.h
interpose! {
    fn pthread_barrier_init(b: u64, _attr: *const u8, count: u32) -> i32 {
        let pc = caller();
        if count == 0 {
            return EINVAL;
        }
        sched::reach(OpKind::BarrierManage, Address::object(b), pc);
        *at(b) = Barrier { needed: count, arrived: 0, generation: 0 };
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
