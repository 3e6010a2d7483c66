//! The accesses of a failing run: what the failing thread read, who wrote that, and what came between two accesses that belong
//! together (the unserialisable cases of Lu et al. 2006).
//!
//! Accesses are told apart by their bytes. Which reads bear on the failure is for `reads` to say. Deliberately missed: pairs on
//! other bytes, and pairs with a wait of their thread between them, which is there to let others come between.

use crate::conflicts::words;
use gabion_trace::{Access, AccessKind, Address, Event, OpKind, ThreadId, Trace};
use std::collections::HashMap;

/// Different reads that are looked at: the last ones.
const MOST: usize = 64;
/// And of those that an instruction made of the same bytes.
const AGAIN: usize = 4;

/// An access of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touch {
    /// The index of its event.
    pub(crate) event: usize,
    pub(crate) thread: ThreadId,
    pub(crate) access: Access,
}

impl Touch {
    /// Does another variable begin here?
    fn is_new(&self) -> bool {
        self.access.kind.has(AccessKind::REUSE)
    }

    fn only_reads(&self) -> bool {
        !self.access.kind.writes()
    }
}

fn overlap(a: &Access, b: &Access) -> bool {
    let end = |access: &Access| access.address.0.saturating_add(u64::from(access.size));
    a.address.0 < end(b) && b.address.0 < end(a)
}

/// How near an access is to the program's own code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Nearness {
    /// Made by a library, for itself.
    Foreign,
    /// Made by a library that the program called.
    Called,
    /// The program's own, or to one of its variables.
    Own,
}

/// A read of the failing thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Met {
    pub(crate) access: Touch,
    /// The last write of its bytes before that, if another thread has written there at all.
    pub(crate) before: Option<Touch>,
    /// Has the thread not waited since?
    pub(crate) recent: bool,
}

/// Two accesses of one thread, and one of another that came between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Between {
    pub(crate) first: Touch,
    pub(crate) other: Touch,
    pub(crate) second: Touch,
    /// What that did.
    pub(crate) effect: Effect,
}

/// What an access between two others does, the clearest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effect {
    /// A write, to what the thread wrote and reads back.
    Replaces,
    /// A read, between two writes.
    SeesHalf,
    /// A write, between two reads or a read and an update.
    Changes,
    /// A write, between a read and the write that follows from it.
    Lost,
}

/// The accesses of a run, for the failure of one thread.
pub(crate) struct Accesses {
    all: Vec<Touch>,
    /// Where in `all` each word of memory is touched.
    words: HashMap<u64, Vec<usize>>,
    failing: ThreadId,
    /// The event at which the failing thread waited last.
    waited: usize,
    /// Events at which a thread lets others go first.
    waits: Vec<(usize, ThreadId)>,
}

impl Accesses {
    /// Those of the first `steps` steps.
    pub(crate) fn of(trace: &Trace, steps: usize, failing: ThreadId) -> Self {
        let mut found = Accesses { all: Vec::new(), words: HashMap::new(), failing, waited: 0, waits: Vec::new() };
        for step in trace.steps.iter().take(steps) {
            for event in step.events.range() {
                match trace.events[event] {
                    Event::Access { access, .. } if access.size > 0 => found.push(event, step.thread, access),
                    // What was there before is another variable.
                    Event::Alloc { address, size, pc, thread } => {
                        let access = Access { address: Address::memory(address), size, kind: AccessKind::REUSE, pc };
                        found.push(event, thread, access);
                    }
                    Event::Op { op, .. } => found.operation(event, step.thread, op),
                    _ => {}
                }
            }
        }
        found
    }

    fn push(&mut self, event: usize, thread: ThreadId, access: Access) {
        for word in words(&access) {
            self.words.entry(word).or_default().push(self.all.len());
        }
        self.all.push(Touch { event, thread, access });
    }

    fn operation(&mut self, event: usize, thread: ThreadId, op: OpKind) {
        if waits(op) {
            self.waits.push((event, thread));
        }
        if thread == self.failing && waits(op) {
            self.waited = event;
        }
    }

    /// All that touch these bytes, in their order.
    fn here(&self, access: &Access) -> Vec<usize> {
        let mut at: Vec<usize> = words(access).filter_map(|word| self.words.get(&word)).flatten().copied().collect();
        at.sort_unstable();
        at.dedup();
        at.retain(|at| overlap(&self.all[*at].access, access));
        at
    }

    /// What the failing thread read, the last first: of the same bytes at the same instruction a few.
    pub(crate) fn reads(&self) -> Vec<Met> {
        let mut seen: HashMap<(Address, u32, u64), usize> = HashMap::new();
        let mut few = |access: &Access| {
            let known = seen.entry((access.address, access.size, access.pc)).or_default();
            *known += 1;
            *known <= AGAIN
        };
        let own = self.all.iter().enumerate().rev().filter(|(_, touch)| touch.thread == self.failing);
        let reads = own.filter(|(_, touch)| touch.access.kind.reads());
        let new = reads.filter(|(_, touch)| few(&touch.access));
        let met = |(at, access): (usize, &Touch)| Met {
            access: *access,
            before: self.before(at),
            recent: access.event >= self.waited,
        };
        new.take(MOST).map(met).collect()
    }

