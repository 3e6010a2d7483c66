//! Accesses that the plan leaves out: those that trusted code makes, and those to memory that is to be ignored.
//!
//! They are neither points nor recorded, so no order of them is explored: the verdict says so. Synchronisation counts as ever,
//! atomics of trusted code among it; only atomics on ignored memory are left out. A loop that waits for what is left out is
//! recognised all the same, or a thread in it would never let the others go on.

use crate::fiber::Life;
use crate::seal::{on_stack, span};
use crate::state::{g, me};
use crate::waiting::{self, Eager};
use crate::{quiet, record, sched};
use gabion_trace::{AccessKind, Address, Coverage, OpKind, Rec, Space, Tag};

struct Trust {
    /// The plan leaves something out.
    any: bool,
    /// Indices of the plan's records, from the first to one past the last.
    code: (usize, usize),
    memory: (usize, usize),
}

static mut TRUST: Trust = Trust { any: false, code: (0, 0), memory: (0, 0) };

fn trust() -> &'static mut Trust {
    // SAFETY: one kernel thread.
    unsafe { &mut TRUST }
}

/// Takes what the plan leaves out: where it is, among its records. Seals, taken before, stand right in front.
pub fn load() {
    let code = span(g().seals.1, Tag::Trusted);
    let memory = span(code.1, Tag::Ignored);
    *trust() = Trust { any: code.0 != code.1 || memory.0 != memory.1, code, memory };
}

fn records((from, to): (usize, usize)) -> impl Iterator<Item = Rec> {
    // SAFETY: below the number of records in the slot; `load` found them there.
    (from..to).map(|i| unsafe { *g().choices.add(i) })
}

/// Does the plan leave anything out?
#[inline(always)]
pub fn any() -> bool {
    trust().any
}

/// Is what the running thread does to memory at this instruction left out?
#[inline(always)]
pub fn trusts(pc: u64) -> bool {
    trust().any && is_trusted(pc)
}

#[cold]
fn is_trusted(pc: u64) -> bool {
    noted(records(trust().code).any(|code| on_stack(code.a..code.b, pc)))
}

/// Are accesses to this address left out?
#[inline(always)]
pub fn ignores(address: Address) -> bool {
    trust().any && is_ignored(address)
}

#[cold]
fn is_ignored(address: Address) -> bool {
    let (space, at) = (address.space(), address.offset());
    space == Some(Space::Memory) && noted(records(trust().memory).any(|memory| (memory.a..memory.b).contains(&at)))
}

fn noted(left_out: bool) -> bool {
    if left_out {
        record::cover(Coverage::TRUSTED);
    }
    left_out
}

/// A plain access of the running thread that is not to its own stack. True: it is left out, and all is done.
#[inline(always)]
pub fn leaves_out(at: u64, size: u64, kind: AccessKind, joined: bool, pc: u64) -> bool {
    trust().any && (is_ignored(Address::memory(at)) || is_trusted(pc)) && {
        pass(at, size, kind, joined, pc);
        true
    }
}

#[cold]
fn pass(at: u64, size: u64, kind: AccessKind, joined: bool, pc: u64) {
    if kind.writes() || kind.has(AccessKind::FREE) {
        waiting::effect();
    } else {
        let waits = match kind.has(AccessKind::VOLATILE) {
            _ if joined => false,
            false => waiting::visit_plain(at, pc),
            true => waiting::visit(OpKind::Access, at, pc, Eager::Yes),
        };
        if waits && me().life == Life::Starting {
            sched::reach(OpKind::Access, Address::memory(at), pc);
        } else if waits {
            sched::wait(OpKind::Access, Address::memory(at), pc);
        }
        let eager = if kind.has(AccessKind::VOLATILE) { Eager::Yes } else { Eager::No };
        waiting::will_see(at, size, pc, eager);
    }
    quiet::pass(pc);
}
