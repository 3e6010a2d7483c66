//! An access that takes part in a race, and what it is for, with names.

use crate::naming::{Namer, location};
use gabion_analysis::Side;
use gabion_trace::{Access, AccessKind, Event, Frame, Role, ThreadId, Trace};

/// One of the two accesses of a race, named.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Racer {
    /// Who.
    pub thread: ThreadId,
    /// The thread's function.
    pub name: String,
    /// `read`, `write`, `atomic update`…
    pub what: String,
    /// Where, innermost first.
    pub stack: Vec<Frame>,
    pub(crate) pc: u64,
}

impl Racer {
    pub(crate) fn of(namer: &mut Namer<'_>, side: &Side, stacks: &Trace, names: &[String]) -> Self {
        Racer {
            thread: side.thread,
            name: names.get(side.thread.index()).cloned().unwrap_or_default(),
            what: if side.access.pc == 0 { "end" } else { verb(side.access.kind) }.to_string(),
            stack: namer.stack(side.access.pc, stacks.access_stack(side.event as usize)),
            pc: side.access.pc,
        }
    }

    /// `file:line`, or what there is.
    pub fn location(&self) -> String {
        let unknown = || if self.pc == 0 { "its end".to_string() } else { format!("{:#x}", self.pc) };
        Frame::place(&self.stack).and_then(location).unwrap_or_else(unknown)
    }

    /// In words.
    pub fn words(&self) -> String {
        format!("{} by {} at {}", self.what, self.who(), self.location())
    }

    pub(crate) fn who(&self) -> String {
        if self.name.is_empty() { self.thread.to_string() } else { format!("{} ({})", self.thread, self.name) }
    }
}

fn verb(kind: AccessKind) -> &'static str {
    let atomic = kind.has(AccessKind::ATOMIC) && !kind.has(AccessKind::OF_OBJECT);
    match (kind.has(AccessKind::FREE), kind.reads(), kind.writes()) {
        (true, ..) => "free",
        (_, true, true) if atomic => "atomic update",
        (_, false, true) if atomic => "atomic write",
        _ if atomic => "atomic read",
        (_, true, true) => "update",
        (_, false, true) => "write",
        _ => "read",
    }
}

/// A variable, a block with its place of allocation, somebody's stack.
pub(crate) fn object(namer: &mut Namer<'_>, side: &Side, trace: &Trace) -> String {
    let own = side.access;
    let covers = |at: u64, size: u32| {
        let whole = Access { address: gabion_trace::Address::memory(at), size, kind: AccessKind::WRITE, pc: 0 };
        whole.conflicts(&own)
    };
    let before = &trace.events[..(side.event as usize).min(trace.events.len())];
    let found = before.iter().rev().find_map(|event| match *event {
        Event::Alloc { address, size, pc, thread } if covers(address, size) => {
            Some((thread, address, size, pc, &[][..]))
        }
        _ => None,
    });
    let present = || {
        let mut blocks = trace.witnesses.iter().filter(|w| w.role == Role::Present);
        let block = blocks.find(|w| covers(w.address, w.size))?;
        Some((block.thread, block.address, block.size, block.pc, block.stack.as_slice()))
    };
    match found.or_else(present) {
        Some((thread, at, size, pc, sites)) => {
            let stack = namer.stack(pc, sites);
            let site = Frame::place(&stack).and_then(location).map_or(String::new(), |at| format!(" at {at}"));
            let offset = own.address.offset().saturating_sub(at);
            format!("byte {offset} of a block of {size} bytes allocated by {thread}{site}")
        }
        None => namer.name_of(&own, side.event as usize),
    }
}

/// Is a function on the stack one that sets something up or takes it down (thesis §4.4.5)?
pub(crate) fn sets_up(racer: &Racer) -> bool {
    racer.stack.iter().filter_map(|frame| frame.function.as_deref()).any(is_set_up)
}

/// Does a function of this name set something up or take it down?
pub(crate) fn is_set_up(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| ["init", "destroy"].contains(&part))
}
