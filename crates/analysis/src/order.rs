//! The happens-before order of a run's steps, and its races.
//!
//! Steps are ordered through conflicting accesses (objects are accesses too), through one step waking another thread,
//! and through the end of the process, which depends on everybody. Each step has a vector clock: how many steps of each
//! thread happen before it, itself included.
//!
//! A *race* is a pair of steps of two threads, ordered directly and by nothing in between, the later of which could have
//! run in place of the earlier. These are the pairs whose reversal leads to other orders.

use crate::cells::Cells;
use crate::locks::{Locks, Waiting};
use crate::steps::{Steps, keep_below};
use gabion_trace::{Access, AccessKind, Address, OpKind, Pending, Space, Trace};

/// Clocks are joined so many threads at a time.
const LANES: usize = 8;

/// Which pairs count as races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Races {
    /// Those with nothing in between: enough when every reversal is made.
    Direct,
    /// All that conflict, but for those that one thread's steps and enabling order, as the thesis has it (§3.4.2). The
    /// order is then that of enabling alone.
    All,
    /// Also those that were direct at some moment while the later thread stood before its step: a bounded search may
    /// not be allowed to reverse the last one.
    Pending,
}

/// The order of one run. Kept from run to run: what a run shares with the one before is not computed again.
#[derive(Clone, Debug)]
pub struct Order {
    steps: Steps,
    races: Races,
    /// Threads that a clock has room for.
    width: usize,
    clocks: Vec<u32>,
    cells: Cells,
    locks: Locks,
    /// Earlier steps of each step's races; see `ends`.
    firsts: Vec<u32>,
    /// Where in `firsts` the races of each step end.
    ends: Vec<u32>,
    /// Races of what was still pending at the end: the earlier step, and the thread that stood before its next.
    pending: Vec<(u32, u16)>,
    /// Steps that woke each thread.
    woken: Vec<Vec<u32>>,
    /// How much `cells` and `locks` held before each step.
    marks: Vec<(usize, usize)>,
    memory: Memory,
}

/// Memory for what is found out about one step.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// Steps that it meets.
    met: Vec<u32>,
    /// See [`Later::clock`].
    clock: Vec<u32>,
    /// Its races.
    races: Vec<u32>,
}

/// A step that has or has not been made: whose, and what it waits to do.
struct Later<'a> {
    thread: u16,
    op: OpKind,
    object: Address,
    /// The thread's step before it.
    previous: Option<u32>,
    /// The clock of what is before it whatever happens.
    clock: &'a mut Vec<u32>,
}

/// What follows a step; see [`Order::after`].
#[derive(Clone, Copy, Debug)]
pub struct After<'a> {
    /// From the column of the step's thread on.
    clocks: &'a [u32],
    width: usize,
    ordinal: u32,
}

impl After<'_> {
    /// Is it among them? A step counts as following itself.
    #[inline]
    pub fn has(&self, step: u32) -> bool {
        self.clocks[step as usize * self.width] > self.ordinal
    }
}

impl Order {
    /// An order of nothing.
    pub fn new(races: Races) -> Self {
        Order {
            steps: Steps::default(),
            races,
            width: 0,
            clocks: Vec::new(),
            cells: Cells::default(),
            locks: Locks::default(),
            firsts: Vec::new(),
            ends: Vec::new(),
            pending: Vec::new(),
            woken: Vec::new(),
            marks: Vec::new(),
            memory: Memory::default(),
        }
    }

    /// Do clocks count whatever a step conflicts with, and not only what it has to wait for?
    pub(crate) fn joins_all(&self) -> bool {
        self.races != Races::All
    }

