//! Loops that probably only wait.
//!
//! A loop that counts its rounds, or makes its pauses longer, never comes back to the same state; `waiting` does not
//! recognise it. Unrolling it has no end either. After some rounds without progress (the thesis' counts, §3.4.6: ten that
//! give way; else twenty, or a hundred where the reads are no points; three that end by time, see `waiting::timed`; two that step back from a lock, see `back`) the
//! search is asked: shall the thread go on alone, as part of this step, until it leaves the loop (0), or wait until
//! something that it read has changed (1)? Both are explored. What is lost are interleavings within later
//! rounds. That is noted, and orders the search without ending it: a campaign goes on with plans that double the rounds (`PlanHead::doublings`)
//! until a space came to its end without a guess.
//!
//! A wrong guess never becomes a deadlock: when nobody else can run, those who wait here go on alone. If that gets them
//! nowhere either, the run is judged a livelock. The same is done, for fewer rounds, with those whom `waiting` is sure of:
//! code that was not instrumented may know a way out.
//!
//! Progress is any effect but taking and releasing locks and looking at the clock.

mod assumed;
mod back;
mod late;

use crate::plan;
use crate::state::{g, me};
use crate::waiting::timed::{LIMITS, is_limited};
use crate::waiting::{READS, Read};
use assumed::assume;
use back::Back;
pub use back::{has_stepped_back, refused, released};
use gabion_trace::shared::{MAX_THREADS, MOST_DOUBLINGS};
use gabion_trace::{ChoiceKind, Coverage, OpKind, Point};
use late::is_late_again;
pub use late::queues;

/// Rounds that give way before a guess.
const YIELDS: u32 = 10;
/// Rounds that read, where reads are points.
const READ_POINTS: u32 = 20;
/// Rounds that read, where they are not.
const PLAIN_READS: u32 = 100;
/// Visits that a thread alone may make before it counts as stuck. Not doubled: they are recorded, and to go on alone is a guess already.
const ALONE: u32 = 10_000;
/// Most rounds, however often they are doubled: so many belong in one step, which must not count as endless (4 million accesses at least).
const MOST_ROUNDS: u32 = 1 << 16;
/// As many of one that is known to wait.
const SURE: u32 = 200;
/// Places followed at once, and instructions of a loop.
const PLACES: usize = 4;
const PCS: usize = 16;

#[derive(Clone, Copy)]
struct Place {
    pc: u64,
    sp: u64,
    object: u64,
    rounds: u32,
}

struct Guess {
    places: [Place; PLACES],
    used: usize,
    /// Which of them is given up for another.
    next: usize,
    /// Instructions visited since the last progress.
    pcs: [u64; PCS],
    pc_count: usize,
    /// What the last round read.
    reads: [Read; READS],
    count: usize,
    back: Back,
    /// The wait whose time limit came last, and how often it has come there since the thread was last woken.
    late: Place,
    /// Locks that the thread held when it began to go on alone.
    held: usize,
    /// Visits left while the thread goes on alone.
    left: u32,
    /// It does so because nobody else could.
    last: bool,
    /// Value of [`PROGRESS`] when the thread last gave up going on alone. The list of what it read may be incomplete, so it may try
    /// again once another thread has made progress since.
    given_up: u64,
    /// Number of times that the thread made progress.
    progress: u64,
}

/// Number of times that any thread made progress.
static mut PROGRESS: u64 = 0;

fn all_progress() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { PROGRESS }
}

static mut GUESSES: [Guess; MAX_THREADS] = [const {
    Guess {
        places: [Place { pc: 0, sp: 0, object: 0, rounds: 0 }; PLACES],
        used: 0,
        next: 0,
        pcs: [0; PCS],
        pc_count: 0,
        reads: [Read::NONE; READS],
        count: 0,
        back: Back::NONE,
        late: Place { pc: 0, sp: 0, object: 0, rounds: 0 },
        held: 0,
        left: 0,
        last: false,
        given_up: 0,
        progress: 0,
    }
}; MAX_THREADS];

impl Guess {
    fn forget(&mut self) {
        (self.used, self.next, self.pc_count, self.count) = (0, 0, 0, 0);
        self.back = Back::NONE;
    }
}

