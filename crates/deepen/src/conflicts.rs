//! The accesses of a run that conflict with those of other threads, with the values that they met and left.

use crate::naming::{Namer, access_verb};
use gabion_trace::{Access, AccessKind, Address, Event, NamedAccess, NamedStep, ThreadId, Trace};
use std::collections::{BTreeSet, HashMap};

/// Accesses of one step that are told.
const MOST: usize = 4;
/// Memory is looked at in words of so many bytes; accesses that share one and no byte do not conflict.
const WORD: u64 = 8;
/// Words of one access that are looked at: of a long copy only its beginning.
const WORDS: u64 = 64;

/// An access that may conflict with later ones.
struct Earlier {
    thread: ThreadId,
    step: usize,
    event: usize,
    access: Access,
}

impl Earlier {
    /// Is this what whoever comes later conflicts with, and no longer the older one? Not for other variables in the word; and of
    /// a step that reads and writes, both are.
    fn replaces(&self, old: &Earlier, word: u64) -> bool {
        let bytes = |access: &Access| {
            let end = access.address.0.saturating_add(u64::from(access.size.max(1)));
            (access.address.0.max(word * WORD), end.min((word + 1) * WORD))
        };
        let ((from, to), (old_from, old_to)) = (bytes(&self.access), bytes(&old.access));
        let (writes, wrote) = (self.access.kind.writes(), old.access.kind.writes());
        let stronger = writes == wrote || writes && self.step != old.step;
        self.thread == old.thread && from <= old_from && old_to <= to && stronger
    }
}

/// The steps of other threads with which an access conflicts: the last before it, and the first after it.
#[derive(Clone, Copy, Default)]
struct Partners {
    before: Option<usize>,
    after: Option<usize>,
}

/// The words that an access touches.
pub(crate) fn words(access: &Access) -> impl Iterator<Item = u64> {
    let first = access.address.0 / WORD;
    let last = access.address.0.saturating_add(u64::from(access.size.max(1)) - 1) / WORD;
    first..=last.min(first + WORDS)
}

/// Puts its conflicting accesses into each named step.
pub(crate) fn name_conflicts(namer: &mut Namer<'_>, trace: &Trace, steps: &mut [NamedStep]) {
    let known = Known::of(trace);
    for (step, named) in trace.steps.iter().zip(steps) {
        for event in step.events.range().filter(|event| known.partners.contains_key(event)) {
            let Some(access) = known.access(namer, trace, event) else { continue };
            let told = |a: &NamedAccess| (&a.object, &a.what) == (&access.object, &access.what);
            if named.accesses.len() < MOST && !named.accesses.iter().any(told) {
                named.accesses.push(access);
            }
        }
    }
}

/// Marks the accesses of some events as spoken of, each in its step, which has them even if it has no others.
pub(crate) fn name_spoken_of(namer: &mut Namer<'_>, trace: &Trace, steps: &mut [NamedStep], events: &BTreeSet<usize>) {
    let known = Known::of(trace);
    for event in events {
        let step = trace.steps.iter().position(|step| step.events.range().contains(event));
        let step = step.and_then(|step| steps.get_mut(step));
        let (Some(step), Some(access)) = (step, known.access(namer, trace, *event)) else { continue };
        match step.accesses.iter_mut().find(|told| NamedAccess { spoken_of: false, ..(*told).clone() } == access) {
            Some(told) => told.spoken_of = true,
            None => step.accesses.push(NamedAccess { spoken_of: true, ..access }),
        }
    }
}

/// What the accesses of a run met and left, and what they conflict with.
struct Known {
    met: HashMap<usize, u64>,
    left: HashMap<usize, u64>,
    partners: HashMap<usize, Partners>,
}

impl Known {
    fn of(trace: &Trace) -> Self {
        let left = left_behind(trace);
        Known { met: met(trace, &left), left, partners: partners(trace) }
    }