    /// The steps.
    #[inline]
    pub fn steps(&self) -> &Steps {
        &self.steps
    }
    /// Did the step end the process, so that it depends on every other?
    #[inline]
    pub fn ends_process(&self, step: usize) -> bool {
        self.steps.ends_process && step + 1 == self.steps.len()
    }
    /// Does `first` happen before `second`, another step?
    #[inline]
    pub fn before(&self, first: u32, second: u32) -> bool {
        let first = self.steps.glances()[first as usize];
        self.clocks[second as usize * self.width + usize::from(first.thread)] > first.ordinal
    }
    /// The steps that this one happens before.
    #[inline]
    pub fn after(&self, first: u32) -> After<'_> {
        let first = self.steps.glances()[first as usize];
        After { clocks: &self.clocks[usize::from(first.thread)..], width: self.width, ordinal: first.ordinal }
    }
    /// A step's clock: steps of each thread that happen before it, itself included.
    #[inline]
    pub fn clock(&self, step: usize) -> &[u32] {
        &self.clocks[step * self.width..][..self.width]
    }
    /// The earlier steps of the step's races, latest first.
    #[inline]
    pub fn races(&self, step: usize) -> &[u32] {
        let from = if step == 0 { 0 } else { self.ends[step - 1] };
        &self.firsts[from as usize..self.ends[step] as usize]
    }
    /// What threads that had not ended were about to do at the end.
    pub fn pending(&self) -> &[Pending] {
        &self.steps.pending
    }
    /// Races of operations that were pending at the end: the earlier step and the thread.
    pub fn pending_races(&self) -> &[(u32, u16)] {
        &self.pending
    }

    /// Calls `each` with the steps before this one on which it depends whether its thread can go on after it: those
    /// that used what its next operation may have to wait for, and do not happen before it.
    pub fn decides_next(&self, step: usize, mut each: impl FnMut(u32)) {
        let item = self.steps.item(step);
        let next = match self.steps.of_thread(item.thread).get(item.ordinal as usize + 1) {
            Some(next) => {
                let next = self.steps.item(*next as usize);
                Some((next.op, next.object))
            }
            None => self.pending().iter().find(|p| p.thread.0 == item.thread).map(|p| (p.op, p.object)),
        };
        let Some((_, object)) = next.filter(|(op, _)| blocks(*op)) else { return };
        self.locks.back(object, |past| {
            if past.step as usize >= step {
                return true;
            }
            let ordered = self.before(past.step, step as u32);
            if !ordered {
                each(past.step);
            }
            !(ordered && past.op.uses(past.result).writes())
        });
    }

    /// Reads a trace of which the first `keep` steps are those of the last one read.
    pub fn read(&mut self, trace: &Trace, keep: usize) {
        let keep = keep.min(self.steps.len()).min(trace.steps.len());
        self.steps.read(trace, keep);
        let width = self.steps.threads().max(trace.threads.len()).max(self.width).next_multiple_of(LANES);
        let keep = if width == self.width { keep } else { 0 };
        self.width = width;
        self.clocks.truncate(keep * width);
        self.ends.truncate(keep);
        self.firsts.truncate(self.ends.last().map_or(0, |end| *end as usize));
        if let Some((cells, locks)) = self.marks.get(keep) {
            self.cells.take_back(*cells);
            self.locks.take_back(*locks);
            self.marks.truncate(keep);
        }
        self.woken.resize_with(width, Vec::new);
        self.woken.iter_mut().for_each(|steps| keep_below(steps, keep));
        let mut memory = std::mem::take(&mut self.memory);
        for step in keep..self.steps.len() {
            self.step(step, &mut memory);
        }
        self.finish(&mut memory);
        self.memory = memory;
    }

    fn step(&mut self, step: usize, memory: &mut Memory) {
        let index = step as u32;
        let thread = self.steps.item(step).thread;
        self.marks.push((self.cells.mark(), self.locks.mark()));
        self.order(step, memory);
        for wake in self.steps.wakes(step) {
            if let Some(list) = self.woken.get_mut(usize::from(*wake)) {
                list.push(index);
            }
        }
        for op in self.steps.objects(step) {
            self.locks.add(op, thread);
        }
        for access in self.steps.footprint(step) {
            self.cells.add(index, access);
            self.locks.add_access(index, access, thread);
        }
    }

    /// The steps that woke a thread since its last one.
    pub fn woken(&self, thread: u16) -> &[u32] {
        let last = self.steps.of_thread(thread).last().copied();
        if usize::from(thread) < self.woken.len() { self.woken_since(thread, last) } else { &[] }
    }

    /// The steps that woke a thread since this step of its own.
    fn woken_since(&self, thread: u16, previous: Option<u32>) -> &[u32] {
        let woken = &self.woken[usize::from(thread)];
        &woken[woken.partition_point(|step| previous.is_some_and(|p| *step < p))..]
    }

    /// Finds a step's clock and races.
    fn order(&mut self, step: usize, Memory { met, clock, races }: &mut Memory) {
        let item = self.steps.item(step);
        let (thread, op, object, ordinal) = (item.thread, item.op, item.object, item.ordinal);
        let glances = self.steps.glances();
        met.clear();
        let mut meet = |other: u32| {
            if glances[other as usize].thread != thread {
                met.push(other);
            }
        };
        for access in self.steps.footprint(step) {
            self.cells.conflicts(access, self.races != Races::Direct, &mut meet);
        }
        if self.ends_process(step) {
            (0..self.steps.threads())
                .filter_map(|t| self.steps.of_thread(t as u16).last().copied())
                .for_each(&mut meet);
        }
        let previous = ordinal.checked_sub(1).map(|o| self.steps.of_thread(thread)[o as usize]);
        self.woken_since(thread, previous).iter().copied().for_each(&mut meet);
        let at = self.clocks.len();
        match previous.map(|previous| previous as usize * self.width) {
            Some(from) => self.clocks.extend_from_within(from..from + self.width),
            None => self.clocks.resize(at + self.width, 0),
        }
        let only_joins = self.only_joins(step, met);
        let (before, own) = self.clocks.split_at_mut(at);
        let is_new = |other: &u32| {
            let glance = glances[*other as usize];
            own[usize::from(glance.thread)] <= glance.ordinal
        };
        let races_are_possible = if blocks(op) { !only_joins } else { met.iter().any(is_new) };
        if races_are_possible {
            clock.clear();
            clock.extend_from_slice(own);
        }
        // The clock of everything met, whether it could be reversed or not.
        let all = self.races != Races::All || blocks(op);
        let wakes = self.steps.wakes_of(thread);
        for other in met.iter().filter(|other| all || wakes(**other)) {
            let glance = glances[*other as usize];
            if own[usize::from(glance.thread)] <= glance.ordinal {
                join(own, &before[*other as usize * self.width..][..self.width]);
            }
        }
        own[usize::from(thread)] = ordinal + 1;
        if races_are_possible {
            races.clear();
            self.find_races(Later { thread, op, object, previous, clock }, met, |first| races.push(first));
            self.firsts.extend_from_slice(races);
        }
        self.ends.push(self.firsts.len() as u32);
    }

    /// Does the step join a thread, and meet nothing but its end? That it waited for, so the two cannot be reversed. (If
    /// the end woke it, it was about to do something else, and nobody knows.)
    fn only_joins(&self, step: usize, met: &[u32]) -> bool {
        let item = self.steps.item(step);
        let Some(end) = met.first().copied().filter(|_| item.op == OpKind::Join) else { return false };
        met.iter().all(|other| *other == end)
            && self.locks.is_only_end(item.object, end)
            && !self.steps.wakes(end as usize).contains(&item.thread)
    }

    /// Calls `each` with the earlier steps of a step's races. `met` are those that it meets.
    fn find_races(&self, later: Later, met: &mut Vec<u32>, mut each: impl FnMut(u32)) {
        let Later { thread, op, object, previous, clock } = later;
        let blocks = blocks(op);
        let who = Waiting { object, op, thread, previous };
        if blocks {
            // A lock's last user may be one that cannot be reversed; then an earlier one may.
            self.locks.back(object, |past| {
                let item = self.steps.item(past.step as usize);
                let covered = clock[usize::from(item.thread)] > item.ordinal;
                if !covered && item.thread != thread {
                    met.push(past.step);
                }
                let hides = past.op.uses(past.result).writes() && self.locks.possible(self, who, past.step);
                !(covered && past.op.uses(past.result).writes()) && (self.races != Races::Direct || !hides)
            });
        }
        let ordered = |clock: &[u32], step: u32| {
            let glance = self.steps.glances()[step as usize];
            clock[usize::from(glance.thread)] > glance.ordinal
        };
        met.retain(|first| !ordered(clock, *first));
        if met.len() > 1 {
            met.sort_unstable_by(|a, b| b.cmp(a));
            met.dedup();
        }
        for first in met.iter().copied() {
            if ordered(clock, first) {
                continue;
            }
            let item = self.steps.item(first as usize);
            let stood = previous.is_none_or(|previous| previous < first);
            let woke = self.steps.wakes(first as usize).contains(&thread);
            let possible = if woke && stood {
                // It was about to do something else, which only a wait with a time limit can do.
                item.enabled.contains(u32::from(thread))
            } else {
                !blocks || self.locks.possible(self, who, first)
            };
            if possible {
                each(first);
                if self.races == Races::Direct || self.races == Races::Pending && !stood {
                    join(clock, self.clock(first as usize));
                }
            } else if woke {
                join(clock, self.clock(first as usize));
            }
        }
    }

    /// Every operation still pending takes part as a last event.
    fn finish(&mut self, Memory { met, clock, .. }: &mut Memory) {
        let mut pending = std::mem::take(&mut self.pending);
        pending.clear();
        let last = self.steps.len().checked_sub(1).filter(|_| self.steps.ends_process);
        for p in &self.steps.pending {
            let thread = p.thread.0;
            let end = last.filter(|last| self.steps.item(*last).thread != thread);
            if let Some(end) = end.filter(|end| self.steps.item(*end).enabled.contains(u32::from(thread))) {
                pending.push((end as u32, thread));
                continue;
            }
            if !blocks(p.op) {
                continue;
            }
            let previous = self.steps.of_thread(thread).last().copied();
            met.clear();
            clock.clear();
            match previous {
                Some(previous) => clock.extend_from_slice(self.clock(previous as usize)),
                None => clock.resize(self.width, 0),
            }
            met.extend_from_slice(self.woken_since(thread, previous));
            if p.object.space() == Some(Space::Object) {
                // It also waits because of what others have written to the object's bytes.
                let word =
                    Access { address: Address::memory(p.object.offset()), size: 4, kind: AccessKind::READ, pc: 0 };
                let plain = |a: &Access| a.conflicts(&word) && !a.kind.has(AccessKind::ATOMIC);
                self.cells.conflicts(&word, self.races != Races::Direct, |step| {
                    let others = self.steps.item(step as usize).thread != thread;
                    if others && self.steps.footprint(step as usize).iter().any(plain) {
                        met.push(step);
                    }
                });
            }
            let later = Later { thread, op: p.op, object: p.object, previous, clock };
            self.find_races(later, met, |first| pending.push((first, thread)));
        }
        self.pending = pending;
    }
}

/// May the operation have to wait?
fn blocks(op: OpKind) -> bool {
    use OpKind::*;
    matches!(
        op,
        MutexLock
            | CondReacquire
            | SpinLock
            | ReadLock
            | WriteLock
            | SemWait
            | Park
            | Once
            | Join
            | ScopeJoin
            | BarrierWait
    )
}

fn join(clock: &mut [u32], other: &[u32]) {
    let (clock, other) = (clock.as_chunks_mut::<LANES>().0, other.as_chunks::<LANES>().0);
    for (mine, theirs) in clock.iter_mut().zip(other) {
        // Nobody makes 2^31 steps, and numbers with a sign are compared in fewer instructions.
        mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine = (*mine as i32).max(*theirs as i32) as u32);
    }
}
