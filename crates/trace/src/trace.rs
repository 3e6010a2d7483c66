//! A trace: the immutable record of one run.

use crate::{
    Access, Address, Choice, ChoiceKind, Coverage, Ending, Footprint, OpKind, PlanId, Point, PointSet, ThreadId, Values,
};
use serde::{Deserialize, Serialize};

/// Identity of a thread: its parent and which child it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// Who created it (main: itself).
    pub parent: ThreadId,
    /// Which of the parent's children, from 0.
    pub nth: u32,
    /// The function it runs.
    pub start: u64,
}

/// A choice made, with all that could have been chosen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The choice; as part of a plan it would be followed again.
    pub choice: Choice,
    /// Every value there was, in ascending order.
    pub values: Values,
    /// The asking thread gave way by itself: to switch here is no preemption.
    pub free: bool,
}

impl Decision {
    /// Is it about which thread runs?
    pub fn is_thread(&self) -> bool {
        self.choice.kind == ChoiceKind::Thread
    }
}

/// What a thread is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Pending {
    /// Who.
    pub thread: ThreadId,
    /// What.
    pub op: OpKind,
    /// To what.
    pub object: Address,
    /// Where.
    pub pc: u64,
}

/// Something that happened within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// An access.
    Access {
        /// The access.
        access: Access,
        /// The bytes before it (first eight), if recorded.
        value: Option<u64>,
    },
    /// An operation on an object.
    Op {
        /// What.
        op: OpKind,
        /// To what.
        object: Address,
        /// Its result.
        result: u32,
        /// Where.
        pc: u64,
    },
    /// An allocation.
    Alloc {
        /// First byte.
        address: u64,
        /// Bytes.
        size: u32,
        /// Where.
        pc: u64,
    },
}

/// What one thread did between two points.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Who.
    pub thread: ThreadId,
    /// Its own number, from 0.
    pub number: u32,
    /// The point before it.
    pub point: Point,
    /// Who could have run instead, itself included.
    pub enabled: Vec<ThreadId>,
    /// Number of alternatives at the choice before it (0 or 1: none was made).
    pub alternatives: u32,
    /// Points passed in the step before it while their class was off.
    pub passed: u32,
    /// What the thread was about to do.
    pub pending: Option<Pending>,
    /// Who could not run, why, and who held what.
    pub blocked: Vec<Blocked>,
    /// If the step is an iteration of a waiting loop: what it read.
    pub waiting: Vec<Access>,
    /// Call stack at the point, outermost first, if recorded.
    pub stack: Vec<u64>,
    /// What it did.
    pub events: Vec<Event>,
}

impl Step {
    /// Everything the step touched, as accesses.
    pub fn footprint(&self) -> Footprint {
        let accesses = self.events.iter().filter_map(|event| match *event {
            Event::Access { access, .. } => Some(access),
            Event::Op { op, object, pc, .. } if op.mode().0 != 0 => {
                Some(Access { address: object, size: 1, kind: op.mode(), pc })
            }
            Event::Op { .. } | Event::Alloc { .. } => None,
        });
        Footprint { accesses: accesses.collect() }
    }
}

/// A thread that waits when the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// What it waits to do.
    pub pending: Pending,
    /// Who holds the object.
    pub holder: Option<ThreadId>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The kind.
    pub ending: Ending,
    /// Exit status or signal number.
    pub code: i32,
    /// In which thread.
    pub thread: ThreadId,
    /// At which instruction; 0: unknown.
    pub pc: u64,
    /// The address it is about; 0: none.
    pub address: u64,
    /// The program's or our words.
    pub message: String,
}

impl Outcome {
    /// Is this a bug of the program?
    pub fn is_failure(&self) -> bool {
        use Ending::*;
        matches!(
            self.ending,
            Assertion
                | Abort
                | Segfault
                | BusError
                | IllegalInstruction
                | Arithmetic
                | Deadlock
                | Exit
                | StepTooLong
                | Signal
                | StackOverflow
                | Hung
                | Died
                | Scribbled
                | DoubleFree
                | BadFree
        )
    }
    /// Did the run reach an end of the program's own, so that nothing below it was cut off?
    pub fn is_whole(&self) -> bool {
        self.is_failure() || self.ending == Ending::Passed
    }
}

/// The record of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The plan it answers.
    pub id: PlanId,
    /// The thread table, plan's part first.
    pub threads: Vec<ThreadInfo>,
    /// All choices really made: as a plan's choices they replay this run with no tail.
    pub decisions: Vec<Decision>,
    /// Steps, unless only the hash was asked for.
    pub steps: Vec<Step>,
    /// What every thread that had not ended was about to do at the end.
    pub pending: Vec<Pending>,
    /// Who waits for whom at the end.
    pub blocked: Vec<Blocked>,
    /// How it ended.
    pub outcome: Outcome,
    /// Facts for the verdict.
    pub coverage: Coverage,
    /// Classes of points that were passed, on or off.
    pub passed: PointSet,
    /// Threads whose stack another thread touched, now known.
    pub shared_stacks: Vec<ThreadId>,
    /// Number of steps, whether recorded or not.
    pub length: u64,
    /// Deterministic cost.
    pub cost: u64,
    /// Hash of everything.
    pub hash: u64,
}

impl Trace {
    /// The choices, ready for a plan.
    pub fn choices(&self) -> Vec<Choice> {
        self.decisions.iter().map(|d| d.choice).collect()
    }

    /// Switches away from a thread that could have gone on and had not given way.
    pub fn preemptions(&self) -> usize {
        self.decisions
            .iter()
            .filter(|d| d.is_thread())
            .filter(|d| {
                let asker = u32::from(d.choice.thread.0);
                !d.free && d.choice.value != asker && d.values.contains(asker)
            })
            .count()
    }
}
