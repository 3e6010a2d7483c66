//! Rounds that change a word and change it back.
//!
//! `while (add(&lock, READER) & WRITER) sub(&lock, READER);` changes what others see, but changes it back. As with rounds that
//! take a lock to look (`locks`), such a round can be left out like one without an effect if no other thread made a step in
//! between. What the word was before counts as read. One word at a time, and of at most eight bytes; until it is back,
//! nothing matches, because it is not as it was read.

use super::{History, Read, effect, mine, word};
use crate::private::Stage;
use crate::state::{g, me};
use core::num::NonZeroUsize;
use gabion_trace::{Address, OpKind};

/// A word that is about to be changed, or was and is not back yet.
#[derive(Clone, Copy)]
pub struct Change {
    at: u64,
    size: u8,
    before: u64,
    pc: u64,
    /// Steps that other threads had made.
    others: u64,
    /// Visits so far.
    visits: u64,
    /// One more than the reads that came before it, if it was no effect.
    reads: Option<NonZeroUsize>,
}

fn steps_of_others() -> u64 {
    let g = g();
    g.steps - u64::from(me().step)
}

/// The running thread is about to make an atomic access that may change a word. A store does not depend on what was there: flags
/// that threads set and take back are told apart from waiting by `rounds`.
#[inline(always)]
pub fn will_change(op: OpKind, at: u64, size: u64, pc: u64) {
    let h = mine();
    h.changes = None;
    if op == OpKind::AtomicUpdate && h.visits > 0 && size <= 8 {
        let size = size as u8;
        if h.puts_back == pc {
            h.settle();
            h.passed(); // the word may be on the stack, which is compared as it is now
        }
        let (before, others, visits) = (word(at, size), steps_of_others(), h.visits);
        h.changes = Some(Change { at, size, before, pc, others, visits, reads: None });
    }
}

/// It has, and the word is another now. The first time that an instruction does so is an effect like any other. If it was
/// put back, the next time is not.
pub fn changed(at: u64) {
    let h = mine();
    let Some(change) = h.changes.take().filter(|change| h.visits > 0 && change.at == at) else { return effect() };
    match h.moved {
        Some(moved) if is_back(&moved, &change) => put_back(h, &moved),
        None if h.puts_back == change.pc => leave(h, change),
        _ => {
            effect();
            h.moved = Some(change);
        }
    }
}

fn is_back(moved: &Change, change: &Change) -> bool {
    let same = (moved.at, moved.size, moved.others) == (change.at, change.size, change.others);
    same && word(moved.at, moved.size) == moved.before
}

fn leave(h: &mut History, change: Change) {
    h.moved = Some(Change { reads: NonZeroUsize::new(h.count + 1), ..change });
    let Change { at, size, before, pc, .. } = change;
    h.keep(Read { at, size, address: Address::memory(at), pc, value: before, took: false });
    crate::guess::progress();
}

fn put_back(h: &mut History, moved: &Change) {
    h.puts_back = moved.pc;
    let Some(reads) = moved.reads else { return effect() };
    h.settle();
    h.moved = None;
    h.visits = moved.visits; // or those that double would always be such as are given up here
    for visit in h.kept() {
        if visit.from.reads >= reads.get() {
            visit.stage = Stage::None; // made while the word was another
        }
    }
    crate::guess::progress();
}
