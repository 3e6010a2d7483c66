//! What reverses a run's races, and where it is put.
//!
//! `optimal` puts a wake-up sequence at the state before the race's first step. What the sequence's events will touch there
//! must be known for that: where it is not (a step of several accesses, a compare-and-exchange that failed, an operation
//! that was still pending), the space begins again and races are reversed as `dpor` does: somebody who can come first in
//! the reversal gets a branch (source sets). Every order is still run once; runs that turn out to lead nowhere new are
//! cut short and counted as blocked. (To change over without beginning again would be wrong: what was left out before
//! relied on sequences.)

use crate::event::Event;
use crate::reduced::Reduced;
use crate::wakeup::{Branch, Second, Sequence};
use crate::{Reduction, bounds};
use gabion_trace::Choice;

impl Reduced {
    /// Sees to it that every race is reversed.
    pub(crate) fn reverse(&mut self) {
        if matches!(self.options.reduction, Reduction::None | Reduction::HbCache) {
            return;
        }
        if self.options.bound.is_some() {
            self.reverse_free_switches();
        }
        let mut open = std::mem::take(&mut self.open);
        for step in self.looked_at..self.order.steps().len() {
            open.extend(self.order.races(step).iter().map(|first| (*first, step as u32)));
        }
        self.looked_at = self.order.steps().len();
        open.retain(|(first, step)| self.lost || !self.reverse_one(*first, Second::Step(*step)));
        self.open = open;
        for k in 0..self.order.pending_races().len() {
            let (first, thread) = self.order.pending_races()[k];
            let second = self.pending(first, thread);
            if !self.lost {
                self.reverse_one(first, second);
            }
        }
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
        let nodes = &self.path.nodes;
        let data = |step: u32| -> Vec<Choice> { nodes[step as usize].choices() };
        let fine = self.fine;
        let memory = std::mem::take(&mut self.scratch);
        let mut sequence = Sequence::new(&self.order, &data, (first, second), fine, memory);
        if !self.by_source {
            self.lost = !sequence.is_certain();
            if self.lost {
                return false;
            }
            self.insert(node, &mut sequence, &mut tree);
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

    /// Adds what reverses a race to the tree of its first step's node, unless that was explored.
    fn insert(&self, node: usize, sequence: &mut Sequence, tree: &mut Vec<Branch>) {
        let known = &self.path.known;
        let inherited = &self.path.nodes[node].sleep;
        let covered = self.path.done(node).any(|i| sequence.is_reached_by(&known[i], true))
            || inherited.iter().any(|i| sequence.is_reached_by(&known[*i as usize], false));
        if !covered {
            sequence.insert(tree);
        }
    }
}
