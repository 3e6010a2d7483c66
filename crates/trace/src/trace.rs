//! A trace: the immutable record of one run.

use crate::{
    Access, Address, Choice, ChoiceKind, Contended, Coverage, Ending, Footprint, OnStack, OpKind, PlanId, Point,
    PointSet, Role, Source, Standing, ThreadId, Values,
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
        /// Who: a new thread runs up to its first operation within its creator's step.
        thread: ThreadId,
    },
    /// Another thread's next operation was changed or made possible by this step.
    Wake {
        /// Whom.
        thread: ThreadId,
    },
}

impl Event {
    /// What the event touches, if anything that others can see.
    #[inline]
    pub fn as_access(&self) -> Option<Access> {
        match *self {
            Event::Access { access, .. } => Some(access),
            Event::Op { op, object, result, pc } if op.mode().0 != 0 => {
                Some(Access { address: object, size: 1, kind: op.uses(result), pc })
            }
            Event::Op { .. } | Event::Alloc { .. } | Event::Wake { .. } => None,
        }
    }
}

/// A part of one of a trace's lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    from: u32,
    to: u32,
}

impl Span {
    /// Empty, at the end of a list of this length.
    pub const fn at(length: usize) -> Self {
        Span { from: length as u32, to: length as u32 }
    }
    /// The part itself.
    #[inline]
    pub fn of<T>(self, list: &[T]) -> &[T] {
        &list[self.range()]
    }
    /// The indices.
    #[inline]
    pub const fn range(self) -> std::ops::Range<usize> {
        self.from as usize..self.to as usize
    }
    /// Adds to the list and to the part, which is the list's last.
    #[inline]
    pub fn push<T>(&mut self, list: &mut Vec<T>, item: T) {
        debug_assert_eq!(list.len(), self.to as usize, "internal error: a part that is not the last of its list");
        list.push(item);
        self.to += 1;
    }
}

/// What one thread did between two points. What varies in length is in the trace's lists: a trace of any length costs
/// a handful of allocations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Who.
    pub thread: ThreadId,
    /// Its own number, from 0.
    pub number: u32,
    /// The point before it.
    pub point: Point,
    /// Who could have run instead, itself included.
    pub enabled: Values,
    /// Number of alternatives at the choice before it (0 or 1: none was made).
    pub alternatives: u32,
    /// Points passed in the step before it while their class was off.
    pub passed: u32,
    /// What the thread was about to do.
    pub pending: Option<Pending>,
    /// Decisions made before the step's first event: the last of them chose the thread if there were alternatives.
    pub decisions: u32,
    /// See [`Trace::blocked_at`].
    pub blocked: Span,
    /// See [`Trace::waited`].
    pub waiting: Span,
    /// See [`Trace::stack`].
    pub stack: Span,
    /// See [`Trace::events`].
    pub events: Span,
}

/// A thread that waits when the run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocked {
    /// What it waits to do.
    pub pending: Pending,
    /// Who holds the object.
    pub holder: Option<ThreadId>,
    /// It waits in a loop: it could do the operation, and would be as it is now afterwards.
    pub spins: bool,
}

/// What a thread that waits in a loop reads there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Who.
    pub thread: ThreadId,
    /// What it read in the last round; a change of one of these enables it.
    pub reads: Vec<Access>,
}

/// What somebody did that explains the ending.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Witness {
    /// What.
    pub role: Role,
    /// Who.
    pub thread: ThreadId,
    /// At which instruction; 0: unknown.
    pub pc: u64,
    /// To what: the block, the lock; 0: nothing in particular.
    pub address: u64,
    /// Its bytes, as far as they are known.
    pub size: u32,
    /// Call stack, outermost first, if recorded.
    pub stack: Vec<u64>,
}

/// A loop that was taken to wait because it went round without progress.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AssumedWait {
    /// An instruction in it, and the call sites above that, innermost first, as far as they are kept.
    pub sites: Vec<u64>,
    /// Rounds after which that was done; 0: not known.
    pub rounds: u64,
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
                | Uncaught
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
                | Livelock
                | UseAfterFree
                | HeapOverflow
                | LockMisuse
                | Leak
                | Panic
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
    /// What the steps did, one after the other.
    pub events: Vec<Event>,
    /// Who waited, step by step.
    pub waits: Vec<Blocked>,
    /// Read sets of waiting loops, step by step.
    pub reads: Vec<Access>,
    /// Call stacks, step by step.
    pub frames: Vec<u64>,
    /// See [`Trace::access_stack`].
    pub access_stacks: Vec<(u32, Span)>,
    /// What accesses left, where they were recorded afterwards: by the event's index, ascending.
    pub left: Vec<(u32, u64)>,
    /// What is there when the step of a plain write ends, by the write's event.
    #[serde(default)]
    pub ended: Vec<(u32, u64)>,
    /// Stacks on which something was touched, as they stood.
    #[serde(default)]
    pub standing: Vec<Standing>,
    /// What was touched there.
    #[serde(default)]
    pub on_stacks: Vec<OnStack>,
    /// What the program calls its threads.
    pub names: Vec<(ThreadId, String)>,
    /// What every thread that had not ended was about to do at the end.
    pub pending: Vec<Pending>,
    /// Who waits for whom at the end.
    pub blocked: Vec<Blocked>,
    /// What those that wait in a loop at the end read there.
    pub waiting: Vec<Waiting>,
    /// Loops that were taken to be waiting because they looked so.
    pub assumed: Vec<AssumedWait>,
    /// Threads that ended with a lock held: who, which lock, and where the thread's function begins.
    pub held: Vec<(ThreadId, u64, u64)>,
    /// Points that were sealed off: their instructions and classes. One may be there more than once.
    pub sealed: Vec<(u64, Point)>,
    /// How it ended.
    pub outcome: Outcome,
    /// What explains the ending.
    pub witnesses: Vec<Witness>,
    /// Facts for the verdict.
    pub coverage: Coverage,
    /// Classes of points that were passed, on or off.
    pub passed: PointSet,
    /// Threads whose stack another thread touched, now known.
    pub shared_stacks: Vec<ThreadId>,
    /// Memory at which threads met that was not known for it.
    pub contended: Vec<Contended>,
    /// Number of steps, whether recorded or not.
    pub length: u64,
    /// Deterministic cost.
    pub cost: u64,
    /// Hash of everything.
    pub hash: u64,
    /// What it was read from.
    #[serde(skip)]
    pub source: Source,
}

