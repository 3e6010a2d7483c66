//! Looks through a run for pairs of accesses that race.
//!
//! For each granule of memory the last access of every thread, instruction and lockset is kept: if an earlier one by the
//! same thread raced with what comes now, so does the last. What was told once is not told again, and what a run shares
//! with the one before is not looked at again.
//!
//! Where a run reuses memory, pure happens-before is kept beside the limited one. A pair is across recycled memory only if
//! that orders both the pair and the new allocation before the second access. What the position in the run says is not
//! enough: steps that do not depend on each other may come either way, and only one way is run.

use super::limited::Lockset;
use super::objects::PerRun;
use super::relation::{HappensBefore, Relation, RelationMark};
use crate::cells::{AddressHasher, granules};
use crate::freed::Freed;
use gabion_trace::{Access, AccessKind, Address, Event, Space, ThreadId, Trace};
use std::collections::HashSet;
use std::hash::BuildHasherDefault;

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Who.
    pub thread: ThreadId,
    /// In which step of the run.
    pub step: u32,
    /// Which of the trace's events.
    pub event: u32,
    /// What.
    pub access: Access,
}

/// Two accesses that nothing orders, as they came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one that came first in this run.
    pub first: Side,
    /// The other.
    pub second: Side,
    /// The memory was given back and allocated again in between.
    pub recycled: bool,
}

/// An access that later ones are held against.
#[derive(Clone, Copy, Debug)]
struct Touch {
    side: Side,
    locks: Lockset,
    /// Its thread's time.
    moment: u32,
    /// The same by what is kept beside.
    beside: u32,
}

impl Touch {
    /// Does whatever races with it later race with the other too?
    fn is_replaced_by(&self, new: &Touch) -> bool {
        let bytes = |t: &Touch| (t.side.thread, t.side.access);
        bytes(self) == bytes(new) && self.locks == new.locks
    }
}

/// A block allocated in a run that reuses memory.
#[derive(Clone, Copy, Debug)]
struct Block {
    address: u64,
    size: u32,
    /// Which of the trace's events, by whom, and when by what is kept beside.
    event: u32,
    thread: usize,
    moment: u32,
}

impl Block {
    /// As something to conflict with.
    fn access(&self) -> Access {
        Access { address: Address::memory(self.address), size: self.size, kind: AccessKind::WRITE, pc: 0 }
    }
}

/// Bytes from which on an access is kept whole.
const LARGE: u32 = 4096;

/// Looks through runs. Kept from run to run.
#[derive(Clone, Debug)]
pub struct Detector {
    relation: Relation,
    /// Pure happens-before, and whether it is needed in this run.
    beside: (Relation, bool),
    granules: PerRun<Vec<Touch>>,
    large: Vec<Touch>,
    freed: Freed<Touch>,
    /// Only where memory is reused.
    blocks: Vec<Block>,
    /// First instruction, second, who, recycled: told already.
    told: HashSet<(u64, u64, u64, bool), BuildHasherDefault<AddressHasher>>,
    /// Are races of the same instructions told apart by who takes part?
    by_thread: bool,
    /// What granules were before they changed: which, where in its list, and what was there.
    before: Vec<(u64, u32, Option<Touch>)>,
    /// For each step looked at, the moment before it. Empty where the relation cannot come back.
    marks: Vec<Mark>,
    threads: usize,
}

/// A moment to come back to.
#[derive(Clone, Copy, Debug)]
struct Mark {
    relation: RelationMark,
    granules: usize,
    before: usize,
    large: usize,
    freed: usize,
}

impl Detector {
    /// One that has told nothing yet.
    pub fn new(relation: HappensBefore) -> Self {
        Detector {
            relation: Relation::new(relation),
            beside: (Relation::new(HappensBefore::Pure), false),
            granules: PerRun::default(),
            large: Vec::new(),
            freed: Freed::default(),
            blocks: Vec::new(),
            told: HashSet::default(),
            by_thread: false,
            before: Vec::new(),
            marks: Vec::new(),
            threads: 0,
        }
    }

    /// The same; it tells races of the same instructions once for each pair of threads.
    pub fn by_thread(relation: HappensBefore) -> Self {
        Detector { by_thread: true, ..Detector::new(relation) }
    }

    /// Calls `each` with the races of a run that were not told before: instruction by instruction, in the order in which
    /// they came. Its first `keep` steps are those of the run judged before.
    pub fn judge(&mut self, trace: &Trace, keep: usize, mut each: impl FnMut(Race)) {
        let from = self.begin(trace, keep);
        let mut last = None;
        for (number, step) in trace.steps.iter().enumerate().skip(from) {
            if let Some(relation) = self.relation.mark() {
                let (granules, before) = (self.granules.mark(), self.before.len());
                self.marks.push(Mark { relation, granules, before, large: self.large.len(), freed: self.freed.mark() });
            }
            let thread = step.thread.index();
            self.each_relation(|relation| relation.step(step, last));
            for (event, index) in trace.events(step).iter().zip(step.events.range()) {
                let index = index as u32;
                match *event {
                    Event::Access { access, .. } => {
                        let side = Side { thread: step.thread, step: number as u32, event: index, access };
                        self.access(side, &mut each);
                    }
                    Event::Op { op, object, result, .. } => {
                        self.each_relation(|relation| relation.op(thread, op, object, result));
                    }
                    Event::Alloc { address, size, .. } => {
                        self.each_relation(|relation| relation.allocated(thread, address));
                        if let (beside, true) = &self.beside {
                            let moment = beside.now(thread);
                            self.blocks.push(Block { address, size, event: index, thread, moment });
                        }
                    }
                    Event::Wake { thread: woken } => self.each_relation(|relation| relation.hand(thread, woken)),
                }
            }
            last = Some(thread);
        }
    }

