//! What a thread has visited and read since its last effect.

use super::{locks, put_back};
use crate::guess;
use crate::private::{Stage, Visit};
use crate::rounds;
use crate::state::me;
use gabion_trace::Address;
use gabion_trace::shared::MAX_THREADS;

/// Words that a round may read.
pub const READS: usize = 64;
/// Places of its own memory that a round may change.
const OWN: usize = 32;
/// Places that are known to be there.
const WROTE: usize = 16;

/// A word, or less, that was read, and what it was.
#[derive(Clone, Copy)]
pub struct Read {
    pub(super) at: u64,
    pub(super) size: u8,
    /// Where the record says that it was: an object, a thread, or memory.
    pub(super) address: Address,
    pub(super) pc: u64,
    pub(super) value: u64,
    /// The first word of a lock, as it was before it was taken.
    pub(super) took: bool,
}

impl Read {
    pub const NONE: Read = Read { at: 0, size: 0, address: Address(0), pc: 0, value: 0, took: false };
}

/// A place that is about to be written, and what was there.
#[derive(Clone, Copy)]
pub(super) struct Write {
    pub(super) before: Read,
    /// Nobody else accesses it.
    pub(super) own: bool,
}

/// Where the lists stood at a visit.
#[derive(Clone, Copy)]
pub struct Mark {
    pub reads: usize,
    pub own: usize,
}

impl Mark {
    pub const NONE: Mark = Mark { reads: 0, own: 0 };
}

pub(super) struct History {
    /// Visits since the last effect.
    pub(super) visits: u64,
    pub(super) first: Visit,
    pub(super) later: Visit,
    /// The last that was a wait with a time limit.
    pub(super) timed: Visit,
    /// Its time limit has come, and it has not taken its mutex again.
    pub(super) late: bool,
    pub(super) reads: [Read; READS],
    pub(super) count: usize,
    /// More was read than there is room for.
    pub(super) full: bool,
    /// Places that nobody else accesses, with what was there before the thread changed them. A place may be here again after a visit.
    pub(super) own: [(u64, u8, u64); OWN],
    pub(super) changed: usize,
    /// Where locks were taken.
    pub(super) places: locks::Places,
    /// Announced and not yet read by the program: a wild address faults in the program, not here.
    pub(super) announced: Option<Read>,
    /// Where the thread has written in a loop: there is memory at these places, so that a hook may look at them before the program does.
    wrote: [(u64, u8); WROTE],
    /// About to be written.
    pub(super) written: Option<Write>,
    /// About to be changed, and changed and not back yet.
    pub(super) changes: Option<put_back::Change>,
    pub(super) moved: Option<put_back::Change>,
    /// An instruction whose change was put back.
    pub(super) puts_back: u64,
    /// While the thread waits: the reads of its round begin here.
    pub(super) round: usize,
    /// While it waits: memory was unmapped, better look.
    pub(super) woken: bool,
}

// All zero, so that the library's file does not hold megabytes of it.
static mut HISTORIES: [History; MAX_THREADS] = [const {
    History {
        visits: 0,
        first: Visit::NONE,
        later: Visit::NONE,
        timed: Visit::NONE,
        late: false,
        reads: [Read::NONE; READS],
        count: 0,
        full: false,
        own: [(0, 0, 0); OWN],
        changed: 0,
        places: locks::Places::NONE,
        announced: None,
        wrote: [(0, 0); WROTE],
        written: None,
        changes: None,
        moved: None,
        puts_back: 0,
        round: 0,
        woken: false,
    }
}; MAX_THREADS];

/// The running thread's.
static mut MINE: *mut History = (&raw mut HISTORIES).cast();

/// The running thread is this one from here on.
#[inline(always)]
pub fn runs(thread: usize) {
    // SAFETY: one kernel thread; a thread's number is below the length.
    unsafe { MINE = &raw mut HISTORIES[thread] };
}

pub(super) fn mine() -> &'static mut History {
    // SAFETY: one kernel thread.
    unsafe { &mut *MINE }
}

pub(super) fn history(thread: usize) -> &'static mut History {
    // SAFETY: one kernel thread; a thread's number is below the length.
    unsafe { &mut HISTORIES[thread] }
}

impl History {
    pub(super) fn forget(&mut self) {
        self.visits = 0;
        self.count = 0;
        self.changed = 0;
        self.full = false;
        self.places.forget();
        self.announced = None;
        self.written = None;
        self.moved = None;
        self.lose();
    }

