//! Pure happens-before: what was ordered in this run (DJIT+, Pozniansky and Schuster 2003; C11 for atomics).
//!
//! A release hands the releaser's clock to an object, an acquire takes it from there. Each kind of object has its rule:
//! locks hand over from the last unlock, reader-writer locks keep what readers released apart, semaphores add up,
//! barriers join all who came to a round, a once hands over what its function did, freed memory goes to whom it is
//! allocated next (C17 7.22.3). A release store begins a release
//! sequence that read-modify-writes continue, and stores of the same thread; other stores end it (`sequences.rs`). Fences
//! hand over through the relaxed accesses around them.

use super::clock::{Clock, Clocks};
use super::objects::PerRun;
use super::sequences::{Sequences, SequencesMark};
use super::threads::Threads;
use gabion_trace::{Access, AccessKind, Address, OpKind, TOLD_ACQUIRE, TOLD_RELEASE};

/// `EOWNERDEAD`: the lock was taken, or given up.
pub(crate) const OWNER_DIED: u32 = 130;
/// Memory orders of fences.
const RELAXED: u32 = 0;
const RELEASE: u32 = 3;

#[derive(Clone, Debug, Default)]
struct Object {
    /// What its last user released; of a reader-writer lock, the last writer.
    released: Clock,
    /// What readers released since.
    readers: Clock,
}

/// What fences and barriers have to do with a thread.
#[derive(Clone, Copy, Debug)]
struct Own {
    /// Its clock at its last release fence.
    fenced: Clock,
    /// What its relaxed loads would have acquired.
    unfenced: Clock,
    /// The round of a barrier that it waits in.
    round: Option<Clock>,
}

/// The relation in one run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pure {
    objects: PerRun<Object>,
    atomics: Sequences,
    owns: Vec<Own>,
    /// What other things were before they changed.
    before: Vec<Before>,
}

/// What something was.
#[derive(Clone, Copy, Debug)]
enum Before {
    Released(Address, Clock),
    Round(usize, Option<Clock>),
}

/// A moment to come back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PureMark {
    objects: usize,
    atomics: SequencesMark,
    before: usize,
}

impl Pure {
    pub(crate) fn begin(&mut self, clocks: &mut Clocks, threads: usize) {
        self.objects.begin();
        self.atomics.begin();
        self.before.clear();
        self.owns.clear();
        for _ in 0..threads {
            let own = Own { fenced: clocks.zero(), unfenced: clocks.zero(), round: None };
            self.owns.push(own);
        }
    }

    pub(crate) fn mark(&self) -> PureMark {
        let (objects, atomics) = (self.objects.mark(), self.atomics.mark());
        PureMark { objects, atomics, before: self.before.len() }
    }

    /// Undoes what was done after the mark, but for the clocks.
    pub(crate) fn take_back(&mut self, mark: PureMark) {
        for before in self.before.drain(mark.before..).rev() {
            match before {
                Before::Released(object, clock) => self.objects.get(object.0, |_| ()).released = clock,
                Before::Round(thread, round) => self.owns[thread].round = round,
            }
        }
        self.objects.take_back(mark.objects);
        self.atomics.take_back(mark.atomics);
    }

