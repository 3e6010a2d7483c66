//! `park` and `unpark`: a token for each thread, in a word of the block that its handles share.
//!
//! The library counts the word below zero while its thread waits; here it is 0 or 1.

use super::super::errno::ETIMEDOUT;
use super::{later, models, models_open};
use crate::interpose::caller;
use crate::standard;
use crate::tls;
use crate::{record, sched, time};
use gabion_trace::standard::Model;
use gabion_trace::{Address, OpKind};

/// Between the start of an `Arc`'s block and what it holds.
const COUNTS: u64 = 16;
/// Below this the current thread has no handle yet, so nobody else has one.
const HANDLES: u64 = 3;

fn token(address: u64) -> &'static mut u32 {
    // SAFETY: the program's word.
    unsafe { &mut *(address as *mut u32) }
}

/// Is there a token?
pub fn available(address: u64) -> bool {
    *token(address) == 1
}

/// The point before a token is left.
pub fn before_unpark(at: u64, pc: u64) {
    sched::reach(OpKind::Unpark, Address::object(at), pc);
}

/// It was; `changed`: there was none.
pub fn after_unpark(at: u64, changed: bool, pc: u64) {
    record::word_op(OpKind::Unpark, Address::object(at), u32::from(!changed), pc);
}

fn take(at: u64, pc: u64) {
    sched::reach_detailed(OpKind::Park, Address::object(at), pc, 0);
    *token(at) = 0;
    record::word_op(OpKind::Park, Address::object(at), 0, pc);
}

fn take_until(at: u64, until: u64, pc: u64) {
    let object = Address::object(at);
    sched::reach(OpKind::ParkTimeout, object, pc);
    if available(at) {
        *token(at) = 0;
        record::word_op(OpKind::ParkTimeout, object, 0, pc);
    } else {
        time::reach(until);
        record::word_op(OpKind::ParkTimeout, object, ETIMEDOUT as u32, pc);
    }
}

/// The word of the running thread, if it has a handle.
fn own() -> Option<u64> {
    let layout = standard::layout();
    // SAFETY: the library's thread-local word.
    let block = unsafe { *((tls::thread_pointer() - u64::from(layout.current)) as *const u64) };
    (layout.current != 0 && block >= HANDLES).then(|| block - COUNTS + u64::from(layout.parker))
}

/// The word of a thread by its handle.
fn of(handle: u64) -> u64 {
    // SAFETY: the program's handle, which holds the address of the block.
    unsafe { *(handle as *const u64) + u64::from(standard::layout().parker) }
}

models! {
    fn thread_park(handle: u64) {
        let pc = caller();
        take(of(handle), pc)
    }
    fn park() {
        let pc = caller();
        match own() {
            Some(word) => take(word, pc),
            // SAFETY: the library's own function, which makes a handle and waits for ever.
            None => unsafe { core::mem::transmute::<u64, extern "C-unwind" fn()>(standard::original(Model::Park))() },
        }
    }
}

models_open! {
    fn thread_park_timeout(handle: u64, seconds: u64, nanoseconds: u32) {
        let pc = caller();
        take_until(of(handle), later(seconds, nanoseconds), pc)
    }
    fn park_timeout(seconds: u64, nanoseconds: u32) {
        let pc = caller();
        match own() {
            Some(word) => take_until(word, later(seconds, nanoseconds), pc),
            None => time::reach(later(seconds, nanoseconds)), // nobody has a handle: it ends by time
        }
    }
}
