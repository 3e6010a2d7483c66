//! One word for every eight bytes that a run touches: who read them and who wrote them.
//!
//! Words come in pages, one for each page of the program's memory, found through a hash table. A word counts only in the run
//! whose number it carries, so a new run forgets all of them at once; words of contended memory count in every run. All of
//! it lies in memory of its own that no reset touches and that costs only what is used of it.

use crate::places::{PAGE, QUIET};
use crate::sys;

/// Pages of the program that one run can touch.
pub const RUN_PAGES: u32 = 1 << 16;
/// Pages with contended memory that there can be.
pub const CONTENDED_PAGES: u32 = 1 << 14;
/// Enough for what earlier runs left, a run, and what is contended.
const POOL: u64 = 3 * RUN_PAGES as u64;
const TABLE_BITS: u32 = 18;
const TABLE: usize = 1 << TABLE_BITS;
const TABLE_BYTES: u64 = (TABLE * size_of::<Entry>()) as u64;
/// Bytes that a word stands for.
pub const GRANULE: u64 = 8;
/// Words of a page.
pub const WORDS: u64 = PAGE / GRANULE;

const FIELD: u64 = 0x7ff;
/// More than one thread.
const MANY: u64 = FIELD;
const RUN_SHIFT: u32 = 44;
const WHO: u64 = (1 << RUN_SHIFT) - 1;
/// Number of a run beyond which all is forgotten by hand.
const LAST_RUN: u64 = (1 << 20) - 2;
/// A word of contended memory: a run that never is.
const CONTENDED: u64 = u64::MAX;

/// Which accesses are no points while memory is quiet.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// Plain ones.
    Plain,
    /// Atomics and frees, which are points and recorded wherever they are. Two of them need nobody's attention.
    Loud,
}

/// What a word says about an access.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Nobody else, or only readers.
    Quiet,
    /// The plan knows that threads meet here.
    Contended,
    /// Threads meet here, and nobody knew.
    Met,
}

/// An access as words see it.
///
/// A word has four fields of eleven bits (plain readers, plain writers, loud readers, loud writers), each nobody, 1 + a
/// thread or [`MANY`], and above them the number of the run.
#[derive(Clone, Copy)]
pub struct Look {
    who: u64,
    /// Lowest bits of the fields that the access belongs to.
    fields: u64,
    /// Lowest bits of the fields that it must not meet others in.
    against: u64,
    /// What the word is if the same thread has done the same before, and the bits that say so.
    known: u64,
    mask: u64,
}

impl Look {
    pub const NOBODY: Look = Look { who: 0, fields: 0, against: 0, known: 0, mask: 0 };

    #[inline(always)]
    pub fn new(thread: usize, sort: Sort, writes: bool, run: u64) -> Self {
        const READER: u64 = 1;
        const WRITER: u64 = 1 << 11;
        const LOUD: u32 = 22;
        let who = thread as u64 + 1;
        let own = if writes { WRITER } else { READER };
        let others = if writes { READER | WRITER } else { WRITER };
        let (fields, against) = match sort {
            Sort::Plain => (own, others | others << LOUD),
            Sort::Loud => (own << LOUD, others),
        };
        Look { who, fields, against, known: (run << RUN_SHIFT) | (fields * who), mask: !WHO | (fields * FIELD) }
    }

    /// Notes the access in a word.
    #[inline(always)]
    pub fn note(&self, word: &mut u64, run: u64) -> Said {
        if self.is_noted(*word) { Said::Quiet } else { self.note_new(word, run) }
    }

    /// Has the same thread done the same before, in this run?
    #[inline(always)]
    pub fn is_noted(&self, word: u64) -> bool {
        (word ^ self.known) & self.mask == 0
    }

    #[inline(always)]
    fn note_new(&self, word: &mut u64, run: u64) -> Said {
        if *word == CONTENDED {
            return Said::Contended;
        }
        let mut who = if *word >> RUN_SHIFT == run { *word & WHO } else { 0 };
        if who == WHO {
            return Said::Quiet; // was said already
        }
        let field = |shift: u32| who >> shift & FIELD;
        let meets = |shift: u32| self.against >> shift & 1 == 1 && field(shift) != 0 && field(shift) != self.who;
        let said = if meets(0) || meets(11) || meets(22) || meets(33) { Said::Met } else { Said::Quiet };
        if said == Said::Met {
            who = WHO;
        } else {
            let own = self.fields.trailing_zeros();
            let now = if field(own) == 0 || field(own) == self.who { self.who } else { MANY };
            who = who & !(FIELD << own) | now << own;
        }
        *word = run << RUN_SHIFT | who;
        said
    }

    /// Would two accesses of different threads to the same bytes be told?
    pub fn meets(&self, other: &Look) -> bool {
        self.who != other.who && self.against & other.fields != 0
    }
    /// Does the same thread do the same?
    pub fn same(&self, other: &Look) -> bool {
        self.known == other.known
    }
}