/// The running thread's.
static mut MINE: *mut Guess = (&raw mut GUESSES).cast();

/// The running thread is this one from here on.
#[inline(always)]
pub fn runs(thread: usize) {
    // SAFETY: one kernel thread; a thread's number is below the length.
    unsafe { MINE = &raw mut GUESSES[thread] };
}

fn mine() -> &'static mut Guess {
    // SAFETY: one kernel thread.
    unsafe { &mut *MINE }
}

fn guess(thread: usize) -> &'static mut Guess {
    // SAFETY: one kernel thread; a thread's number is below the length.
    unsafe { &mut GUESSES[thread] }
}

/// What a thread that stands before an operation is to do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Advice {
    /// As ever.
    None,
    /// Wait until something that it read has changed.
    Wait,
}

/// Number of times that the running thread made progress.
pub fn own_progress() -> u64 {
    mine().progress
}

/// The running thread has made progress.
#[inline(always)]
pub fn progress() {
    // SAFETY: one kernel thread.
    unsafe { PROGRESS += 1 };
    let q = mine();
    q.progress += 1;
    if q.pc_count > 0 {
        q.forget();
    }
    let f = me();
    if f.alone || f.tried {
        left_loop();
        me().tried = false;
    }
}

/// The running thread is not alone any more. If nobody expected it to leave its loop, that is worth a note.
#[inline(always)]
fn left_loop() {
    let f = me();
    // Where threads have met for the first time the loop may have read what they met at, and the space begins again.
    if f.alone && f.sure && g().coverage & Coverage::NEW_CONTENDED.0 == 0 {
        assume(f.pending.op, f.pending.pc, 0);
    }
    (f.alone, f.sure) = (false, false);
    mine().back.whole = false;
}

/// The running thread has read something.
#[inline(always)]
pub fn saw(read: &Read) {
    let q = mine();
    if q.pc_count > 0 && q.count < READS {
        q.reads[q.count] = *read;
        q.count += 1;
    }
}

/// Rounds after which this operation makes a guess; 0: never.
fn limit(op: OpKind) -> u32 {
    let g = g();
    doubled(match op {
        OpKind::Yield | OpKind::Sleep => YIELDS,
        _ if is_limited(op) => LIMITS,
        OpKind::Access if g.points.has(Point::Everywhere) => READ_POINTS,
        OpKind::Access => PLAIN_READS,
        _ if op.point().is_some_and(|class| g.points.has(class)) => READ_POINTS,
        _ => PLAIN_READS,
    })
}

/// A number of rounds, doubled as often as the plan says.
fn doubled(rounds: u32) -> u32 {
    rounds.saturating_mul(1 << g().plan.doublings.min(MOST_DOUBLINGS)).min(MOST_ROUNDS)
}

/// The running thread stands before an operation that waiting loops are made of.
pub fn visit(op: OpKind, object: u64, pc: u64, sp: u64) -> Advice {
    let q = mine();
    if q.back.is_due() {
        let rounds = q.back.times();
        return step_back(op, pc, rounds);
    }
    let here = |p: &Place| (p.pc, p.sp, p.object) == (pc, sp, object);
    if is_limited(op) && is_late_again(op, Place { pc, sp, object, rounds: 0 }) {
        return Advice::Wait;
    }
    let Some(i) = q.places[..q.used].iter().position(here) else {
        q.places[q.next] = Place { pc, sp, object, rounds: 1 };
        q.next = (q.next + 1) % PLACES;
        q.used = (q.used + 1).min(PLACES);
        return Advice::None;
    };
    q.places[i].rounds += 1;
    let rounds = q.places[i].rounds;
    if rounds < limit(op) {
        if q.places[..q.used].iter().all(|p| p.rounds <= rounds) {
            q.count = 0; // a round begins
        }
        return Advice::None;
    }
    (q.places[i].rounds, q.late.rounds) = (0, 0);
    decide(op, pc, rounds)
}

/// An instruction of what may be a loop.
#[inline(always)]
pub fn part(pc: u64) {
    let q = mine();
    if q.pc_count < PCS && !q.pcs[..q.pc_count].contains(&pc) {
        q.pcs[q.pc_count] = pc;
        q.pc_count += 1;
    }
}