    /// None of the visits can be matched any more.
    pub(super) fn lose(&mut self) {
        self.kept().into_iter().for_each(|visit| visit.stage = Stage::None);
    }

    pub(super) fn kept(&mut self) -> [&mut Visit; 3] {
        [&mut self.first, &mut self.later, &mut self.timed]
    }

    pub(super) fn push(&mut self, read: Read) {
        guess::saw(&read);
        rounds::value(read.at, read.value);
        self.keep(read);
    }

    /// As [`History::push`], of what a guess need not know.
    pub(super) fn keep(&mut self, read: Read) {
        if self.count == READS {
            self.full = true; // the later of the visits will move up
            return self.lose();
        }
        self.reads[self.count] = read;
        self.count += 1;
    }

    /// What was announced has been read since, and what was to be written is.
    pub(super) fn settle(&mut self) {
        if let Some(read) = self.announced.take() {
            self.push(Read { value: word(read.at, read.size), ..read });
        }
        if let Some(Write { before, own }) = self.written.take() {
            match word(before.at, before.size) == before.value {
                true if own => {}
                true => {
                    guess::part(before.pc);
                    self.push(before); // it was as it is now, and had to be
                }
                false if own && self.change(&before) => rounds::value(before.at, word(before.at, before.size)),
                false => {
                    self.forget();
                    guess::progress();
                }
            }
        }
    }

    /// The thread is about to write to a place. Has it written there before?
    pub(super) fn wrote_before(&mut self, at: u64, size: u8) -> bool {
        let last = &mut self.wrote[(at >> 3) as usize % WROTE];
        core::mem::replace(last, (at, size)) == (at, size)
    }

    /// A thread starts.
    pub(super) fn begin(&mut self) {
        self.forget();
        self.wrote = [(0, 0); WROTE];
        (self.puts_back, self.late) = (0, false);
    }

    /// A place that nobody else accesses is another than it was. A loop that changes it in every round makes no progress by that.
    /// False: there is no room for it.
    fn change(&mut self, before: &Read) -> bool {
        let last = self.kept().iter().filter(|visit| visit.stage != Stage::None).map(|visit| visit.from.own).max();
        let is_it = |place: &(u64, u8, u64)| (place.0, place.1) == (before.at, before.size);
        let known = self.own[..self.changed].iter().rposition(is_it);
        if known.is_some_and(|place| last.is_none_or(|last| place >= last)) {
            return true;
        }
        if self.changed == OWN {
            return false;
        }
        if known.is_none() && !me().alone {
            guess::progress();
        }
        self.own[self.changed] = (before.at, before.size, before.value);
        self.changed += 1;
        true
    }

    /// Where the lists stand.
    pub(super) fn mark(&self) -> Mark {
        Mark { reads: self.count, own: self.changed }
    }

    /// Is the thread's own memory as it was at the mark?
    pub(super) fn is_as_at(&self, mark: Mark) -> bool {
        let places = &self.own[mark.own..self.changed];
        places.iter().enumerate().all(|(i, &(at, size, before))| {
            let mut earlier = places[..i].iter().filter(|p| p.0 < at + u64::from(size) && at < p.0 + u64::from(p.1));
            match earlier.next() {
                // What it was at the mark is told there; where two places overlap in part nobody can say.
                Some(same) => (same.0, same.1) == (at, size),
                None => word(at, size) == before,
            }
        })
    }

    /// The operation that was visited is over, or will be before anybody else runs, and has no effect.
    pub(super) fn passed(&mut self) {
        for visit in self.kept() {
            if visit.stage == Stage::Begun {
                visit.keep();
            }
        }
    }

    /// Do the bytes read since then all have the values that were read?
    pub(super) fn holds(&self, from: usize) -> bool {
        self.reads[from..self.count].iter().all(|read| word(read.at, read.size) == read.value)
    }
}

/// The value of up to eight bytes.
pub(super) fn word(at: u64, size: u8) -> u64 {
    // SAFETY: the program has accessed these bytes, so they were mapped; who unmaps memory wakes those who wait.
    unsafe {
        match size {
            1 => u64::from((at as *const u8).read_volatile()),
            2 => u64::from((at as *const u16).read_unaligned()),
            4 => u64::from((at as *const u32).read_unaligned()),
            8 => (at as *const u64).read_unaligned(),
            _ => (0..u64::from(size)).fold(0, |word, i| word << 8 | u64::from(*((at + i) as *const u8))),
        }
    }
}