    /// The access of an event, or its allocation, with names.
    fn access(&self, namer: &mut Namer<'_>, trace: &Trace, event: usize) -> Option<NamedAccess> {
        let access = match trace.events[event] {
            Event::Access { access, .. } => access,
            Event::Alloc { address, .. } => return Some(allocation(namer, Address::memory(address), event)),
            _ => return None,
        };
        // Who gives memory back neither reads nor changes it.
        let frees = access.kind.has(AccessKind::FREE);
        let mut shown = |value: &u64| namer.value(*value, access.size, event).filter(|_| !frees);
        let before = self.met.get(&event).and_then(&mut shown);
        let after = self.left.get(&event).filter(|_| access.kind.writes()).and_then(shown);
        let Partners { before: with, after: next } = self.partners.get(&event).copied().unwrap_or_default();
        Some(NamedAccess {
            what: access_verb(access.kind).to_string(),
            object: namer.name_of(&access, event),
            before,
            after,
            with,
            next,
            stack: namer.stack(access.pc, trace.access_stack(event)),
            spoken_of: false,
        })
    }
}

fn allocation(namer: &mut Namer<'_>, block: Address, event: usize) -> NamedAccess {
    let (what, object, stack) = ("allocate".to_string(), namer.name_at(block, event), namer.allocation(block, event));
    NamedAccess { what, object, before: None, after: None, with: None, next: None, stack, spoken_of: false }
}

/// For each access that conflicts with one of another thread: in which steps.
fn partners(trace: &Trace) -> HashMap<usize, Partners> {
    let mut found: HashMap<usize, Partners> = HashMap::new();
    let mut last: HashMap<u64, Vec<Earlier>> = HashMap::new();
    for (index, step) in trace.steps.iter().enumerate() {
        for event in step.events.range() {
            let Event::Access { access, .. } = trace.events[event] else { continue };
            for word in words(&access) {
                let known = last.entry(word).or_default();
                for other in known.iter().filter(|o| o.thread != step.thread && o.access.conflicts(&access)) {
                    let own = found.entry(event).or_default();
                    own.before = own.before.max(Some(other.step));
                    found.entry(other.event).or_default().after.get_or_insert(index);
                }
                let new = Earlier { thread: step.thread, step: index, event, access };
                known.retain(|old| !new.replaces(old, word));
                known.push(new);
            }
        }
    }
    found
}

/// For each access, what it left: itself it says so, or the next one to the same bytes met that, or it is there when its step ends.
pub(crate) fn left_behind(trace: &Trace) -> HashMap<usize, u64> {
    let mut next: HashMap<(u64, u32), u64> = HashMap::new();
    let ended: HashMap<u32, u64> = trace.ended.iter().copied().collect();
    let mut left = HashMap::new();
    for (event, what) in trace.events.iter().enumerate().rev() {
        let Event::Access { access, value } = *what else { continue };
        let bytes = (access.address.0, access.size);
        let value_left = next.get(&bytes).or_else(|| ended.get(&(event as u32)));
        left.extend(value_left.map(|value| (event, *value)));
        match value {
            Some(value) => next.insert(bytes, value),
            None => next.remove(&bytes),
        };
    }
    left.extend(trace.left.iter().map(|(event, value)| (*event as usize, *value)));
    left
}

/// For each access, what it met: itself it says so, or the one before it left that.
pub(crate) fn met(trace: &Trace, left: &HashMap<usize, u64>) -> HashMap<usize, u64> {
    let mut last: HashMap<u64, (u64, u32, u64)> = HashMap::new();
    let mut met = HashMap::new();
    for (event, what) in trace.events.iter().enumerate() {
        let Event::Access { access, value } = *what else { continue };
        let bytes = (access.address.0, access.size);
        let known = last.get(&(access.address.0 / WORD)).filter(|(at, size, _)| (*at, *size) == bytes).map(|l| l.2);
        met.extend(value.or(known).map(|value| (event, value)));
        let now = if access.kind.writes() { left.get(&event).copied() } else { value };
        words(&access).for_each(|word| _ = last.remove(&word));
        last.extend(now.map(|now| (access.address.0 / WORD, (bytes.0, bytes.1, now))));
    }
    met
}
