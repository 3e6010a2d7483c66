//! Which memory orders would order a race: those of atomics between its two accesses that hand a value over, and are too
//! weak to hand over more than that.
//!
//! Asked is the relation itself: the run is looked through again with stronger orders. First one access at a time is made
//! stronger, then all are, and all of which it is not needed are made weak again, the earliest first. So release sequences,
//! fences and chains of threads count as they do for races. The set is minimal, though another may be smaller.

use super::detector::{Race, Side};
use super::relation::{HappensBefore, Relation};
use gabion_trace::{AccessKind, Event, Trace};

/// As many orders are tried, those that come last.
const MOST: usize = 256;

/// An atomic access that would have to have a stronger order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stronger {
    /// The access as it is.
    pub side: Side,
    /// What it lacks: [`AccessKind::ACQUIRE`], [`AccessKind::RELEASE`] or both.
    pub lacks: AccessKind,
}

impl Race {
    /// The atomic accesses that would order the race in this run if their orders were stronger, as they came. `may` says
    /// which orders are the program's to choose. Empty: no orders would, or something orders it already.
    pub fn strengthen(&self, trace: &Trace, may: impl FnMut(&Side) -> bool) -> Vec<Stronger> {
        let all = self.weak(trace, may);
        if all.is_empty() || self.is_ordered(trace, &[]) || !self.is_ordered(trace, &all) {
            return Vec::new();
        }
        let alone = all.iter().rev().find(|one| self.is_ordered(trace, &[**one]));
        let mut needed = alone.map_or_else(|| all.clone(), |one| vec![*one]);
        let mut next = 0;
        while next < needed.len() && needed.len() > 1 {
            let mut fewer = needed.clone();
            fewer.remove(next);
            if self.is_ordered(trace, &fewer) {
                needed = fewer;
            } else {
                next += 1;
            }
        }
        let mut told: Vec<Stronger> = Vec::new();
        for one in needed {
            match told.last_mut().filter(|last| last.side == one.side) {
                Some(last) => last.lacks = last.lacks.with(one.lacks),
                None => told.push(one),
            }
        }
        told
    }

    /// What atomics from the first access to the second lack, one by one, as they came: a race may have one itself.
    fn weak(&self, trace: &Trace, mut may: impl FnMut(&Side) -> bool) -> Vec<Stronger> {
        let mut all = Vec::new();
        'run: for (number, step) in trace.steps.iter().enumerate().rev() {
            for (event, index) in trace.events(step).iter().zip(step.events.range()).rev() {
                let event_index = index as u32;
                if event_index < self.first.event || all.len() >= MOST {
                    break 'run;
                }
                let Event::Access { access, .. } = *event else { continue };
                let of_program = access.kind.has(AccessKind::ATOMIC) && !access.kind.has(AccessKind::OF_OBJECT);
                if event_index > self.second.event || !of_program {
                    continue;
                }
                let lacks = |does: bool, order| (does && !access.kind.has(order)).then_some(order);
                let orders =
                    [lacks(access.kind.writes(), AccessKind::RELEASE), lacks(access.kind.reads(), AccessKind::ACQUIRE)];
                let side = Side { thread: step.thread, step: number as u32, event: event_index, access };
                if orders != [None, None] && may(&side) {
                    all.extend(orders.into_iter().flatten().map(|lacks| Stronger { side, lacks }));
                }
            }
        }
        all.reverse();
        all
    }

    /// Does the first access happen before the second in this run, with these stronger orders?
    fn is_ordered(&self, trace: &Trace, stronger: &[Stronger]) -> bool {
        let threads = trace.steps.iter().fold(trace.threads.len(), |most, step| most.max(step.thread.index() + 1));
        let mut relation = Relation::new(HappensBefore::Pure);
        relation.begin(threads);
        let mut moment = None;
        for step in &trace.steps {
            let thread = step.thread.index();
            for (event, index) in trace.events(step).iter().zip(step.events.range()) {
                let index = index as u32;
                match *event {
                    Event::Access { mut access, .. } => {
                        // In the order of the run.
                        let from = stronger.partition_point(|one| one.side.event < index);
                        let made = stronger[from..].iter().take_while(|one| one.side.event == index);
                        made.for_each(|one| access.kind = access.kind.with(one.lacks));
                        relation.before(thread, &access);
                        if index == self.second.event {
                            return moment.is_some_and(|at| relation.knows(thread, self.first.thread.index(), at));
                        }
                        if index == self.first.event {
                            moment = Some(relation.now(thread));
                        }
                        relation.after(thread, &access);
                    }
                    Event::Op { op, object, result, .. } => relation.op(thread, op, object, result),
                    Event::Alloc { address, .. } => relation.allocated(thread, address),
                    Event::Wake { thread: woken } => relation.hand(thread, woken),
                }
            }
        }
        false
    }
}
