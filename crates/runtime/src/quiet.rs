//! Quiet memory: touched by one thread only, or only read, as far as anybody has seen.
//!
//! Plain accesses to it are no points and are not recorded; they are noted here, for this run. When threads meet at such
//! memory and one of them writes, the run tells the search, which begins its space again with that memory in the plan's list
//! of contended memory. Why nothing is missed: `docs/decisions/0007-quiet-memory.md`.
//!
//! What touches many pages at once (clearing a buffer, freeing it) is kept as one line, and written out on a page only when the
//! run comes there otherwise. A run that touches more pages than there is room for makes all memory contended.

use crate::fiber::Life;
use crate::places::PAGE;
use crate::record;
use crate::sched;
use crate::shadow::{Found, GRANULE, Look, Said, Shadow, Sort, WORDS, any_contended, parts};
use crate::state::g;
use gabion_trace::shared::PlanHead;
use gabion_trace::{AccessKind, Address, Coverage, OpKind, Rec, Tag, ThreadId};

/// Bytes from which on an access is kept as one line.
const WIDE: u64 = 64 << 10;
/// Lines that are kept.
const LINES: usize = 64;
/// Bytes of an access that are looked at: no object is larger.
const LONGEST: u64 = 4 << 30;
/// Quiet accesses of a step after which the others get a turn: it may be a loop that waits for one of them.
const PATIENCE: u64 = 1 << 22;
/// Records that are looked back at to join neighbouring memory.
const BACK: usize = 8;

#[derive(Clone, Copy)]
struct Line {
    at: u64,
    size: u64,
    look: Look,
}

const NOTHING: Line = Line { at: 0, size: 0, look: Look::NOBODY };

struct Quiet {
    shadow: Shadow,
    /// All memory is contended.
    all: bool,
    /// Nothing more is noted in this run: it has told that all memory is to be contended.
    full: bool,
    /// Length and hash of the plan's list that the shadow knows.
    list: (u32, u64),
    /// Invariant: those below `used` are there; `note_line` sees to it.
    lines: [Line; LINES],
    used: usize,
    /// Quiet accesses in this step, and which step that is.
    passed: u64,
    step: u64,
}

static mut QUIET: Quiet = Quiet {
    shadow: Shadow::NEW,
    all: false,
    full: false,
    list: (0, 0),
    lines: [NOTHING; LINES],
    used: 0,
    passed: 0,
    step: 0,
};

fn quiet() -> &'static mut Quiet {
    // SAFETY: one kernel thread.
    unsafe { &mut QUIET }
}

/// Takes a plan's contended memory: the last of its records. A run begins.
pub fn load(plan: &PlanHead, records: *const Rec) {
    let q = quiet();
    let list = (plan.contended, plan.contended_hash);
    let kept = q.shadow.begin();
    if !kept || q.list != list {
        q.shadow.forget();
        q.shadow.begin();
        let end = plan.records as usize;
        // SAFETY: below the number of records in the slot.
        let mut ranges = (end - plan.contended as usize..end).map(|i| unsafe { *records.add(i) });
        q.all = ranges.any(|rec| rec.a >= rec.b || !q.shadow.contend(rec.a, rec.b));
        q.list = list;
    }
    q.full = false;
    q.used = 0;
    (q.passed, q.step) = (0, 0);
}

/// Are threads known to meet at this byte?
pub fn is_contended(at: u64) -> bool {
    let q = quiet();
    q.all || q.shadow.is_contended(at)
}

/// Has the running thread noted the same plain access in this run? Then the memory is quiet still.
#[inline(always)]
pub fn again(at: u64, size: u64, kind: AccessKind) -> bool {
    let q = quiet();
    let look = Look::new(g().current, Sort::Plain, kind.writes(), q.shadow.run);
    let noted = |words: &[u64]| look.is_noted(words[(at % PAGE / GRANULE) as usize]);
    size <= GRANULE - at % GRANULE && q.shadow.known(at / PAGE).is_some_and(|(words, _)| noted(words))
}

