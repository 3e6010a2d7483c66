//! Vector clocks, all of a run in one list.

/// A clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(u32);

/// The clocks of a run.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    width: usize,
    ticks: Vec<u32>,
}

impl Clocks {
    /// Forgets all clocks; the next ones are for so many threads.
    pub(crate) fn reset(&mut self, threads: usize) {
        self.width = threads;
        self.ticks.clear();
    }

    /// A clock of zeros.
    pub(crate) fn zero(&mut self) -> Clock {
        let clock = Clock((self.ticks.len() / self.width.max(1)) as u32);
        self.ticks.resize(self.ticks.len() + self.width, 0);
        clock
    }

    /// What a clock says of a thread.
    pub(crate) fn at(&self, clock: Clock, thread: usize) -> u32 {
        self.ticks[clock.0 as usize * self.width + thread]
    }

    /// A thread's own clock moves on.
    pub(crate) fn tick(&mut self, clock: Clock, thread: usize) {
        self.ticks[clock.0 as usize * self.width + thread] += 1;
    }

    /// What the second knows, the first knows too.
    pub(crate) fn join(&mut self, into: Clock, from: Clock) {
        let (into, from) = (into.0 as usize * self.width, from.0 as usize * self.width);
        for thread in 0..self.width {
            self.ticks[into + thread] = self.ticks[into + thread].max(self.ticks[from + thread]);
        }
    }

    /// The first becomes the second.
    pub(crate) fn copy(&mut self, into: Clock, from: Clock) {
        let from = from.0 as usize * self.width;
        self.ticks.copy_within(from..from + self.width, into.0 as usize * self.width);
    }
}
