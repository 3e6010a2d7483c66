//! Points that the plan seals off by who is on the call stack.
//!
//! The plan's predicates are ranges of code. A point matches one if its own instruction or a call site of the thread's
//! shadow call stack lies within; the last predicate that matches decides, and where none does the first one says what
//! the rule is: see `Seal` in `trace`. A function that was inlined is where it was inlined to, and one that was not
//! instrumented is on the stack only as the place of the call: the search names ranges accordingly.

use crate::state::{g, shadow_top};
use crate::{aside, record};
use gabion_trace::{Coverage, Point, Rec, Tag};

/// Takes the plan's predicates: where they are, among its records.
pub fn load() {
    let g = g();
    let is_seal = |i: &usize| rec(*i).tag() == Some(Tag::Seal);
    let from = (g.plan.choices as usize..g.plan.records as usize).find(is_seal).unwrap_or(0);
    let to = (from..g.plan.records as usize).find(|i| !is_seal(i)).unwrap_or(g.plan.records as usize);
    g.seals = (from, to);
}

/// Is the point of the running thread at this instruction sealed off? Notes it for the verdict if so.
#[inline(always)]
pub fn seals_off(class: Point, pc: u64) -> bool {
    let (from, to) = g().seals;
    from != to && class != Point::Voluntary && decide(pc)
}

#[cold]
fn decide(pc: u64) -> bool {
    let g = g();
    let (from, to) = g.seals;
    let last = (from..to).rev().map(rec).find(|seal| on_stack(seal, pc));
    let allowed = last.map_or(!allows(&rec(from)), |seal| allows(&seal));
    if !allowed {
        record::cover(Coverage::SEALED);
    }
    !allowed
}

fn allows(seal: &Rec) -> bool {
    seal.flags() != 0
}

fn on_stack(seal: &Rec, pc: u64) -> bool {
    let code = seal.a..seal.b;
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