    /// Goes back to where the run parts from the one before, or to the beginning. Gives the step to go on with.
    fn begin(&mut self, trace: &Trace, keep: usize) -> usize {
        let mut threads = trace.threads.len();
        for step in trace.steps.get(keep..).unwrap_or_default() {
            threads = threads.max(step.thread.index() + 1);
        }
        if threads <= self.threads && (1..self.marks.len()).contains(&keep) {
            let mark = self.marks[keep];
            self.marks.truncate(keep);
            self.relation.take_back(mark.relation);
            for (granule, index, old) in self.before.drain(mark.before..).rev() {
                let touches = self.granules.get(granule, Vec::clear);
                match old {
                    Some(old) => touches[index as usize] = old,
                    None => _ = touches.pop(),
                }
            }
            self.granules.take_back(mark.granules);
            self.large.truncate(mark.large);
            self.freed.take_back(mark.freed);
            return keep;
        }
        let threads = trace.steps.iter().fold(threads, |most, step| most.max(step.thread.index() + 1));
        self.threads = threads;
        self.marks.clear();
        self.before.clear();
        self.beside.1 = self.relation.which() == HappensBefore::Limited && reuses(trace);
        self.each_relation(|relation| relation.begin(threads));
        self.granules.begin();
        self.large.clear();
        self.freed.take_back(0);
        self.blocks.clear();
        0
    }

    fn each_relation(&mut self, mut each: impl FnMut(&mut Relation)) {
        each(&mut self.relation);
        if let (beside, true) = &mut self.beside {
            each(beside);
        }
    }

    fn access(&mut self, side: Side, each: &mut impl FnMut(Race)) {
        let Side { access, .. } = side;
        if access.address.space() != Some(Space::Memory) || access.kind.has(AccessKind::REUSE) {
            return;
        }
        let thread = side.thread.index();
        self.each_relation(|relation| relation.before(thread, &access));
        let locks = self.relation.held(thread);
        let Detector {
            relation,
            beside: (beside, reuses),
            granules: all,
            large,
            freed,
            blocks,
            told,
            by_thread,
            before,
            ..
        } = self;
        let mut meet = |touch: &Touch| {
            let other = touch.side;
            let atomics = access.kind.has(AccessKind::ATOMIC) && other.access.kind.has(AccessKind::ATOMIC);
            if other.thread == side.thread || atomics || !access.conflicts(&other.access) {
                return;
            }
            let pair = (other.access.pc, access.pc);
            let who = if *by_thread { u64::from(other.thread.0) << 16 | u64::from(side.thread.0) } else { 0 };
            let ordered = || relation.knows(thread, other.thread.index(), touch.moment);
            if touch.locks.protects(locks) || ordered() || told.contains(&(pair.0, pair.1, who, false)) {
                return;
            }
            let between = |block: &Block| {
                block.event > other.event
                    && access.conflicts(&block.access())
                    && beside.knows(thread, block.thread, block.moment)
            };
            let recycled =
                *reuses && beside.knows(thread, other.thread.index(), touch.beside) && blocks.iter().any(between);
            if told.insert((pair.0, pair.1, who, recycled)) {
                each(Race { first: other, second: side, recycled });
            }
        };
        let now = if *reuses { beside.now(thread) } else { 0 };
        let new = Touch { side, locks, moment: relation.now(thread), beside: now };
        large.iter().for_each(&mut meet);
        if access.kind.has(AccessKind::FREE) && freed.add(&access, new) {
            meet_granules(all, &access, &mut meet);
        } else if access.size >= LARGE {
            meet_granules(all, &access, &mut meet);
            freed.at(&access).for_each(&mut meet);
            large.push(new);
        } else {
            for (granule, _) in granules(&access) {
                let touches = all.get(granule, Vec::clear);
                touches.iter().for_each(&mut meet);
                match touches.iter().position(|old| old.is_replaced_by(&new)) {
                    Some(index) => {
                        let old = std::mem::replace(&mut touches[index], new);
                        // Runs part between steps: what a step puts in the place of its own, nobody comes back to.
                        if old.side.step != side.step {
                            before.push((granule, index as u32, Some(old)));
                        }
                    }
                    None => {
                        before.push((granule, touches.len() as u32, None));
                        if touches.is_empty() {
                            touches.reserve_exact(1); // most have no second one
                        }
                        touches.push(new);
                    }
                }
            }
            freed.at(&access).for_each(&mut meet);
        }
        self.each_relation(|relation| relation.after(thread, &access));
    }
}

/// Meets what is known of each granule of an access.
fn meet_granules(all: &PerRun<Vec<Touch>>, access: &Access, meet: &mut impl FnMut(&Touch)) {
    if (access.size / 8) as usize > all.mark() {
        all.each(|touches| touches.iter().for_each(&mut *meet));
    } else {
        for (granule, _) in granules(access) {
            all.known(granule).into_iter().flatten().for_each(&mut *meet);
        }
    }
}

/// Is memory allocated again that was given back in this run?
fn reuses(trace: &Trace) -> bool {
    let mut freed = HashSet::new();
    trace.events.iter().any(|event| match *event {
        Event::Access { access, .. } if access.kind.has(AccessKind::FREE) => {
            freed.insert(access.address);
            false
        }
        Event::Alloc { address, .. } => freed.contains(&Address::memory(address)),
        _ => false,
    })
}
