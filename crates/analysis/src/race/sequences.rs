//! Release sequences of atomics, byte by byte.
//!
//! The language knows no atomics of different sizes on the same bytes; programs do. A write is here one write of each of
//! its bytes. So whoever reads a part of what a wider access released acquires it, and so does who reads more than what a
//! narrower one released. Accesses of one size are not told apart byte by byte: one entry holds them all.

use super::clock::Clock;
use super::objects::PerRun;
use super::threads::Threads;
use crate::cells::granules;
use gabion_trace::Access;

/// Bytes of a granule whose last write belongs to a release sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    /// A bit for each byte.
    bytes: u8,
    /// Who began the sequence.
    thread: usize,
    /// What it released.
    released: Clock,
}

/// The release sequences that the last writes belong to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequences {
    /// For each granule, where in `heads` its own are.
    lists: PerRun<List>,
    /// Lists, those of the past included.
    heads: Vec<Head>,
    /// What lists were before they changed.
    before: Vec<(u64, List)>,
}

/// From and to.
type List = (u32, u32);

/// A moment to come back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SequencesMark {
    lists: usize,
    heads: usize,
    before: usize,
}

impl Sequences {
    /// A run begins.
    pub(crate) fn begin(&mut self) {
        self.lists.begin();
        self.heads.clear();
        self.before.clear();
    }

    pub(crate) fn mark(&self) -> SequencesMark {
        SequencesMark { lists: self.lists.mark(), heads: self.heads.len(), before: self.before.len() }
    }

    /// Undoes what was done after the mark.
    pub(crate) fn take_back(&mut self, mark: SequencesMark) {
        for (granule, list) in self.before.drain(mark.before..).rev() {
            *self.lists.get(granule, |_| ()) = list;
        }
        self.heads.truncate(mark.heads);
        self.lists.take_back(mark.lists);
    }

    /// Calls `each` with what was released to whoever reads these bytes.
    pub(crate) fn read(&mut self, access: &Access, mut each: impl FnMut(Clock)) {
        for (granule, mask) in granules(access) {
            let list = range(*self.lists.get(granule, |new| *new = (0, 0)));
            self.heads[list].iter().filter(|head| head.bytes & mask != 0).for_each(|head| each(head.released));
        }
    }

    /// A thread writes: calls `each` with the clocks of the sequences that it began, or begins now. A write that does not
    /// read ends those of others.
    pub(crate) fn write(
        &mut self,
        threads: &mut Threads,
        thread: usize,
        access: &Access,
        mut each: impl FnMut(&mut Threads, Clock),
    ) {
        for (granule, mask) in granules(access) {
            let list = *self.lists.get(granule, |new| *new = (0, 0));
            let from = self.heads.len();
            for index in range(list) {
                let mut head = self.heads[index];
                if !access.kind.reads() && head.thread != thread {
                    head.bytes &= !mask;
                }
                if head.bytes != 0 {
                    self.heads.push(head);
                }
            }
            let mut left = mask;
            for at in from..self.heads.len() {
                let head = self.heads[at];
                if head.thread != thread || head.bytes & mask == 0 {
                    continue;
                }
                left &= !head.bytes;
                if head.bytes & !mask != 0 {
                    // The bytes that are not written stay with what was released so far.
                    let released = threads.clocks.zero();
                    threads.clocks.copy(released, head.released);
                    self.heads.push(Head { bytes: head.bytes & !mask, released, ..head });
                    self.heads[at].bytes &= mask;
                }
                each(threads, head.released);
            }
            if left != 0 {
                let released = threads.clocks.zero();
                self.heads.push(Head { bytes: left, thread, released });
                each(threads, released);
            }
            if self.heads[from..] == self.heads[range(list)] {
                self.heads.truncate(from);
            } else {
                self.before.push((granule, list));
                *self.lists.get(granule, |_| ()) = (from as u32, self.heads.len() as u32);
            }
        }
    }
}

fn range((from, to): List) -> std::ops::Range<usize> {
    from as usize..to as usize
}
