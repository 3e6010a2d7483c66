//! Which reads of the failing thread bear on its failure.
//!
//! What a check depends on is not recorded. Two things show it: the read is made where the failing thread is when it fails (in
//! the failing expression, which may say what it asks for, or for an argument of a call that it is in), or it finds something
//! else than in the closest run that does not fail. A read that finds the same there is no reason, and never told. Where neither
//! is known, a read is told only if there is no other. Deliberately missed: which of several values that differ the check depends
//! on, if they are read elsewhere; they are all told, and that this is not known.

use crate::atomicity::{Met, Nearness, Touch};
use crate::conflicts::{left_behind, met};
use crate::site::Lineage;
use gabion_trace::{Address, Event, Frame, ThreadId, Trace};
use std::collections::HashMap;

/// Reads that are told.
const TOLD: usize = 3;

/// How what a read finds compares with what it finds in the run that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contrast {
    /// There is no such run, or the read is not made there, or no value is known.
    Unknown,
    /// It finds the same.
    Same,
    /// It finds this there.
    Differs(u64),
    /// It reads this there.
    Elsewhere(Address),
}

/// A read of the failing thread, and why it may matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) met: Met,
    pub(crate) near: Nearness,
    /// Made where the thread fails: how many calls further out.
    pub(crate) on_the_way: Option<usize>,
    pub(crate) contrast: Contrast,
}

impl Read {
    fn differs(&self) -> bool {
        matches!(self.contrast, Contrast::Differs(_) | Contrast::Elsewhere(_))
    }

    pub(crate) fn bytes(&self) -> (Address, u32) {
        (self.met.access.access.address, self.met.access.access.size)
    }
}

/// Those of some reads that may bear on a failure at all, recent ones if there are such.
pub(crate) fn candidates(mut reads: Vec<Read>) -> Vec<Read> {
    // What nobody else writes is the same whoever comes first.
    reads.retain(|read| read.near > Nearness::Foreign && (read.met.before.is_some() || read.differs()));
    if reads.iter().any(|read| read.near == Nearness::Own) {
        reads.retain(|read| read.near == Nearness::Own);
    }
    let recent = reads.iter().any(|read| read.met.recent);
    reads.retain(|read| read.met.recent || !recent || read.on_the_way.is_some() || read.differs());
    reads
}

/// Those of the candidates, the last first, that are known to bear on the failure, in the order in which they were made.
pub(crate) fn relevant(candidates: &[Read]) -> Vec<Read> {
    let live: Vec<Read> = candidates.iter().filter(|read| read.contrast != Contrast::Same).copied().collect();
    let mut told = here(&live);
    if told.iter().any(Read::differs) {
        told.retain(Read::differs);
    } else {
        told.extend(differing(&live));
    }
    if told.is_empty() {
        told = only(candidates);
    }
    let mut told = last_of_each(told);
    // Of what a library does for itself the last is enough.
    if told.iter().all(|read| read.near < Nearness::Own) {
        told.drain(..told.len().saturating_sub(1));
    }
    told
}

/// Is it known of all these that they matter? Of those that are not made where the thread fails, only if they are of one variable.
pub(crate) fn is_decided(told: &[Read]) -> bool {
    let mut elsewhere = told.iter().filter(|read| read.on_the_way.is_none()).map(Read::bytes);
    elsewhere.next().is_none_or(|first| elsewhere.all(|other| other == first))
}

/// Those that are made where the thread fails, as far in as there are any.
fn here(reads: &[Read]) -> Vec<Read> {
    let nearest = reads.iter().filter_map(|read| read.on_the_way).min();
    reads.iter().filter(|read| nearest.is_some() && read.on_the_way == nearest).copied().collect()
}

/// Those that find something else than in the run that passes: since the thread waited, if there are such.
fn differing(reads: &[Read]) -> Vec<Read> {
    let differing = || reads.iter().filter(|read| read.differs()).copied();
    let recent: Vec<Read> = differing().filter(|read| read.met.recent).collect();
    if recent.is_empty() { differing().collect() } else { recent }
}

/// The last reads of different bytes, in the order in which they were made.
pub(crate) fn last_of_each(mut reads: Vec<Read>) -> Vec<Read> {
    reads.sort_by_key(|read| std::cmp::Reverse(read.met.access.event));
    let mut kept: Vec<Read> = Vec::new();
    for read in reads {
        if kept.len() < TOLD && kept.iter().all(|known| known.bytes() != read.bytes()) {
            kept.push(read);
        }
    }
    kept.reverse();
    kept
}

/// The last read, if all are of the same bytes and it is not known to make no difference.
fn only(reads: &[Read]) -> Vec<Read> {
    let last = reads.first().filter(|read| read.contrast != Contrast::Same);
    last.filter(|last| reads.iter().all(|read| read.bytes() == last.bytes())).into_iter().copied().collect()
}

