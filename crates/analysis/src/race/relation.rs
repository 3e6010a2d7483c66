//! One of the two relations, in one run so far.

use super::clock::ClockMark;
use super::limited::{Limited, Lockset};
use super::pure::{Pure, PureMark};
use super::threads::Threads;
use gabion_trace::{Access, AccessKind, Address, OpKind, Step, ThreadId};

/// What orders two accesses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
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

#[derive(Clone, Debug)]
enum Rules {
    Pure(Box<Pure>),
    Limited(Box<Limited>),
}

/// A relation and what each thread knows by it.
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    rules: Rules,
    threads: Threads,
}

/// A moment to come back to.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RelationMark {
    clocks: ClockMark,
    pure: PureMark,
}

impl Relation {
    pub(crate) fn new(which: HappensBefore) -> Self {
        let rules = match which {
            HappensBefore::Pure => Rules::Pure(Box::default()),
            HappensBefore::Limited => Rules::Limited(Box::default()),
        };
        Relation { rules, threads: Threads::default() }
    }

    pub(crate) fn which(&self) -> HappensBefore {
        match self.rules {
            Rules::Pure(_) => HappensBefore::Pure,
            Rules::Limited(_) => HappensBefore::Limited,
        }
    }

    /// A run begins.
    pub(crate) fn begin(&mut self, threads: usize) {
        self.threads.begin(threads);
        match &mut self.rules {
            Rules::Pure(pure) => pure.begin(&mut self.threads.clocks, threads),
            Rules::Limited(limited) => limited.begin(&mut self.threads.clocks, threads),
        }
    }

    /// A moment to come back to, where that is possible.
    pub(crate) fn mark(&self) -> Option<RelationMark> {
        match &self.rules {
            Rules::Pure(pure) => Some(RelationMark { clocks: self.threads.clocks.mark(), pure: pure.mark() }),
            Rules::Limited(_) => None,
        }
    }

    /// Undoes what was done after the mark.
    pub(crate) fn take_back(&mut self, mark: RelationMark) {
        if let Rules::Pure(pure) = &mut self.rules {
            pure.take_back(mark.pure);
        }
        self.threads.clocks.take_back(mark.clocks);
    }

    /// A step begins; `last` made the one before it.
    pub(crate) fn step(&mut self, step: &Step, last: Option<usize>) {
        if let Rules::Limited(limited) = &mut self.rules {
            limited.step(step, last);
        }
    }

    /// A thread did something to an object.
    pub(crate) fn op(&mut self, thread: usize, op: OpKind, object: Address, result: u32) {
        match &mut self.rules {
            Rules::Pure(pure) => pure.op(&mut self.threads, thread, op, object, result),
            Rules::Limited(limited) => limited.op(&mut self.threads, thread, op, object, result),
        }
    }

    /// A thread hands what it knows to another, which goes on after that.
    pub(crate) fn hand(&mut self, thread: usize, to: ThreadId) {
        self.threads.hand(thread, to);
    }

    /// A thread got a block.
    pub(crate) fn allocated(&mut self, thread: usize, block: u64) {
        if let Rules::Pure(pure) = &mut self.rules {
            pure.allocated(&mut self.threads, thread, Address::memory(block));
        }
    }

    /// A thread makes an access: what it gets before that counts.
    pub(crate) fn before(&mut self, thread: usize, access: &Access) {
        if let (Rules::Pure(pure), true) = (&mut self.rules, access.kind.has(AccessKind::ATOMIC) && orders(access.kind))
        {
            pure.acquires(&mut self.threads, thread, access);
        }
    }

    /// What others may get from it, the access itself included.
    pub(crate) fn after(&mut self, thread: usize, access: &Access) {
        let Rules::Pure(pure) = &mut self.rules else { return };
        if access.kind.has(AccessKind::ATOMIC) {
            if orders(access.kind) {
                pure.releases(&mut self.threads, thread, access);
            }
        } else if access.kind.has(AccessKind::FREE) {
            pure.freed(&mut self.threads, thread, access.address);
        }
    }

    /// The locks that protect what a thread does.
    pub(crate) fn held(&self, thread: usize) -> Lockset {
        match &self.rules {
            Rules::Pure(_) => Lockset::default(),
            Rules::Limited(limited) => limited.held(thread),
        }
    }

    /// A thread's own time.
    pub(crate) fn now(&self, thread: usize) -> u32 {
        self.threads.now(thread)
    }

    /// Does a thread know what another did at a moment?
    pub(crate) fn knows(&self, thread: usize, other: usize, moment: u32) -> bool {
        self.threads.knows(thread, other, moment)
    }
}

/// Does an atomic access order anything? What a lock orders its operations say, not their accesses to its bytes.
fn orders(kind: AccessKind) -> bool {
    !kind.has(AccessKind::OF_OBJECT) || kind.has(AccessKind::ACQUIRE)
}
