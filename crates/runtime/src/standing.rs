//! How a thread's stack stands when something on it is touched, so that the search can tell which variable that is.
//!
//! Told are the thread's registers at its last call of ours and the words above that may be return addresses or frame
//! pointers; the search goes from caller to caller by what compilers wrote for exceptions. Told only where stacks are
//! recorded, and again only when something has changed. Nothing is told where it is not certain that the registers are those
//! of the call that the thread is in.

use crate::places::{STACK_SPAN, STACKS, STACKS_END, slot, slot_end};
use crate::record::store;
use crate::state::g;
use crate::{callers, dispatch};
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::unwind::Registers;
use gabion_trace::{Address, OpKind, Rec, Space, Tag, ThreadId};

/// Bytes of a stack that are told, from where its thread stands.
const REACH: u64 = 32 << 10;

/// What was told of each thread last: a hash; 0: nothing.
static mut TOLD: [u64; MAX_THREADS] = [0; MAX_THREADS];

fn told(thread: usize) -> &'static mut u64 {
    // SAFETY: one kernel thread.
    unsafe { &mut *(&raw mut TOLD).cast::<u64>().add(thread) }
}

/// A run with stacks begins: nothing was told in it.
pub fn begin_run() {
    (0..MAX_THREADS).for_each(|thread| *told(thread) = 0);
}

/// The running thread has touched something at `pc`: if that is on a stack, tells how it stands.
pub fn touched(address: Address, pc: u64) {
    tell(address, pc, 0);
}

/// The same of what it is about to touch.
pub fn will_touch(address: Address, pc: u64) {
    tell(address, pc, 1);
}

fn tell(address: Address, pc: u64, flags: u8) {
    let at = address.offset();
    if !matches!(address.space(), Some(Space::Memory | Space::Object)) || !(STACKS..STACKS_END).contains(&at) {
        return;
    }
    let owner = ((at - STACKS) / STACK_SPAN) as usize;
    let known = registers(owner, pc).is_some_and(|registers| stands(owner, registers, at));
    store(Rec::new(Tag::OnStack, flags, ThreadId(owner as u16), u32::from(known), at, 0));
}

/// Tells how a stack stands, if that reaches to an address.
fn stands(thread: usize, Registers { stack, frame }: Registers, at: u64) -> bool {
    let end = g().fibers[thread].base.min(stack + REACH);
    if !(stack..end).contains(&at) {
        return false;
    }
    let first = Rec::new(Tag::Standing, 0, ThreadId(thread as u16), 0, stack, frame);
    let mut hash = first.mix(0);
    each_word(thread, stack, end, |rec| hash = rec.mix(hash));
    if core::mem::replace(told(thread), hash) != hash {
        store(first);
        each_word(thread, stack, end, store);
    }
    true
}

/// A thread's registers at the call of ours that it is in.
fn registers(thread: usize, pc: u64) -> Option<Registers> {
    let f = &g().fibers[thread];
    if thread >= g().threads || !f.alive() {
        return None;
    }
    let is_from = |entry: &Registers, pc: u64| callers::word(thread, entry.stack) == Some(pc.wrapping_add(1));
    if thread == g().current {
        return [callers::last(), f.entry].into_iter().find(|entry| is_from(entry, pc));
    }
    // The C++ library's `join` goes by where it was called.
    let joins = f.pending.op == OpKind::Join && callers::word(thread, f.entry.stack).is_some();
    (is_from(&f.entry, f.pending.pc) || joins).then_some(f.entry)
}

/// Words that may be return addresses, or pointers to frames of the same stack.
fn each_word(thread: usize, from: u64, to: u64, mut tell: impl FnMut(Rec)) {
    let own = slot(thread)..slot_end(thread);
    for at in (from..to).step_by(8) {
        let Some(word) = callers::word(thread, at) else { continue };
        if own.contains(&word) || word >= STACKS_END || dispatch::is_program(word) {
            tell(Rec::new(Tag::StackWord, 0, ThreadId(thread as u16), 0, at, word));
        }
    }
}