/// The running thread takes a lock that it may have to wait for: if it goes round a loop, that is part of it.
pub fn takes(pc: u64) {
    if mine().pc_count > 0 {
        part(pc);
    }
}

/// As [`visit`], of a thread that goes on alone.
pub fn alone_visit() -> Advice {
    let (f, q) = (me(), mine());
    if q.back.whole && q.back.is_due() {
        f.alone = false;
        return Advice::Wait;
    }
    q.left = q.left.saturating_sub(1);
    // Who waits with a lock that its rounds give back keeps others from what it waits for.
    if q.left > 0 || back::holds(f) > q.held {
        return Advice::None;
    }
    (f.alone, f.tried) = (false, true);
    q.given_up = all_progress();
    if !f.sure && others_can_run() {
        assume(f.pending.op, f.pending.pc, ALONE);
    }
    Advice::Wait
}

/// Waits or goes on alone, as the search says.
fn decide(op: OpKind, pc: u64, rounds: u32) -> Advice {
    if !others_can_run() {
        go_alone(true);
        return Advice::None;
    }
    assume(op, pc, rounds);
    if plan::choose_value(ChoiceKind::Wait, 2, 1) == 0 {
        go_alone(false);
        return Advice::None;
    }
    Advice::Wait
}

/// As [`decide`], of a thread that has stepped back. If it waits, its next rounds are made whole.
fn step_back(op: OpKind, pc: u64, rounds: u32) -> Advice {
    let advice = decide(op, pc, rounds);
    mine().back.whole = advice == Advice::Wait;
    advice
}

fn others_can_run() -> bool {
    let g = g();
    g.live.iter().any(|t| t != g.current && crate::sched::enabled(t))
}

/// `last`: because nobody else can run.
fn go_alone(last: bool) {
    let (f, q) = (me(), mine());
    (q.left, q.last, q.held) = (ALONE, last, back::holds(f));
    (f.alone, f.sure) = (true, false);
}

/// The reads of the last round, for a thread that is about to wait.
pub fn round() -> &'static [Read] {
    let q = mine();
    &q.reads[..q.count]
}

/// Does the running thread go on alone, through this operation too? Not through one that is no part of its loop.
pub fn alone(op: OpKind, pc: u64) -> bool {
    let f = me();
    if f.alone {
        let q = mine();
        let takes = takes_lock(op);
        let releases =
            matches!(op, OpKind::MutexUnlock | OpKind::ReadUnlock | OpKind::WriteUnlock | OpKind::SpinUnlock);
        if takes && q.last && others_can_run() {
            // It went on because nobody else could; now somebody can, whom it had kept out until here. Since when is not known.
            if !f.sure {
                assume(op, pc, q.left.abs_diff(ALONE));
            }
            left_loop();
            (f.tried, f.force, f.yielded) = (false, true, g().steps + 1);
            return false;
        }
        if !releases && !q.pcs[..q.pc_count].contains(&pc) {
            left_loop();
        }
    }
    f.alone
}

/// Does the operation take a lock, and wait for it?
pub fn takes_lock(op: OpKind) -> bool {
    matches!(op, OpKind::MutexLock | OpKind::ReadLock | OpKind::WriteLock | OpKind::SpinLock)
}

/// Nobody can run. Lets one of those who wait in a loop, and have not been tried, go on alone.
pub fn try_one() -> Option<usize> {
    let g = g();
    let may_try = |t: &usize| {
        let f = &g.fibers[*t];
        f.waits && (!f.tried || f.guessed && guess(*t).given_up != all_progress())
    };
    let t = g.live.iter().find(may_try)?;
    let f = &mut g.fibers[t];
    (f.alone, f.tried, f.sure) = (true, true, !f.guessed);
    let q = guess(t);
    (q.left, q.last, q.held) = (if f.sure { SURE } else { ALONE }, true, back::holds(f));
    Some(t)
}

/// A thread starts.
pub fn begin(thread: usize) {
    let q = guess(thread);
    q.forget();
    q.late.rounds = 0;
}

/// The running thread goes on after waiting.
pub fn resume() {
    let q = mine();
    q.late.rounds = 0;
    if q.back.whole {
        // What belongs to its loop is still known.
        (q.used, q.next, q.count) = (0, 0, 0);
        go_alone(false);
    } else {
        q.forget();
    }
}
