//! Threads that step back: they hold a lock, are refused another, give back what they hold and try again.
//!
//! `std::lock` and `std::scoped_lock` do so, and loops that people write against deadlocks. Two of them can step back from each
//! other in as many ways as one likes, for ever. So few rounds are looked at in full; from then on a round is made whole, as
//! part of one step, when the lock that was refused has changed. Nobody sees a round that is made whole and fails, so only
//! threads that got through can make others fail, and the search comes to an end.

use crate::abi::wide::LOCKS;
use crate::fiber::Fiber;
use crate::state::me;
use gabion_trace::Address;

/// Rounds that are looked at in full.
const REFUSALS: u32 = 2;

/// How a thread steps back.
pub struct Back {
    /// What it held when it was refused a lock.
    held: [u64; LOCKS],
    /// It has given some of that back since, and holds so many locks now.
    left: Option<usize>,
    /// Times that it has stepped back.
    times: u32,
    /// Its rounds are made whole.
    pub whole: bool,
}

impl Back {
    pub const NONE: Back = Back { held: [0; LOCKS], left: None, times: 0, whole: false };

    /// The running thread was refused a lock. True: it holds another, so a round may have ended.
    pub fn refused(&mut self) -> bool {
        (self.held, self.left) = (me().locks, None);
        holds(me()) > 0
    }

    /// The running thread releases a lock, which it still counts as held.
    pub fn releases(&mut self, lock: Address) {
        if self.held.contains(&lock.0) {
            self.left = Some(holds(me()) - 1);
        }
    }

    /// The running thread stands before an operation. Has it given back all that it gives back?
    pub fn is_done(&self) -> bool {
        self.left == Some(holds(me()))
    }

    /// How often the thread has stepped back.
    pub fn times(&self) -> u32 {
        self.times
    }

    /// The running thread stands before an operation. Has it stepped back often enough for its rounds to be made whole?
    pub fn is_due(&mut self) -> bool {
        if !self.is_done() {
            return false;
        }
        self.left = None;
        self.times += 1;
        self.whole || self.times >= super::doubled(REFUSALS)
    }
}

/// Locks that a thread holds, as far as they are counted.
pub fn holds(fiber: &Fiber) -> usize {
    fiber.locks.iter().filter(|lock| **lock != 0).count()
}

/// The running thread was refused a lock, at which it will look now.
pub fn refused() {
    let q = super::mine();
    if q.back.refused() {
        q.count = 0; // that one is what it waits for
    }
}

/// The running thread releases a lock.
pub fn released(lock: Address) {
    super::mine().back.releases(lock);
}

/// Has the running thread stepped back since it was last asked?
pub fn has_stepped_back() -> bool {
    super::mine().back.is_done()
}
