//! Points that the plan seals off by who is on the call stack.
//!
//! The plan's predicates are ranges of code. A point matches one if its own instruction or a call site of the thread's
//! shadow call stack lies within; the last predicate that matches decides, and where none does points are sealed if any
//! predicate allows them elsewhere: see `Seal` in `trace`. A function that was inlined is where it was inlined to, and one that
//! was not instrumented is on the stack only as the place of the call: the search names ranges accordingly.

use crate::state::{g, me, shadow_top};
use crate::{aside, record};
use core::ops::Range;
use gabion_trace::shared::record::ACCESSES;
use gabion_trace::{Coverage, Point, Rec, Tag, ThreadId};

/// Instructions of which it is remembered that they were told of.
pub const TOLD: usize = 64;

/// Takes the plan's predicates: where they are, among its records. The order of these is that of `trace`'s encoder.
pub fn load() {
    let g = g();
    let (_, threads) = span(g.plan.choices as usize, Tag::Thread);
    let (_, races) = span(threads, Tag::RacePoint);
    g.seals = span(races, Tag::Seal);
}

/// Records of one kind that stand together from an index on: the first's index, and one past the last's.
pub fn span(from: usize, tag: Tag) -> (usize, usize) {
    let end = g().plan.records as usize;
    (from, (from..end).find(|i| rec(*i).tag() != Some(tag)).unwrap_or(end))
}

/// Is the point of the running thread at this instruction sealed off? Notes it for the verdict if so.
#[inline(always)]
pub fn seals_off(class: Point, pc: u64) -> bool {
    let (from, to) = g().seals;
    from != to && class != Point::Voluntary && decide(class, pc)
}

/// A run begins: nothing was told of it.
pub fn begin_run() {
    g().told_sealed = [0; TOLD];
}

#[cold]
fn decide(class: Point, pc: u64) -> bool {
    let (from, to) = g().seals;
    let last = (from..to).rev().map(rec).find(|seal| matches(seal, pc));
    let allowed = last.map_or_else(|| !(from..to).any(|i| allows(&rec(i))), |seal| allows(&seal));
    if !allowed {
        record::cover(Coverage::SEALED);
        tell(class, pc);
    }
    !allowed
}

/// Records where a point was sealed off: a loop tells of it once, unless another instruction took its place in between.
fn tell(class: Point, pc: u64) {
    let g = g();
    let told = &mut g.told_sealed[(pc ^ pc >> 6) as usize % TOLD];
    if core::mem::replace(told, pc) != pc && g.plan.record >= ACCESSES {
        record::store(Rec::new(Tag::Sealed, class as u8, ThreadId(g.current as u16), 0, 0, pc));
    }
}

fn allows(seal: &Rec) -> bool {
    seal.flags() != 0
}

fn matches(seal: &Rec, pc: u64) -> bool {
    if (seal.a, seal.b) == (0, 0) { me().within > 0 } else { on_stack(seal.a..seal.b, pc) }
}

/// Is the code on the running thread's call stack, the instruction included?
pub fn on_stack(code: Range<u64>, pc: u64) -> bool {
    let base = aside::shadow_base(g().current);
    let frames = shadow_top().saturating_sub(base) / 8;
    // SAFETY: below the top of the running thread's shadow stack. It holds return addresses, one past the call.
    code.contains(&pc)
        || (0..frames).any(|i| code.contains(&unsafe { *((base + i * 8) as *const u64) }.wrapping_sub(1)))
}

fn rec(index: usize) -> Rec {
    // SAFETY: below the number of records in the slot.
    unsafe { *g().choices.add(index) }
}