    /// The last write of what an access reads, if another thread has written there at all.
    fn before(&self, at: usize) -> Option<Touch> {
        let access = &self.all[at];
        let here = self.here(&access.access);
        let earlier = here.into_iter().rev().filter(|other| *other < at).map(|other| self.all[other]);
        let earlier = earlier.take_while(|other| !other.is_new()).filter(|o| access.access.conflicts(&o.access));
        let mut earlier = earlier.filter(|other| !other.only_reads());
        let foreign = |other: &Touch| other.thread != access.thread;
        let last = earlier.next()?;
        (foreign(&last) || earlier.any(|other| foreign(&other))).then_some(last)
    }

    /// What came between two accesses that belong together, on the bytes of some reads: the clearest such case, and of
    /// these the last.
    pub(crate) fn between(
        &self,
        reads: &[Touch],
        which: impl Fn(&Between) -> bool,
        mut near: impl FnMut(&Touch) -> Nearness,
    ) -> Option<Between> {
        let mut best: Option<Between> = None;
        for read in reads {
            let here: Vec<&Touch> = self.here(&read.access).into_iter().map(|at| &self.all[at]).collect();
            let clear = |found: &Between| (found.effect, found.second.event);
            let mut own = |found: &Between| {
                [&found.first, &found.other, &found.second].into_iter().all(|touch| near(touch) == Nearness::Own)
            };
            for found in (0..here.len()).filter_map(|at| self.pair(&here, at)).filter(&which) {
                if best.is_none_or(|best| clear(&found) > clear(&best)) && own(&found) {
                    best = Some(found);
                }
            }
        }
        best
    }

    /// The pair that ends with this access, and what came between first.
    fn pair(&self, here: &[&Touch], at: usize) -> Option<Between> {
        let second = here[at];
        let start = here[..at].iter().rposition(|touch| touch.thread == second.thread || touch.is_new())?;
        let first = here[start];
        let found = |other: &&Touch| {
            let effect = self.effect(first, other, second)?;
            Some(Between { first: *first, other: **other, second: *second, effect })
        };
        let found = here[start + 1..at].iter().find_map(found)?;
        let from = self.waits.partition_point(|(event, _)| *event < first.event);
        let mut waits = self.waits[from..].iter().take_while(|(event, _)| *event < second.event);
        (!waits.any(|(_, thread)| *thread == second.thread)).then_some(found)
    }

    fn effect(&self, first: &Touch, other: &Touch, second: &Touch) -> Option<Effect> {
        let frees = |touch: &Touch| touch.access.kind.has(AccessKind::FREE);
        let conflict = first.access.conflicts(&other.access) && second.access.conflicts(&other.access);
        if !conflict || [first, other, second].into_iter().any(frees) {
            return None;
        }
        let fails = |touch: &Touch| touch.thread == self.failing;
        match (first.only_reads(), other.only_reads(), second.only_reads()) {
            (true, false, false) if !second.access.kind.reads() => Some(Effect::Lost),
            // An update knows what it finds, whoever left that.
            (true, false, false) => Some(Effect::Changes),
            (true, false, true) => Some(Effect::Changes),
            (false, true, false) if fails(other) => Some(Effect::SeesHalf),
            (false, false, true) if fails(second) => Some(Effect::Replaces),
            _ => None,
        }
    }
}

/// The last place in memory that held a value, and who overwrote it there; `left` tells what a write left.
pub(crate) fn overwritten(trace: &Trace, value: u64, left: impl Fn(usize) -> Option<u64>) -> Option<(Address, Touch)> {
    let accesses = Accesses::of(trace, trace.steps.len(), ThreadId(0));
    let writes = |touch: &&Touch| touch.access.kind.writes();
    let held = |touch: &&Touch| touch.access.size == 8 && left(touch.event) == Some(value);
    let kept = accesses.all.iter().filter(writes).rfind(held)?;
    let here = accesses.here(&kept.access).into_iter().map(|at| accesses.all[at]);
    let after = here.filter(|touch| touch.event > kept.event).find(|touch| writes(&touch))?;
    Some((kept.access.address, after))
}

/// Does the thread let others go first?
fn waits(op: OpKind) -> bool {
    use OpKind::*;
    matches!(
        op,
        Create
            | Join
            | TryJoin
            | ScopeJoin
            | CondWait
            | CondReacquire
            | BarrierArrive
            | BarrierWait
            | SemWait
            | SemTimedWait
            | Park
            | ParkTimeout
            | Once
            | FutexWait
    )
}

#[cfg(test)]
mod tests;
