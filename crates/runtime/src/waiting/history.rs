//! What a thread has visited and read since its last effect.

use super::{locks, put_back};
use crate::guess;
use crate::private::{Stage, Visit};
use crate::rounds;
use gabion_trace::Address;
use gabion_trace::shared::MAX_THREADS;

/// Words that a round may read.
pub const READS: usize = 64;

/// A word, or less, that was read, and what it was.
#[derive(Clone, Copy)]
pub struct Read {
    pub(super) at: u64,
    pub(super) size: u8,
    /// Where the record says that it was: an object, a thread, or memory.
    pub(super) address: Address,
    pub(super) pc: u64,
    pub(super) value: u64,
}

impl Read {
    pub const NONE: Read = Read { at: 0, size: 0, address: Address(0), pc: 0, value: 0 };
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
    /// Where locks were taken.
    pub(super) places: locks::Places,
    /// Announced and not yet read by the program: a wild address faults in the program, not here.
    pub(super) announced: Option<Read>,
    /// About to be written, and what was there: compilers keep copies beside what is spun on.
    pub(super) written: Option<Read>,
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
        places: locks::Places::NONE,
        announced: None,
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
        if let Some(before) = self.written.take() {
            if word(before.at, before.size) == before.value {
                self.push(before); // it was as it is now, and had to be
            } else {
                self.forget();
                guess::progress();
            }
        }
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
