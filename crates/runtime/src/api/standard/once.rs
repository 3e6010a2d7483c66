//! `Once`, and with it `OnceLock` and `LazyLock`.
//!
//! The library's own function runs, after the wait and with a closure of ours around the program's: what it does to the
//! word, and how it panics about a poisoned one, is its business. The closure says when the program's code has ended, which is
//! a point: who asks whether it is done may come in between.

use super::super::watched::{self, Watch};
use super::{WORD, models};
use crate::abi::atomic;
use crate::interpose::caller;
use crate::standard;
use crate::state::me;
use crate::{record, sched};
use gabion_trace::standard::Model;
use gabion_trace::{Address, OpKind};

/// States of the word; the third bit says that threads wait, which they never do.
const STATE: u32 = 3;
const COMPLETE: u32 = 0;
const RUNNING: u32 = 1;
const POISONED: u32 = 2;
/// Detail: waits until it is complete.
const UNTIL_DONE: u64 = 1;

fn state(address: u64) -> u32 {
    // SAFETY: the program's word.
    unsafe { *(address as *const u32) & STATE }
}

/// Can a thread go on that is about to run it, or waits until it has run?
pub fn free(address: u64, detail: u64) -> bool {
    match state(address) {
        RUNNING => false,
        COMPLETE | POISONED => true,
        _ => detail & UNTIL_DONE == 0,
    }
}

/// A closure in place of the program's. The library calls it through the table that comes with it.
#[repr(C)]
struct Around {
    watch: Watch,
    data: u64,
    table: *const u64,
    word: u64,
    pc: u64,
}

/// ABI: a table of `dyn FnMut`: drop, size, alignment, `call_once`, `call_mut`.
#[repr(C)]
struct Table {
    drop: u64,
    size: u64,
    alignment: u64,
    call_once: u64,
    call_mut: unsafe extern "C-unwind" fn(*const Around, u64),
}
const CALL_MUT: usize = 4;

static TABLE: Table = Table { drop: 0, size: size_of::<Around>() as u64, alignment: 8, call_once: 0, call_mut: run };

unsafe extern "C-unwind" fn run(around: *const Around, once_state: u64) {
    // SAFETY: the closure that `call` made, which lives until the library returns.
    unsafe {
        let function = *(*around).table.add(CALL_MUT);
        watched::call(function, (*around).data, once_state, around.cast());
        finish(&*around, 0);
    }
}

/// A panic left the program's code.
unsafe fn left(watch: *const Watch) {
    // SAFETY: it stands first in the closure that `call` made, which lives until the library returns.
    finish(unsafe { &*watch.cast::<Around>() }, 1);
}

/// The program's code has run, or (result 1) was left by a panic. The library changes the word in this step.
fn finish(around: &Around, result: u32) {
    let object = Address::object(around.word);
    sched::reach(OpKind::OnceDone, object, around.pc);
    me().locks.iter_mut().filter(|held| **held == object.0).for_each(|held| *held = 0);
    record::word_op(OpKind::OnceDone, object, result, around.pc);
    atomic::published(around.word, around.pc); // compiled code reads the word without asking us
}

models! {
    fn call(word: u64, ignore_poisoning: bool, data: u64, table: u64, place: u64) {
        let pc = caller();
        let object = Address::object(word);
        sched::reach_detailed(OpKind::Once, object, pc, WORD);
        let found = state(word);
        record::word_op(OpKind::Once, object, u32::from(found == COMPLETE), pc);
        if found == COMPLETE {
            return;
        }
        let around = Around { watch: Watch { left }, data, table: table as *const u64, word, pc };
        let (data, table) = if found == POISONED && !ignore_poisoning {
            record::word_op(OpKind::OnceDone, object, 1, pc);
            (data, table) // it panics
        } else {
            if let Some(free) = me().locks.iter_mut().find(|held| **held == 0) {
                *free = object.0; // as if it were a lock: for those who ask who is in the way
            }
            (&raw const around as u64, &raw const TABLE as u64)
        };
        type Call = unsafe extern "C-unwind" fn(u64, bool, u64, u64, u64);
        // SAFETY: the library's own function, with its arguments, or a closure of ours that lives in this frame.
        unsafe {
            let call = core::mem::transmute::<u64, Call>(standard::original(Model::OnceCall));
            call(word, ignore_poisoning, data, table, place);
        }
    }
    fn wait(word: u64, ignore_poisoning: bool, place: u64) {
        let pc = caller();
        let object = Address::object(word);
        sched::reach_detailed(OpKind::Once, object, pc, WORD | UNTIL_DONE);
        record::word_op(OpKind::Once, object, 1, pc);
        type Wait = unsafe extern "C-unwind" fn(u64, bool, u64);
        // SAFETY: the library's own function, with its arguments.
        unsafe { core::mem::transmute::<u64, Wait>(standard::original(Model::OnceWait))(word, ignore_poisoning, place) }
    }
}