/// A page of the program's memory. Invariant: `key` is 0, or 1 + the page's number and `index` below the pages taken from the
/// pool; `insert` sees to it.
#[derive(Clone, Copy)]
#[repr(C)]
struct Entry {
    key: u64,
    index: u32,
    /// Run that last touched it.
    run: u32,
}

pub struct Shadow {
    /// Number of the run.
    pub run: u64,
    mapped: bool,
    /// Pages taken from the pool.
    taken: u32,
    /// Pages that this run has touched.
    touched: u32,
}

/// What there is of a page.
pub enum Found {
    /// Words that the run has used before.
    Used(&'static mut [u64]),
    /// Words that it uses for the first time.
    New(&'static mut [u64]),
    /// The run touches too many pages.
    Full,
}

impl Shadow {
    pub const NEW: Shadow = Shadow { run: 0, mapped: false, taken: 0, touched: 0 };

    /// A run begins. False: everything was forgotten, contended memory too.
    pub fn begin(&mut self) -> bool {
        if !self.mapped {
            sys::map(QUIET, TABLE_BYTES + POOL * PAGE, 3, sys::RESERVED, -1);
            self.mapped = true;
        }
        let keep = self.run < LAST_RUN && self.taken <= RUN_PAGES + CONTENDED_PAGES;
        if !keep {
            self.forget();
        }
        self.run += 1;
        self.touched = 0;
        keep
    }

    /// Forgets everything.
    pub fn forget(&mut self) {
        const DONTNEED: u64 = 4;
        // SAFETY: memory of ours alone; it is zero afterwards.
        unsafe { sys::call(sys::MADVISE, QUIET, TABLE_BYTES + POOL * PAGE, DONTNEED) };
        (self.taken, self.run) = (0, 0);
    }

    #[inline(always)]
    fn entry(&self, page: u64) -> &'static mut Entry {
        let mut i = (page.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - TABLE_BITS)) as usize;
        loop {
            // SAFETY: below the number of entries. The table is never full: it has more of them than the pool has pages.
            let entry = unsafe { &mut *(QUIET as *mut Entry).add(i) };
            if entry.key == page + 1 || entry.key == 0 {
                return entry;
            }
            i = (i + 1) % TABLE;
        }
    }

    #[inline(always)]
    fn words(entry: &Entry) -> &'static mut [u64] {
        let at = QUIET + TABLE_BYTES + u64::from(entry.index) * PAGE;
        // SAFETY: a page of the pool; one kernel thread, and nobody keeps the reference.
        unsafe { core::slice::from_raw_parts_mut(at as *mut u64, WORDS as usize) }
    }

    /// The words of a page, if it has any, and whether this run has used them.
    #[inline(always)]
    pub fn known(&self, page: u64) -> Option<(&'static mut [u64], bool)> {
        let entry = self.entry(page);
        (entry.key != 0).then(|| (Self::words(entry), u64::from(entry.run) == self.run))
    }

    /// The words of a page that the run touches.
    pub fn touch(&mut self, page: u64) -> Found {
        let entry = self.entry(page);
        if entry.key != 0 && u64::from(entry.run) == self.run {
            return Found::Used(Self::words(entry));
        }
        self.first(page, entry)
    }

    fn first(&mut self, page: u64, entry: &'static mut Entry) -> Found {
        if self.touched == RUN_PAGES {
            return Found::Full;
        }
        self.touched += 1;
        self.insert(page, entry);
        entry.run = self.run as u32;
        Found::New(Self::words(entry))
    }

    fn insert(&mut self, page: u64, entry: &mut Entry) {
        if entry.key == 0 {
            assert!(u64::from(self.taken) < POOL, "internal error: no room for words");
            *entry = Entry { key: page + 1, index: self.taken, run: 0 };
            self.taken += 1;
        }
    }

    /// Memory is contended from here on, in every run. False: there is too much of it.
    pub fn contend(&mut self, from: u64, to: u64) -> bool {
        if (to - from) / PAGE >= u64::from(CONTENDED_PAGES) {
            return false;
        }
        for (page, first, last) in parts(from, to - from) {
            let entry = self.entry(page);
            if entry.key == 0 && self.taken == CONTENDED_PAGES {
                return false;
            }
            self.insert(page, entry);
            Self::words(entry)[first..=last].fill(CONTENDED);
        }
        true
    }

    pub fn is_contended(&self, at: u64) -> bool {
        self.known(at / PAGE).is_some_and(|(words, _)| words[(at % PAGE / GRANULE) as usize] == CONTENDED)
    }
}

/// The pages of a range that is not empty: page, first and last word in it.
pub fn parts(at: u64, size: u64) -> impl Iterator<Item = (u64, usize, usize)> {
    let (first, last) = (at / GRANULE, at.saturating_add(size - 1) / GRANULE);
    (first / WORDS..=last / WORDS).map(move |page| {
        let from = if page == first / WORDS { first % WORDS } else { 0 };
        let to = if page == last / WORDS { last % WORDS } else { WORDS - 1 };
        (page, from as usize, to as usize)
    })
}

/// Is some of these words contended?
pub fn any_contended(words: &[u64]) -> bool {
    words.contains(&CONTENDED)
}