/// A plain access of the running thread. True: to memory that is contended, so that it counts. Otherwise it is noted.
#[inline(always)]
pub fn plain(at: u64, size: u64, kind: AccessKind) -> bool {
    let q = quiet();
    if q.all {
        return true;
    }
    note_quickly(at, size, Look::new(g().current, Sort::Plain, kind.writes(), q.shadow.run))
}

/// An atomic access or a free by the running thread, which counts in any case.
#[inline(always)]
pub fn loud(at: u64, size: u64, kind: AccessKind) {
    let q = quiet();
    if !q.all {
        note_quickly(at, size, Look::new(g().current, Sort::Loud, kind.writes(), q.shadow.run));
    }
}

/// An operation of the running thread on an object that has these bytes. True: others are known to access them otherwise, so
/// that the operation counts as an access too.
#[inline(always)]
pub fn object(at: u64, size: u64, kind: AccessKind) -> bool {
    let q = quiet();
    if q.all {
        return true;
    }
    let look = Look::new(g().current, Sort::Loud, kind.writes(), q.shadow.run);
    let (first, last) = (at % PAGE / GRANULE, (at % PAGE + size - 1) / GRANULE);
    let known = |words: &[u64]| look.is_noted(words[first as usize]) && look.is_noted(words[last as usize]);
    let again = last < WORDS && q.shadow.known(at / PAGE).is_some_and(|(words, _)| known(words));
    !again && note(at, size, look)
}

/// As [`note`]; quickly if it is about one word, on a page that the run has come to before.
#[inline(always)]
fn note_quickly(at: u64, size: u64, look: Look) -> bool {
    let q = quiet();
    let within = size <= GRANULE - at % GRANULE;
    if within && let Some((words, true)) = q.shadow.known(at / PAGE) {
        return match look.note(&mut words[(at % PAGE / GRANULE) as usize], q.shadow.run) {
            Said::Quiet => false,
            Said::Contended => true,
            Said::Met => {
                tell(at & !(GRANULE - 1), GRANULE);
                false
            }
        };
    }
    note(at, size, look)
}

/// Notes an access; is some of the memory contended?
#[cold]
fn note(at: u64, size: u64, look: Look) -> bool {
    let q = quiet();
    let size = size.min(LONGEST);
    if size < WIDE {
        return note_each(at, size, &look);
    }
    let (mut contended, mut from, end) = (false, at, at.saturating_add(size));
    for (page, first, last) in parts(at, size) {
        if q.shadow.known(page).is_some_and(|(words, _)| any_contended(&words[first..=last])) {
            let (start, stop) = (at.max(page * PAGE), end.min((page + 1) * PAGE));
            note_between(from, start, &look);
            contended |= note_each(start, stop - start, &look);
            from = stop;
        }
    }
    note_between(from, end, &look);
    contended
}

/// Notes an access to memory that is not contended.
fn note_between(from: u64, to: u64, look: &Look) {
    if to - from < WIDE || !note_line(from, to - from, look) {
        note_each(from, to - from, look);
    }
}

/// Notes an access in each of its words; is some of the memory contended?
fn note_each(at: u64, size: u64, look: &Look) -> bool {
    let q = quiet();
    let mut contended = false;
    if size == 0 || q.full {
        return false;
    }
    for (page, first, last) in parts(at, size) {
        match q.shadow.touch(page) {
            Found::Used(words) => contended |= note_words(page, words, first, last, look),
            Found::New(words) => {
                write_out(page, words);
                contended |= note_words(page, words, first, last, look);
            }
            Found::Full => {
                q.full = true;
                tell(0, u64::MAX);
                return false;
            }
        }
    }
    contended
}

