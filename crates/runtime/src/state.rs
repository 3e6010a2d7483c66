//! The runtime's own state, outside what a reset restores.
//!
//! One kernel thread runs everything, so plain statics suffice. References from [`g`] must not be kept across a switch
//! of fibers or a call into the program; ask again instead.

use crate::fiber::Fiber;
use core::cell::UnsafeCell;
use gabion_trace::shared::{MAX_THREADS, PlanHead};
use gabion_trace::{Address, OpKind, Point, PointSet, Rec};

/// Words of a set of threads.
pub const WORDS: usize = MAX_THREADS / 64;

/// What a thread is about to do.
#[derive(Clone, Copy)]
pub struct Pending {
    pub op: OpKind,
    pub object: Address,
    pub pc: u64,
    /// More that enabling depends on: the barrier's generation, the thread to join.
    pub detail: u64,
}

impl Pending {
    pub const NONE: Pending = Pending { op: OpKind::Run, object: Address(0), pc: 0, detail: 0 };
}

/// A set of threads.
#[derive(Clone, Copy)]
pub struct ThreadSet(pub [u64; WORDS]);

impl ThreadSet {
    pub const EMPTY: ThreadSet = ThreadSet([0; WORDS]);
    #[inline(always)]
    pub fn has(&self, thread: usize) -> bool {
        self.0[thread / 64] >> (thread % 64) & 1 == 1
    }
    /// Numbers that no thread can have are left out.
    #[inline(always)]
    pub fn insert(&mut self, thread: usize) {
        if let Some(word) = self.0.get_mut(thread / 64) {
            *word |= 1 << (thread % 64);
        }
    }
    pub fn keep_below(&mut self, end: usize) {
        for (i, word) in self.0.iter_mut().enumerate() {
            let kept = end.saturating_sub(i * 64);
            *word &= if kept >= 64 { u64::MAX } else { (1 << kept) - 1 };
        }
    }
    #[inline(always)]
    pub fn remove(&mut self, thread: usize) {
        if let Some(word) = self.0.get_mut(thread / 64) {
            *word &= !(1 << (thread % 64));
        }
    }
    /// Those that are also in `other`.
    pub fn keep_common(&mut self, other: &ThreadSet) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, kept)| *word &= kept);
    }
    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }
    pub fn first(&self) -> Option<usize> {
        self.iter().next()
    }
    #[inline(always)]
    pub fn iter(&self) -> Members<'_> {
        Members { words: &self.0, next: 0, bits: 0 }
    }
    /// The same, if no thread has a number from `end` on.
    #[inline(always)]
    pub fn iter_below(&self, end: usize) -> Members<'_> {
        Members { words: &self.0[..end.div_ceil(64).min(WORDS)], next: 0, bits: 0 }
    }
}

/// The members of a set, in order.
pub struct Members<'a> {
    words: &'a [u64],
    /// The word after the one whose remaining bits these are.
    next: usize,
    bits: u64,
}

impl Iterator for Members<'_> {
    type Item = usize;
    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.bits == 0 {
            self.bits = *self.words.get(self.next)?;
            self.next += 1;
        }
        let bit = self.bits.trailing_zeros() as usize;
        self.bits &= self.bits - 1;
        Some((self.next - 1) * 64 + bit)
    }
}

/// Why the controller got control.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The run has ended; the trace's head says how.
    Ended,
    /// The program is about to become concurrent: take the checkpoint.
    Checkpoint,
}

pub struct Globals {
    pub fibers: [Fiber; MAX_THREADS],
    /// Running fiber.
    pub current: usize,
    /// Fibers ever named in this run; ids below it are known.
    pub threads: usize,
    /// Threads that have not ended.
    pub live: ThreadSet,
    /// Of those that stand at a point some that nothing keeps from going on. Invariant: none
    /// has run since it said so; `sched` sees to it.
    pub ready: ThreadSet,
    /// At a point: those that can go on, and of these those that a tail prefers. Invariant: no thread that was never named in this run.
    pub can: ThreadSet,
    pub gladly: ThreadSet,
    /// The program is concurrent (the checkpoint was passed): operations are scheduled and recorded.
    pub active: bool,
    pub checkpointed: bool,
    pub why: Why,
    pub controller_sp: u64,
    pub controller_fs: u64,

    // The plan of this run.
    pub plan: PlanHead,
    pub points: PointSet,
    pub choices: *const Rec,
    /// Next choice to follow.
    pub position: usize,
    /// Choices that may be followed: all, or those that are known so far.
    pub known: usize,
    /// The run was begun before it was asked for, and still is nobody's; see `ahead`.
    pub ahead: bool,
    pub shared_stacks: ThreadSet,
    /// Thread table of the plan: (parent, nth) for each id.
    pub table: [(u16, u32); MAX_THREADS],
    pub table_len: usize,
    /// The plan's seals: the first's index among its records, and one past the last's.
    pub seals: (usize, usize),
    /// Instructions of points that were sealed off in this run, and told of; see `seal`.
    pub told_sealed: [u64; crate::seal::TOLD],
    /// How many of the plan's events sleep, and whether they are still to begin; see `sleep`.
    pub sleepers: usize,
    pub sleepers_due: bool,

