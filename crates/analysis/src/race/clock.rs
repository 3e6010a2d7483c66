//! Vector clocks, all of a run in one list. What is done to them can be taken back, the latest first.

/// A clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Clock(u32);

/// The clocks of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Clocks {
    width: usize,
    ticks: Vec<u32>,
    /// What clocks were before they changed: what was overwritten, then where, then how much of it.
    before: Vec<u32>,
}

/// A moment to come back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ClockMark {
    ticks: usize,
    before: usize,
}

impl Clocks {
    /// Forgets all clocks; the next ones are for so many threads.
    pub(crate) fn reset(&mut self, threads: usize) {
        self.width = threads;
        self.ticks.clear();
        self.before.clear();
    }

    pub(crate) fn mark(&self) -> ClockMark {
        ClockMark { ticks: self.ticks.len(), before: self.before.len() }
    }

    /// Undoes what was done after the mark.
    pub(crate) fn take_back(&mut self, mark: ClockMark) {
        while self.before.len() > mark.before {
            let (at, count) =
                (self.before[self.before.len() - 2] as usize, self.before[self.before.len() - 1] as usize);
            let from = self.before.len() - 2 - count;
            self.ticks[at..at + count].copy_from_slice(&self.before[from..from + count]);
            self.before.truncate(from);
        }
        self.ticks.truncate(mark.ticks);
    }

    /// Some ticks are about to change.
    fn keep(&mut self, at: usize, count: usize) {
        self.before.extend_from_slice(&self.ticks[at..at + count]);
        self.before.extend_from_slice(&[at as u32, count as u32]);
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
        let at = clock.0 as usize * self.width + thread;
        self.keep(at, 1);
        self.ticks[at] += 1;
    }

    /// What the second knows, the first knows too.
    pub(crate) fn join(&mut self, into: Clock, from: Clock) {
        if into == from {
            return;
        }
        let (into, from) = (into.0 as usize * self.width, from.0 as usize * self.width);
        self.keep(into, self.width);
        let middle = into.max(from);
        let (low, high) = self.ticks.split_at_mut(middle);
        let (low, high) = (&mut low[into.min(from)..][..self.width], &mut high[..self.width]);
        let (into, from) = if into < from { (low, high) } else { (high, low) };
        into.iter_mut().zip(from).for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
    }

    /// The first becomes the second.
    pub(crate) fn copy(&mut self, into: Clock, from: Clock) {
        self.keep(into.0 as usize * self.width, self.width);
        let from = from.0 as usize * self.width;
        self.ticks.copy_within(from..from + self.width, into.0 as usize * self.width);
    }
}