fn note_words(page: u64, words: &mut [u64], first: usize, last: usize, look: &Look) -> bool {
    let run = quiet().shadow.run;
    let mut contended = false;
    for (i, word) in (first..).zip(&mut words[first..=last]) {
        match look.note(word, run) {
            Said::Quiet => {}
            Said::Contended => contended = true,
            Said::Met => tell(page * PAGE + i as u64 * GRANULE, GRANULE),
        }
    }
    contended
}

fn lines() -> &'static [Line] {
    let q = quiet();
    &q.lines[..q.used]
}

fn is_known(at: u64, size: u64, look: &Look) -> bool {
    let known = |line: &Line| line.at <= at && line.at + line.size >= at + size && line.look.same(look);
    lines().iter().any(known)
}

/// Notes an access to many pages that are not contended. Those that the run has not come to otherwise stay as they are. False:
/// there is no room.
fn note_line(at: u64, size: u64, look: &Look) -> bool {
    let q = quiet();
    let known = is_known(at, size, look);
    if !known && q.used == LINES {
        return false;
    }
    for (page, first, last) in parts(at, size) {
        if let Some((words, true)) = q.shadow.known(page) {
            note_words(page, words, first, last, look);
        }
    }
    if known {
        return true;
    }
    for line in lines().iter().filter(|line| line.look.meets(look)) {
        let (from, to) = (line.at.max(at), (line.at + line.size).min(at + size));
        if from < to {
            tell(from & !(GRANULE - 1), to.next_multiple_of(GRANULE) - (from & !(GRANULE - 1)));
        }
    }
    q.lines[q.used] = Line { at, size, look: *look };
    q.used += 1;
    true
}

/// The run comes to a page: what was noted of many pages is written there.
fn write_out(page: u64, words: &mut [u64]) {
    for line in lines() {
        let from = line.at.max(page * PAGE);
        let to = (line.at + line.size).min((page + 1) * PAGE);
        if from < to {
            for (_, first, last) in parts(from, to - from) {
                // Where lines meet was told when the second came.
                words[first..=last].iter_mut().for_each(|word| _ = line.look.note(word, quiet().shadow.run));
            }
        }
    }
}

/// Threads meet at memory that was not known for it. Neighbouring memory goes into one record.
#[cold]
pub fn tell(at: u64, size: u64) {
    let g = g();
    let (from, to) = (at, at.saturating_add(size));
    record::cover(Coverage::NEW_CONTENDED);
    // SAFETY: both point into the slot's records.
    let stored = unsafe { g.out.offset_from(g.out_start) } as usize;
    for back in 1..=stored.min(BACK) {
        // SAFETY: not before the first of the slot's records.
        let rec = unsafe { &mut *g.out.sub(back) };
        if rec.tag() == Some(Tag::Contended) && rec.a <= to && from <= rec.b {
            (rec.a, rec.b) = (rec.a.min(from), rec.b.max(to));
            return;
        }
    }
    record::store(Rec::new(Tag::Contended, 0, ThreadId(0), 0, from, to));
}

/// The running thread is about to make a quiet access. After very many of them in one step the others get a turn.
#[inline(always)]
pub fn pass(pc: u64) {
    let (g, q) = (g(), quiet());
    if q.step != g.steps {
        (q.step, q.passed) = (g.steps, 0);
    }
    q.passed += 1;
    if q.passed == PATIENCE {
        pause(pc);
    }
}

/// The same for an access that is no point although threads meet there.
#[inline(always)]
pub fn pass_off(pc: u64) {
    if g().step_accesses.is_multiple_of(PATIENCE) {
        pause(pc);
    }
}

#[cold]
fn pause(pc: u64) {
    let g = g();
    quiet().passed = 0;
    let me = g.current;
    let starting = g.fibers[me].life == Life::Starting;
    if starting || g.live.iter().any(|t| t != me && sched::enabled(t)) {
        // The step goes on as far as the limit of its accesses is concerned.
        let accesses = g.step_accesses;
        sched::reach(OpKind::Pause, Address(0), pc);
        let g = crate::state::g();
        (g.step_accesses, g.cost) = (accesses, g.cost - accesses);
    }
}
