//! Limited happens-before: what must be ordered, whichever way this run went (O'Callahan and Choi 2003; thesis §2.3.2).
//!
//! Two accesses are unordered unless one thread had to wait for the other: creation and joining, a signal that woke, a
//! barrier, a once, a semaphore that nobody could pass before it was posted. Locks order nothing; they protect: accesses
//! that hold a common lock, not both as readers, do not race. A semaphore that is 1 protects as a lock does, as long as
//! only its holder posts it. Atomics neither order nor protect.

use super::clock::{Clock, Clocks};
use super::objects::PerRun;
use super::pure::{OWNER_DIED, Pure};
use super::threads::Threads;
use gabion_trace::{Address, OpKind, Step};

/// Locks that are told apart in a run; further ones do not protect.
const MOST: u32 = u128::BITS;

/// Which locks are held, and which of them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lockset {
    held: u128,
    alone: u128,
}

impl Lockset {
    /// Does one of them keep the two apart?
    pub(crate) fn protects(self, other: Self) -> bool {
        (self.alone & other.held) | (self.held & other.alone) != 0
    }
}

#[derive(Clone, Debug, Default)]
struct Lock {
    number: u32,
    /// Who holds it, how often; readers one by one.
    holders: Vec<(usize, u32)>,
    /// A semaphore: it was not 1 at first, or somebody posted it who did not hold it.
    counts: bool,
}

/// The relation in one run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limited {
    /// What orders as it does in pure happens-before.
    pure: Pure,
    locks: PerRun<Lock>,
    known: u32,
    sets: Vec<Lockset>,
    /// Whether each thread could go on when the last step began, and whether it had to wait for that.
    could: Vec<bool>,
    waited: Vec<bool>,
    /// What each semaphore's last post knew that found it at 0. Not what its whole step did: that may go on after it.
    opened: PerRun<Clock>,
}

impl Limited {
    pub(crate) fn begin(&mut self, clocks: &mut Clocks, threads: usize) {
        self.pure.begin(clocks, threads);
        self.locks.begin();
        self.known = 0;
        self.sets.clear();
        self.sets.resize(threads, Lockset::default());
        self.could.clear();
        self.could.resize(threads, true);
        self.waited.clear();
        self.waited.resize(threads, false);
        self.opened.begin();
    }

    /// What a thread holds.
    pub(crate) fn held(&self, thread: usize) -> Lockset {
        self.sets[thread]
    }

    /// A step begins; `last` made the one before it.
    pub(crate) fn step(&mut self, step: &Step, last: Option<usize>) {
        for thread in 0..self.could.len() {
            let can = step.enabled.contains(thread as u32);
            if can && !self.could[thread] && last.is_some_and(|last| last != thread) {
                self.waited[thread] = true;
            }
            self.could[thread] = can;
        }
    }

    /// A thread did something to an object.
    pub(crate) fn op(&mut self, threads: &mut Threads, thread: usize, op: OpKind, object: Address, result: u32) {
        use OpKind::*;
        let taken = result == 0 || result == OWNER_DIED;
        match op {
            MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | SpinLock | SpinTryLock | WriteLock
            | WriteTryLock
                if taken =>
            {
                self.take(thread, object, true);
            }
            ReadLock | ReadTryLock if taken => self.take(thread, object, false),
            MutexUnlock | SpinUnlock | WriteUnlock | ReadUnlock if taken => self.give_up(thread, object),
            SemWait => {
                if self.waited[thread] {
                    let clock = self.opened(threads, object);
                    threads.join(thread, clock);
                }
                self.wait(thread, object, result == 0);
            }
            SemTryWait | SemTimedWait if taken => self.wait(thread, object, true),
            SemPost => {
                if result == 1 {
                    let clock = self.opened(threads, object);
                    threads.release_to(thread, clock);
                }
                self.post(thread, object, result);
            }
            Create | Join | TryJoin | ThreadEnd | ScopeLeave | ScopeJoin | Park | ParkTimeout | Unpark | Once
            | OnceDone | BarrierArrive | BarrierWait => {
                self.pure.op(threads, thread, op, object, result);
                // Before that it was not there, which is not to wait.
                if let (Create, Some(could)) = (op, self.could.get_mut(object.offset() as usize)) {
                    *could = true;
                }
            }
            _ => {}
        }
        self.waited[thread] = false;
    }

    fn opened(&mut self, threads: &mut Threads, semaphore: Address) -> Clock {
        *self.opened.get(semaphore.0, |new| *new = threads.clocks.zero())
    }

    fn lock(&mut self, object: Address, counts: bool) -> &mut Lock {
        let known = &mut self.known;
        self.locks.get(object.0, |new| {
            new.number = *known;
            new.holders.clear();
            new.counts = counts;
            *known += 1;
        })
    }

    fn take(&mut self, thread: usize, object: Address, alone: bool) {
        let lock = self.lock(object, false);
        match lock.holders.iter_mut().find(|(holder, _)| *holder == thread) {
            Some((_, times)) => *times += 1,
            None => lock.holders.push((thread, 1)),
        }
        if let Some(bit) = 1u128.checked_shl(lock.number).filter(|_| lock.number < MOST) {
            self.sets[thread].held |= bit;
            self.sets[thread].alone |= if alone { bit } else { 0 };
        }
    }

    /// Whoever unlocks, the lock is no longer its holder's.
    fn give_up(&mut self, thread: usize, object: Address) {
        let lock = self.lock(object, false);
        let own = lock.holders.iter().position(|(holder, _)| *holder == thread);
        let Some(index) = own.or_else(|| lock.holders.len().checked_sub(1)) else { return };
        lock.holders[index].1 -= 1;
        if lock.holders[index].1 == 0 {
            let (holder, number) = (lock.holders.swap_remove(index).0, lock.number);
            if let Some(bit) = 1u128.checked_shl(number).filter(|_| number < MOST) {
                self.sets[holder].held &= !bit;
                self.sets[holder].alone &= !bit;
            }
        }
    }

    /// Somebody passed a semaphore; `last`: nothing is left of it.
    fn wait(&mut self, thread: usize, object: Address, last: bool) {
        let lock = self.lock(object, !last);
        match lock.holders.is_empty() {
            true if !lock.counts => self.take(thread, object, true),
            true => {}
            false => {
                // There was more than one after all.
                lock.counts = true;
                self.give_up(thread, object);
            }
        }
    }

    fn post(&mut self, thread: usize, object: Address, value: u32) {
        // What is posted before anybody passed was not 1 before it, or is more than 1 now.
        let lock = self.lock(object, true);
        let holds = lock.holders.iter().any(|(holder, _)| *holder == thread);
        lock.counts |= !holds || value != 1;
        if !lock.holders.is_empty() {
            self.give_up(thread, object);
        }
    }
}