    /// A thread did something to an object.
    pub(crate) fn op(&mut self, threads: &mut Threads, thread: usize, op: OpKind, object: Address, result: u32) {
        use OpKind::*;
        let taken = result == 0 || result == OWNER_DIED;
        match op {
            MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | SpinLock | SpinTryLock | ReadLock
            | ReadTryLock | Join | TryJoin | ScopeJoin | ParkTimeout
                if taken =>
            {
                self.acquire(threads, thread, object);
            }
            WriteLock | WriteTryLock if taken => {
                let readers = self.object(&mut threads.clocks, object).readers;
                threads.join(thread, readers);
                self.acquire(threads, thread, object);
            }
            MutexUnlock | SpinUnlock | WriteUnlock | ThreadEnd | ScopeLeave if taken => {
                let released = self.object(&mut threads.clocks, object).released;
                threads.release_to(thread, released);
            }
            ReadUnlock if taken => {
                let readers = self.object(&mut threads.clocks, object).readers;
                threads.add_to(thread, readers);
            }
            SemPost | Unpark => self.add(threads, thread, object),
            SemWait | Park => self.acquire(threads, thread, object),
            SemTryWait | SemTimedWait if taken => self.acquire(threads, thread, object),
            OnceDone => self.add(threads, thread, object),
            // Whoever comes after one that did not finish synchronises with it too.
            Once => self.acquire(threads, thread, object),
            BarrierArrive => self.arrive(threads, thread, object, result),
            BarrierWait => {
                if let Some(round) = self.in_round(thread, None) {
                    threads.join(thread, round);
                }
            }
            Hidden if object == Address::pseudo(gabion_trace::Pseudo::Signals) => {
                self.acquire(threads, thread, object);
                self.add(threads, thread, object);
            }
            Hidden if object.space() == Some(gabion_trace::Space::Object) => match result {
                TOLD_ACQUIRE => self.acquire(threads, thread, object),
                TOLD_RELEASE => self.add(threads, thread, object),
                _ => {}
            },
            Create => threads.create(thread, object),
            Fence => self.fence(threads, thread, result),
            _ => {}
        }
    }

    /// A thread gave a block back.
    pub(crate) fn freed(&mut self, threads: &mut Threads, thread: usize, block: Address) {
        self.add(threads, thread, block);
    }

    /// A thread got a block.
    pub(crate) fn allocated(&mut self, threads: &mut Threads, thread: usize, block: Address) {
        self.acquire(threads, thread, block);
    }

    /// A thread makes an atomic access: what it gets before the access counts.
    pub(crate) fn acquires(&mut self, threads: &mut Threads, thread: usize, access: &Access) {
        let own = self.owns[thread];
        if access.kind.reads() {
            self.atomics.read(access, |released| {
                if access.kind.has(AccessKind::ACQUIRE) {
                    threads.join(thread, released);
                } else {
                    threads.clocks.join(own.unfenced, released);
                }
            });
        }
    }

    /// What others may get from it, the access itself included.
    pub(crate) fn releases(&mut self, threads: &mut Threads, thread: usize, access: &Access) {
        if !access.kind.writes() {
            return;
        }
        let own = self.owns[thread];
        self.atomics.write(threads, thread, access, |threads, released| {
            threads.clocks.join(released, own.fenced);
            if access.kind.has(AccessKind::RELEASE) {
                threads.add_to(thread, released);
            }
        });
    }

    fn fence(&mut self, threads: &mut Threads, thread: usize, order: u32) {
        let own = self.owns[thread];
        if order != RELAXED && order != RELEASE {
            threads.join(thread, own.unfenced);
        }
        if order >= RELEASE {
            threads.release_to(thread, own.fenced);
        }
    }

    /// The first who comes to a barrier begins a round.
    fn arrive(&mut self, threads: &mut Threads, thread: usize, object: Address, count: u32) {
        if count <= 1 {
            let fresh = threads.clocks.zero();
            let released = &mut self.object(&mut threads.clocks, object).released;
            let before = std::mem::replace(released, fresh);
            self.before.push(Before::Released(object, before));
        }
        let round = self.object(&mut threads.clocks, object).released;
        threads.join(thread, round);
        threads.add_to(thread, round);
        self.in_round(thread, Some(round));
    }

    /// A thread comes to a round, or leaves it. Gives the one that it was in.
    fn in_round(&mut self, thread: usize, round: Option<Clock>) -> Option<Clock> {
        let before = std::mem::replace(&mut self.owns[thread].round, round);
        self.before.push(Before::Round(thread, before));
        before
    }

    fn acquire(&mut self, threads: &mut Threads, thread: usize, object: Address) {
        let released = self.object(&mut threads.clocks, object).released;
        threads.join(thread, released);
    }

    fn add(&mut self, threads: &mut Threads, thread: usize, object: Address) {
        let released = self.object(&mut threads.clocks, object).released;
        threads.add_to(thread, released);
    }

    fn object(&mut self, clocks: &mut Clocks, object: Address) -> &mut Object {
        self.objects.get(object.0, |new| *new = Object { released: clocks.zero(), readers: clocks.zero() })
    }
}
