//! Looks through a run for pairs of accesses that race.
//!
//! For each granule of memory the last access of every thread, instruction and lockset is kept: if an earlier one by the
//! same thread raced with what comes now, so does the last. What was told once is not told again.

use super::limited::{Limited, Lockset};
use super::objects::PerRun;
use super::pure::Pure;
use super::threads::Threads;
use crate::cells::granules;
use gabion_trace::{Access, AccessKind, Address, Event, Space, ThreadId, Trace};
use std::collections::HashSet;

/// What orders two accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HappensBefore {
    /// Whatever ordered them in this run: no false alarms.
    #[default]
    Pure,
    /// Only what orders them in every run; locks protect. Finds more, sooner, of which some cannot happen.
    Limited,
}

impl HappensBefore {
    /// Both with their names on the command line.
    pub const NAMES: &'static [(&'static str, HappensBefore)] =
        &[("pure", HappensBefore::Pure), ("limited", HappensBefore::Limited)];
}

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
}

impl Touch {
    /// Does whatever races with it later race with the other too?
    fn is_replaced_by(&self, new: &Touch) -> bool {
        let bytes = |t: &Touch| (t.side.thread, t.side.access);
        bytes(self) == bytes(new) && self.locks == new.locks
    }
}

/// A block allocated in this run.
#[derive(Clone, Copy, Debug)]
struct Block {
    address: u64,
    size: u32,
    /// Which of the trace's events.
    event: u32,
}

impl Block {
    /// As something to conflict with.
    fn access(&self) -> Access {
        Access { address: Address::memory(self.address), size: self.size, kind: AccessKind::WRITE, pc: 0 }
    }
}

/// Bytes from which on an access is kept whole.
const LARGE: u32 = 4096;

#[derive(Debug)]
enum Relation {
    Pure(Pure),
    Limited(Limited),
}

/// Looks through runs. Kept from run to run.
#[derive(Debug)]
pub struct Detector {
    relation: Relation,
    threads: Threads,
    granules: PerRun<Vec<Touch>>,
    large: Vec<Touch>,
    blocks: Vec<Block>,
    /// First instruction, second, recycled: told already.
    told: HashSet<(u64, u64, bool)>,
}

impl Detector {
    /// One that has told nothing yet.
    pub fn new(relation: HappensBefore) -> Self {
        Detector {
            relation: match relation {
                HappensBefore::Pure => Relation::Pure(Pure::default()),
                HappensBefore::Limited => Relation::Limited(Limited::default()),
            },
            threads: Threads::default(),
            granules: PerRun::default(),
            large: Vec::new(),
            blocks: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// Calls `each` with the races of a run that were not told before: instruction by instruction, in the order in which
    /// they came.
    pub fn judge(&mut self, trace: &Trace, mut each: impl FnMut(Race)) {
        let threads = trace.steps.iter().map(|step| step.thread.index() + 1).max().unwrap_or(0);
        let threads = threads.max(trace.threads.len());
        self.threads.begin(threads);
        self.granules.begin();
        self.large.clear();
        self.blocks.clear();
        match &mut self.relation {
            Relation::Pure(pure) => pure.begin(&mut self.threads.clocks, threads),
            Relation::Limited(limited) => limited.begin(&mut self.threads.clocks, threads),
        }
        let mut last = None;
        for (number, step) in trace.steps.iter().enumerate() {
            let thread = step.thread.index();
            if let Relation::Limited(limited) = &mut self.relation {
                limited.step(&mut self.threads, step, last);
            }
            for (event, index) in trace.events(step).iter().zip(step.events.range()) {
                let index = index as u32;
                match *event {
                    Event::Access { access, .. } => {
                        let side = Side { thread: step.thread, step: number as u32, event: index, access };
                        self.access(side, &mut each);
                    }
                    Event::Op { op, object, result, .. } => match &mut self.relation {
                        Relation::Pure(pure) => pure.op(&mut self.threads, thread, op, object, result),
                        Relation::Limited(limited) => limited.op(&mut self.threads, thread, op, object, result),
                    },
                    Event::Alloc { address, size, .. } => self.blocks.push(Block { address, size, event: index }),
                    Event::Wake { thread: woken } => self.threads.hand(thread, woken),
                }
            }
            last = Some(thread);
        }
    }

    fn access(&mut self, side: Side, each: &mut impl FnMut(Race)) {
        let Side { access, .. } = side;
        if access.address.space() != Some(Space::Memory) {
            return;
        }
        let thread = side.thread.index();
        let atomic = access.kind.has(AccessKind::ATOMIC);
        let locks = match &mut self.relation {
            Relation::Pure(pure) => {
                if atomic {
                    pure.acquires(&mut self.threads, thread, &access);
                }
                Lockset::default()
            }
            Relation::Limited(limited) => limited.held(thread),
        };
        let Detector { threads, granules: all, large, blocks, told, .. } = self;
        let mut meet = |touch: &Touch| {
            let other = touch.side;
            let atomics = atomic && other.access.kind.has(AccessKind::ATOMIC);
            let ordered = || threads.knows(thread, other.thread.index(), touch.moment);
            if other.thread == side.thread || atomics || !access.conflicts(&other.access) {
                return;
            }
            let pair = (other.access.pc, access.pc);
            if touch.locks.protects(locks) || ordered() || told.contains(&(pair.0, pair.1, false)) {
                return;
            }
            let since = |block: &&Block| block.event > other.event && access.conflicts(&block.access());
            let recycled = blocks.iter().find(since).is_some();
            if told.insert((pair.0, pair.1, recycled)) {
                each(Race { first: other, second: side, recycled });
            }
        };
        let new = Touch { side, locks, moment: threads.now(thread) };
        large.iter().for_each(&mut meet);
        if access.size >= LARGE {
            all.each(|touches| touches.iter().for_each(&mut meet));
            large.push(new);
        } else {
            for (granule, _) in granules(&access) {
                let touches = all.get(granule, Vec::clear);
                touches.iter().for_each(&mut meet);
                match touches.iter_mut().find(|old| old.is_replaced_by(&new)) {
                    Some(old) => *old = new,
                    None => touches.push(new),
                }
            }
        }
        if let (true, Relation::Pure(pure)) = (atomic, &mut self.relation) {
            pure.releases(&mut self.threads, thread, &access);
        }
    }
}
