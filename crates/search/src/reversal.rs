//! What reverses a run's races, and where it is put.
//!
//! `optimal` puts a wake-up sequence at the state before the race's first step. What the sequence's events will touch there
//! must be known for that: where it is not (a step of several accesses, a compare-and-exchange that failed, an operation
//! that was still pending), the space begins again and races are reversed as `dpor` does: somebody who can come first in
//! the reversal gets a branch (source sets). Every order is still run once; runs that turn out to lead nowhere new are
//! cut short and counted as blocked. (To change over without beginning again would be wrong: what was left out before
//! relied on sequences.)
//!
//! With wake-up sequences, what a race adds depends on the state before its first step and on nothing that is added
//! elsewhere. So races wait until somebody asks: the next branch is taken at the deepest state that has one, and the races of
//! the states above it are reversed while its run is made ([`Reduced::catch_up`]).

use crate::event::Event;
use crate::made::Made;
use crate::path::Path;
use crate::reduced::Reduced;
use crate::wakeup::{Branch, Second, Sequence};
use crate::{Reduction, bounds};
use gabion_trace::Choice;
use std::cmp::Reverse;

/// A race between two steps of the path's run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    pub(crate) first: u32,
    pub(crate) second: u32,
    /// It never needs to be looked at again.
    settled: bool,
}

impl Open {
    pub(crate) fn new((first, second): (u32, u32)) -> Self {
        Open { first, second, settled: false }
    }
}

/// A race that is to be reversed: its first step, and which it is, those of pending operations after the open ones. In order
/// of the first steps; those of one step the other way round, so that the last is the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Due {
    first: u32,
    which: Reverse<u32>,
}

impl Reduced {
    /// Sees to it that every race is or will be reversed.
    pub(crate) fn reverse(&mut self) {
        if matches!(self.options.reduction, Reduction::None | Reduction::HbCache) {
            return;
        }
        if self.options.bound.is_some() {
            self.reverse_free_switches();
        }
        let known = self.open.len();
        for step in self.looked_at..self.order.steps().len() {
            self.open.extend(self.order.races(step).iter().map(|first| Open::new((*first, step as u32))));
        }
        self.looked_at = self.order.steps().len();
        self.lost = !self.by_source && self.sleeps() && !self.are_certain(known);
        if self.lost {
            return;
        }
        let all = self.open.iter().map(|open| open.first).chain(self.order.pending_races().iter().map(|race| race.0));
        self.due.extend(all.zip(0..).map(|(first, which)| Due { first, which: Reverse(which) }));
        if self.by_source || !self.sleeps() {
            self.due.sort_unstable_by_key(|due| due.which);
            self.catch_up();
        } else {
            self.due.sort_unstable();
        }
    }

    /// Is it known of every race, from this open one on, what its second will touch where it is to run?
    fn are_certain(&self, from: usize) -> bool {
        let pending = self.order.pending_races().iter().map(|(first, thread)| (*first, self.pending(*first, *thread)));
        let open = self.open[from..].iter().map(|open| (open.first, Second::Step(open.second)));
        self.fine && open.chain(pending).all(|(first, second)| second.is_certain(&self.order, first))
    }

    /// Reverses the races whose first step is this one or a later one.
    #[inline]
    pub(crate) fn reverse_from(&mut self, step: usize) {
        while let Some(due) = self.due.pop_if(|due| due.first as usize >= step) {
            self.reverse_due(due.which.0 as usize);
        }
    }

    fn reverse_due(&mut self, which: usize) {
        match self.open.get(which).copied() {
            Some(open) => self.open[which].settled = self.reverse_one(open.first, Second::Step(open.second)),
            None => {
                let (first, thread) = self.order.pending_races()[which - self.open.len()];
                self.reverse_one(first, self.pending(first, thread));
            }
        }
    }

    /// Does what is still to be done after the last run.
    pub(crate) fn catch_up(&mut self) {
        self.reverse_from(0);
        self.open.retain(|open| !open.settled);
    }

    /// Within a bound it also matters whether a thread can go on after a step: if it cannot, leaving it is free. So the
    /// step is also tried before whatever decides that.
    fn reverse_free_switches(&mut self) {
        let mut firsts = Vec::new();
        for step in 0..self.order.steps().len() {
            let thread = self.order.steps().item(step).thread;
            self.order.decides_next(step, |first| firsts.push(first));
            for first in firsts.drain(..) {
                bounds::backtrack(&mut self.path, &self.options, first as usize, thread, &mut self.bounded);
            }
        }
    }

    /// What a thread was about to do at the end, as the second of a race.
    fn pending(&self, first: u32, thread: u16) -> Second {
        let pending = self.order.pending().iter().find(|p| p.thread.0 == thread);
        let pending = pending.expect("internal error: a pending race without what is pending");
        let last = self.order.steps().of_thread(thread).last();
        let number = last.map_or(0, |last| self.order.steps().item(*last as usize).number + 1);
        let ends = first as usize + 1 == self.order.steps().len();
        let blocked = !ends || !self.path.nodes[first as usize].enabled.contains(u32::from(thread));
        Second::Pending(Event::of_pending(pending, number, blocked))
    }

    /// Reverses one race, unless that was or will be done. True: it never needs to be looked at again.
    fn reverse_one(&mut self, first: u32, second: Second) -> bool {
        let node = first as usize;
        if !self.sleeps() {
            let thread = second.thread(&self.order);
            bounds::backtrack(&mut self.path, &self.options, node, thread, &mut self.bounded);
            return true;
        }
        let mut tree = std::mem::take(&mut self.path.nodes[node].tree);
        let path = &self.path;
        let data = |step: u32| -> Vec<Choice> { path.nodes.of_last_run(step as usize).choices() };
        // With sequences, that was asked when the race was found.
        let certain = !self.by_source || self.fine && second.is_certain(&self.order, first);
        let memory = std::mem::take(&mut self.scratch);
        let mut sequence = Sequence::new(&self.order, &data, (first, second), certain, memory);
        if !self.by_source {
            insert(&self.path, node, &mut sequence, &mut tree, &mut self.made);
            let settled = sequence.is_settled();
            self.scratch = sequence.into_memory();
            self.path.nodes[node].tree = tree;
            return settled;
        }
        let initials = sequence.initials();
        self.scratch = sequence.into_memory();
        self.path.nodes[node].tree = tree;
        bounds::open_one(&mut self.path, node, &initials);
        true
    }
}

/// Adds what reverses a race to the tree of its first step's node, unless that was explored.
fn insert(path: &Path, node: usize, sequence: &mut Sequence, tree: &mut Vec<Branch>, made: &mut Made) {
    let known = &path.known;
    let inherited = &path.nodes[node].sleep;
    let covered = path.done(node).any(|i| sequence.is_reached_by(&known[i], true))
        || inherited.iter().any(|i| sequence.is_reached_by(&known[*i as usize], false));
    if !covered {
        sequence.insert(tree, made);
    }
}
