//! Spin locks, as locks: to spin on a held one is to wait for it.

use super::errno::EBUSY;
use super::mutex::after_unlock;
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use crate::time;
use gabion_trace::{Address, OpKind};

/// Our use of a `pthread_spinlock_t`: 0 free, else [`held`]. Mutexes of the Rust standard library are words like it.
fn at(address: u64) -> &'static mut u32 {
    // SAFETY: the program's lock.
    unsafe { &mut *(address as *mut u32) }
}

pub fn free(address: u64) -> bool {
    *at(address) == 0
}

/// Where 1 + the holder begins. Below it is 1: what a Rust standard library takes for locked.
const HOLDER: u32 = 8;

/// The word while the running thread holds it.
pub fn held() -> u32 {
    (g().current as u32 + 1) << HOLDER | 1
}

/// Who holds it.
pub fn owner(address: u64) -> Option<usize> {
    ((*at(address) >> HOLDER) as usize).checked_sub(1)
}

fn take(address: u64, op: OpKind, pc: u64) -> i32 {
    *at(address) = held();
    time::acquire(address);
    record::op(op, Address::object(address), 0, pc);
    0
}

fn manage(address: u64, pc: u64) {
    sched::reach(OpKind::SpinManage, Address::object(address), pc);
    record::op(OpKind::SpinManage, Address::object(address), 0, pc);
}

// ABI: pthread.h
interpose! {
    fn pthread_spin_init(l: u64, _shared: i32) -> i32 {
        manage(l, caller());
        *at(l) = 0;
        0
    }
    fn pthread_spin_destroy(l: u64) -> i32 {
        let pc = caller();
        manage(l, pc);
        if !free(l) {
            blame::lock(Misuse::DestroyHeld, "spin lock", OpKind::SpinManage, l, owner(l), pc);
        }
        0
    }
    fn pthread_spin_lock(l: u64) -> i32 {
        let pc = caller();
        sched::reach_detailed(OpKind::SpinLock, Address::object(l), pc, 0);
        take(l, OpKind::SpinLock, pc)
    }
    fn pthread_spin_unlock(l: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SpinUnlock, Address::object(l), pc);
        if owner(l) != Some(g().current) {
            blame::lock(Misuse::Unlock, "spin lock", OpKind::SpinUnlock, l, owner(l), pc);
        }
        *at(l) = 0;
        time::release(l);
        record::op(OpKind::SpinUnlock, Address::object(l), 0, pc);
        after_unlock(pc);
        0
    }
}

// ABI: pthread.h. May be polled.
interpose_open! {
    fn pthread_spin_trylock(l: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SpinTryLock, Address::object(l), pc);
        if free(l) {
            return take(l, OpKind::SpinTryLock, pc);
        }
        record::op(OpKind::SpinTryLock, Address::object(l), EBUSY as u32, pc);
        EBUSY
    }
}