    // The record of this run.
    pub slot: usize,
    pub hash: u64,
    pub out: *mut Rec,
    pub out_end: *mut Rec,
    pub out_start: *mut Rec,
    pub made: u32,
    pub steps: u64,
    /// Steps after which they are noted, and after which what was noted is judged; see `rounds`.
    pub noted_from: u64,
    pub judged_after: u64,
    /// Steps that the thread which ran last has made without another in between.
    pub in_a_row: u64,
    pub ran_last: usize,
    pub cost: u64,
    pub step_accesses: u64,
    pub passed_off: u32,
    pub passed: u16,
    pub coverage: u32,
    /// What holds for every run because it happened before the checkpoint.
    pub base_coverage: u32,
    pub tail_random: u64,

    pub slot_low: [u64; MAX_THREADS],
    /// Bounds of main's thread-local storage, which lies elsewhere.
    pub main_tls: (u64, u64),
}

impl Globals {
    /// A point of this class was come to. Written once a run: `points`, which is loaded beside it, would wait for the store.
    #[inline(always)]
    pub fn pass(&mut self, class: Point) {
        let bit = 1 << class as u16;
        if self.passed & bit == 0 {
            self.passed |= bit;
        }
    }
}

pub struct Holder(UnsafeCell<Globals>);
// SAFETY: one kernel thread.
unsafe impl Sync for Holder {}

impl Holder {
    const fn first(&self) -> *mut Fiber {
        // SAFETY: nothing is read.
        unsafe { (&raw mut (*self.0.get()).fibers).cast() }
    }
}

/// For code that is no Rust; otherwise [`g`].
pub static GLOBALS: Holder = Holder(UnsafeCell::new(Globals {
    fibers: [Fiber::NEW; MAX_THREADS],
    current: 0,
    threads: 1,
    live: ThreadSet::EMPTY,
    ready: ThreadSet::EMPTY,
    can: ThreadSet::EMPTY,
    gladly: ThreadSet::EMPTY,
    active: false,
    checkpointed: false,
    why: Why::Ended,
    controller_sp: 0,
    controller_fs: 0,
    plan: PlanHead {
        id: 0,
        version: 0,
        points: 0,
        tail: 0,
        mismatch: 0,
        record: 0,
        flags: 0,
        doublings: 0,
        reserved: 0,
        choices: 0,
        ahead: 0,
        records: 0,
        contended: 0,
        contended_hash: 0,
        max_steps: 0,
        max_accesses: 0,
        max_memory: 0,
        seed: 0,
        tail_seed: 0,
        statuses: [0; 4],
    },
    points: PointSet(1),
    choices: core::ptr::null(),
    position: 0,
    known: 0,
    ahead: false,
    shared_stacks: ThreadSet::EMPTY,
    table: [(0, 0); MAX_THREADS],
    table_len: 0,
    seals: (0, 0),
    told_sealed: [0; crate::seal::TOLD],
    sleepers: 0,
    sleepers_due: false,
    slot: 0,
    hash: 0,
    out: core::ptr::null_mut(),
    out_end: core::ptr::null_mut(),
    out_start: core::ptr::null_mut(),
    made: 0,
    steps: 0,
    noted_from: 0,
    judged_after: 0,
    in_a_row: 0,
    ran_last: 0,
    cost: 0,
    step_accesses: 0,
    passed_off: 0,
    passed: 0,
    coverage: 0,
    base_coverage: 0,
    tail_random: 0,
    slot_low: [0; MAX_THREADS],
    main_tls: (0, 0),
}));

/// Where the state is.
pub const fn place() -> *const Globals {
    GLOBALS.0.get()
}

/// The state.
#[inline(always)]
pub fn g() -> &'static mut Globals {
    // SAFETY: one kernel thread; see the module's rule on keeping references.
    unsafe { &mut *GLOBALS.0.get() }
}

/// The running fiber.
#[inline(always)]
pub fn me() -> &'static mut Fiber {
    // SAFETY: one kernel thread.
    unsafe { &mut *MINE }
}

/// The running thread, where it is asked for without counting. Invariant: as `current` says; [`run_as`] sees to it.
pub static mut MINE: *mut Fiber = GLOBALS.first();

/// The running thread is this one from here on; for `fiber::becomes`.
#[inline(always)]
pub fn run_as(thread: usize) {
    let g = g();
    g.current = thread;
    // SAFETY: one kernel thread.
    unsafe { MINE = &raw mut g.fibers[thread] };
}

/// Where the next call site goes on the running fiber's shadow call stack; written by the entry hook.
pub static mut SHADOW: u64 = 0;
/// Accesses are announced to the scheduler. Read by the access hooks.
pub static mut WATCHING: u8 = 0;

/// Call sites that a shadow stack holds: as many as an eight-megabyte stack can have frames of sixteen bytes.
pub const SHADOW_DEPTH: usize = 1 << 19;

#[inline(always)]
pub fn shadow_top() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { SHADOW }
}
#[inline(always)]
pub fn set_shadow_top(top: u64) {
    // SAFETY: one kernel thread.
    unsafe { SHADOW = top }
}
/// Accesses are watched from here on, or no longer.
#[inline(always)]
pub fn watch(on: bool) {
    // SAFETY: one kernel thread.
    unsafe { WATCHING = u8::from(on) }
}