/// Is a read made where a thread fails: in the same expression, or for an argument of a call that it is in then? How many
/// calls further out. Both stacks are innermost first.
pub(crate) fn on_the_way(failing: &[Frame], read: &[Frame]) -> Option<usize> {
    // Where a panic says that it was comes before who made it.
    let said = failing.len() > 1 && failing[0].function.is_none();
    let failing = if said { &failing[1..] } else { failing };
    let same = |(a, b): &(&Frame, &Frame)| (&a.function, &a.file, a.line) == (&b.function, &b.file, b.line);
    let common = failing.iter().rev().zip(read.iter().rev()).take_while(same).count();
    let out = failing.len() - common;
    let known = common > 0 && failing[out].line.is_some();
    let inner = |stack: &[Frame]| stack.len().checked_sub(common + 1).map(|at| stack[at].function.clone());
    // In the call itself, at another line, anything may be read.
    let within = out > 0 && inner(read).is_some() && inner(failing) == inner(read);
    (known && !within).then_some(out)
}

/// What a thread finds in a run that fails, and in one that passes.
pub(crate) struct Passing {
    found: HashMap<usize, u64>,
    /// Which time it is that the instruction, called from there, reads.
    nth: HashMap<usize, usize>,
    there: HashMap<Place, Vec<(Address, Option<u64>)>>,
    at: HashMap<usize, Place>,
}

/// An instruction and the call sites above it.
type Place = (u64, Vec<u64>);

impl Passing {
    pub(crate) fn of(fails: &Trace, passes: Option<&Trace>, thread: ThreadId) -> Self {
        let found = met(fails, &left_behind(fails));
        let (mut nth, mut at, mut times) = (HashMap::new(), HashMap::new(), HashMap::<Place, usize>::new());
        for (event, _, place) in reads(fails, thread) {
            let count = times.entry(place.clone()).or_default();
            nth.insert(event, *count);
            *count += 1;
            at.insert(event, place);
        }
        let mut there: HashMap<Place, Vec<(Address, Option<u64>)>> = HashMap::new();
        if let Some((passes, thread)) = passes.and_then(|passes| Some((passes, counterpart(fails, passes, thread)?))) {
            let found = met(passes, &left_behind(passes));
            for (event, address, place) in reads(passes, thread) {
                there.entry(place).or_default().push((address, found.get(&event).copied()));
            }
        }
        Passing { found, nth, there, at }
    }

    /// What the access of an event found in the run that fails.
    pub(crate) fn value(&self, event: usize) -> Option<u64> {
        self.found.get(&event).copied()
    }

    /// Loops may be passed through more often: a value that the last time finds there is no other.
    pub(crate) fn contrast(&self, touch: &Touch) -> Contrast {
        let Some(there) = self.at.get(&touch.event).and_then(|place| self.there.get(place)) else {
            return Contrast::Unknown;
        };
        let found = (touch.access.address, self.value(touch.event));
        let same_time = self.nth.get(&touch.event).and_then(|nth| there.get(*nth));
        let known = [same_time, there.last()].into_iter().flatten();
        let mask = |(address, value): (Address, Option<u64>)| (address, value.map(|v| low(v, touch.access.size)));
        if found.1.is_none() || known.clone().any(|(_, value)| value.is_none()) {
            return Contrast::Unknown;
        }
        if known.clone().any(|other| mask(*other) == mask(found)) {
            return Contrast::Same;
        }
        let (address, value) = known.into_iter().next().expect("internal error: a place that was read nowhere");
        match value {
            Some(value) if *address == found.0 => Contrast::Differs(*value),
            _ => Contrast::Elsewhere(*address),
        }
    }
}

/// The low bytes of a value.
fn low(value: u64, size: u32) -> u64 {
    if size >= 8 { value } else { value & ((1 << (8 * size)) - 1) }
}

/// The reads of a thread.
fn reads(trace: &Trace, thread: ThreadId) -> impl Iterator<Item = (usize, Address, Place)> {
    let own = trace.steps.iter().filter(move |step| step.thread == thread);
    own.flat_map(|step| step.events.range()).filter_map(|event| match trace.events[event] {
        Event::Access { access, .. } if access.kind.reads() => {
            Some((event, access.address, (access.pc, trace.access_stack(event).to_vec())))
        }
        _ => None,
    })
}

/// The same thread in another run.
fn counterpart(trace: &Trace, other: &Trace, thread: ThreadId) -> Option<ThreadId> {
    let lineage = Lineage::of(thread, &trace.threads);
    let all = (0..other.threads.len()).map(|index| ThreadId(index as u16));
    all.into_iter().find(|id| Lineage::of(*id, &other.threads) == lineage)
}

#[cfg(test)]
mod tests;