impl Trace {
    /// A trace with nothing in it but how the run ended.
    pub fn new(id: PlanId, outcome: Outcome) -> Self {
        Trace {
            id,
            threads: Vec::new(),
            decisions: Vec::new(),
            steps: Vec::new(),
            events: Vec::new(),
            waits: Vec::new(),
            reads: Vec::new(),
            frames: Vec::new(),
            access_stacks: Vec::new(),
            left: Vec::new(),
            ended: Vec::new(),
            standing: Vec::new(),
            on_stacks: Vec::new(),
            names: Vec::new(),
            pending: Vec::new(),
            blocked: Vec::new(),
            waiting: Vec::new(),
            assumed: Vec::new(),
            held: Vec::new(),
            sealed: Vec::new(),
            outcome,
            witnesses: Vec::new(),
            coverage: Coverage(0),
            passed: PointSet(0),
            shared_stacks: Vec::new(),
            contended: Vec::new(),
            length: 0,
            cost: 0,
            hash: 0,
            source: Source::default(),
        }
    }

    /// What the step did.
    #[inline]
    pub fn events(&self, step: &Step) -> &[Event] {
        step.events.of(&self.events)
    }
    /// The step's segments: parts that each begin with an operation on an object, but for the first. Locks held and
    /// clocks are the same for all accesses of a segment, so accesses are recorded once for each.
    pub fn segments(&self, step: &Step) -> impl Iterator<Item = &[Event]> {
        let mut rest = self.events(step);
        std::iter::from_fn(move || {
            let (_, more) = rest.split_first()?;
            let next = more.iter().position(|event| matches!(event, Event::Op { .. })).map_or(rest.len(), |i| i + 1);
            let (segment, tail) = rest.split_at(next);
            rest = tail;
            Some(segment)
        })
    }
    /// Who could not run when the step began, why, and who held what.
    pub fn blocked_at(&self, step: &Step) -> &[Blocked] {
        step.blocked.of(&self.waits)
    }
    /// If the thread waited in a loop before the step: what it had read in the last round. One of these had another value
    /// when the step began; while none had, the thread was not enabled.
    #[inline]
    pub fn waited(&self, step: &Step) -> &[Access] {
        step.waiting.of(&self.reads)
    }
    /// Call stack at the point before the step, outermost first, if recorded.
    pub fn stack(&self, step: &Step) -> &[u64] {
        step.stack.of(&self.frames)
    }

    /// The call sites above the access or operation that is this event, outermost first, if stacks were recorded.
    pub fn access_stack(&self, event: usize) -> &[u64] {
        let found = self.access_stacks.binary_search_by_key(&(event as u32), |(event, _)| *event);
        found.map_or(&[], |index| self.access_stacks[index].1.of(&self.frames))
    }
    /// Everything the step touched, as accesses.
    pub fn footprint(&self, step: &Step) -> Footprint {
        Footprint { accesses: self.events(step).iter().filter_map(Event::as_access).collect() }
    }

    /// The choices, ready for a plan.
    pub fn choices(&self) -> Vec<Choice> {
        self.decisions.iter().map(|d| d.choice).collect()
    }

    /// The choices other than threads that the step made, as a part of the decisions.
    pub fn made_within(&self, step: usize) -> std::ops::Range<usize> {
        let from = self.steps[step].decisions as usize;
        let next = self.steps.get(step + 1);
        let to = next.map_or(self.decisions.len(), |n| n.decisions as usize - usize::from(n.alternatives > 1));
        from..to.max(from)
    }

    /// The steps before which a thread was left in a loop that only looks as if it waited: it could have gone on, and the
    /// search chose that it does not. No preemption: see [`Trace::preemptions`].
    pub fn left_in_loops(&self) -> Vec<usize> {
        let left = |(index, pair): (usize, &[Step])| {
            let from = pair[0].thread;
            let waits = from != pair[1].thread && !pair[1].enabled.contains(u32::from(from.0));
            let last = self.decisions[self.made_within(index)].last();
            let guessed = last.is_some_and(|d| d.choice.kind == ChoiceKind::Wait && d.choice.value == 1);
            (waits && guessed).then_some(index + 1)
        };
        self.steps.windows(2).enumerate().filter_map(left).collect()
    }

    /// Switches away from a thread that could have gone on and had not given way. One that was taken to wait in a loop has.
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
