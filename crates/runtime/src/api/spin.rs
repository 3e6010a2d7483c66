//! Spin locks, as locks: to spin on a held one is to wait for it.

use super::errno::EBUSY;
use super::mutex::after_unlock;
use super::usable::{self, State};
use crate::blame::{self, Misuse};
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use crate::waiting;
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{Address, OpKind};

/// Our use of a `pthread_spinlock_t`: [`FREE`], [`DESTROYED`], else [`held`]. Mutexes of the Rust standard library are words like
/// it, but 0 when free.
fn at(address: u64) -> &'static mut u32 {
    // SAFETY: the program's lock.
    unsafe { &mut *(address as *mut u32) }
}

/// A free spin lock, as glibc has it on x86: one in zeroed memory was never initialised, and nobody ever gets it.
pub const FREE: u32 = 1;
const DESTROYED: u32 = 2;

/// Is a word that is 0 when free, as the Rust standard library has it, free?
pub fn word_is_free(address: u64) -> bool {
    *at(address) == 0
}

/// Would a lock not wait?
pub fn free(address: u64) -> bool {
    usable::fails(address, state) || *at(address) == FREE
}

/// What a lock's memory holds.
fn state(address: u64) -> State {
    match *at(address) {
        FREE => State::Ready,
        DESTROYED => State::Destroyed,
        word if word & 0xff == 1 && (word >> HOLDER) as usize <= MAX_THREADS => State::Ready,
        _ => State::Unset,
    }
}

/// The running thread has passed its point and uses a spin lock.
fn check(address: u64, op: OpKind, pc: u64) {
    usable::check("spin lock", op, address, state, pc);
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
    check(address, op, pc);
    *at(address) = held();
    record::op(op, Address::object(address), 0, pc);
    0
}

fn manage(address: u64, pc: u64) {
    sched::reach(OpKind::SpinManage, Address::object(address), pc);
    usable::check_present(address, pc);
    record::op(OpKind::SpinManage, Address::object(address), 0, pc);
}

// ABI: pthread.h
interpose! {
    fn pthread_spin_init(l: u64, _shared: i32) -> i32 {
        manage(l, caller());
        *at(l) = FREE;
        0
    }
    fn pthread_spin_destroy(l: u64) -> i32 {
        let pc = caller();
        manage(l, pc);
        check(l, OpKind::SpinManage, pc);
        if !free(l) {
            blame::lock(Misuse::DestroyHeld, "spin lock", OpKind::SpinManage, l, owner(l), pc);
        }
        *at(l) = DESTROYED;
        0
    }
}

// ABI: pthread.h. May be polled.
interpose_open! {
    fn pthread_spin_lock(l: u64) -> i32 {
        let pc = caller();
        sched::reach_detailed(OpKind::SpinLock, Address::object(l), pc, 0);
        take(l, OpKind::SpinLock, pc)
    }
    fn pthread_spin_unlock(l: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SpinUnlock, Address::object(l), pc);
        check(l, OpKind::SpinUnlock, pc);
        if owner(l) != Some(g().current) {
            blame::lock(Misuse::Unlock, "spin lock", OpKind::SpinUnlock, l, owner(l), pc);
        }
        *at(l) = FREE;
        record::op(OpKind::SpinUnlock, Address::object(l), 0, pc);
        after_unlock(pc);
        0
    }
    fn pthread_spin_trylock(l: u64) -> i32 {
        let pc = caller();
        sched::reach(OpKind::SpinTryLock, Address::object(l), pc);
        if free(l) {
            return take(l, OpKind::SpinTryLock, pc);
        }
        if let Some(holder) = owner(l).filter(|t| *t < g().threads) {
            waiting::locks::was_seen(holder);
        }
        record::op(OpKind::SpinTryLock, Address::object(l), EBUSY as u32, pc);
        EBUSY
    }
}
