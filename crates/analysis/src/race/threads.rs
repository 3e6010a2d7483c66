//! What each thread knows of the others.

use super::clock::{Clock, Clocks};
use gabion_trace::{Address, ThreadId};

/// The threads of a run, and all its clocks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Threads {
    pub(crate) clocks: Clocks,
    /// Each thread's clock.
    of: Vec<Clock>,
}

impl Threads {
    pub(crate) fn begin(&mut self, threads: usize) {
        self.clocks.reset(threads);
        self.of.clear();
        for thread in 0..threads {
            let clock = self.clocks.zero();
            self.clocks.tick(clock, thread);
            self.of.push(clock);
        }
    }

    /// A thread's own time.
    pub(crate) fn now(&self, thread: usize) -> u32 {
        self.clocks.at(self.of[thread], thread)
    }

    /// Does a thread know what another did at a moment?
    pub(crate) fn knows(&self, thread: usize, other: usize, moment: u32) -> bool {
        self.clocks.at(self.of[thread], other) >= moment
    }

    /// A thread learns what a clock says.
    pub(crate) fn join(&mut self, thread: usize, clock: Clock) {
        self.clocks.join(self.of[thread], clock);
    }

    /// A clock becomes a thread's.
    pub(crate) fn release_to(&mut self, thread: usize, clock: Clock) {
        self.clocks.copy(clock, self.of[thread]);
        self.clocks.tick(self.of[thread], thread);
    }

    /// A clock learns what a thread knows.
    pub(crate) fn add_to(&mut self, thread: usize, clock: Clock) {
        self.clocks.join(clock, self.of[thread]);
        self.clocks.tick(self.of[thread], thread);
    }

    /// A thread created another.
    pub(crate) fn create(&mut self, thread: usize, child: Address) {
        self.hand(thread, ThreadId(child.offset() as u16));
    }

    /// A thread hands what it knows to another, which goes on after that.
    pub(crate) fn hand(&mut self, thread: usize, to: ThreadId) {
        if let Some(clock) = self.of.get(to.index()).copied().filter(|_| to.index() != thread) {
            self.add_to(thread, clock);
        }
    }
}
