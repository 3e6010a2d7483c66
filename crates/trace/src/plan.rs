//! A plan: everything about one run.

use crate::{ChoiceKind, Footprint, OpKind, PlanId, PointSet, ThreadId, ThreadInfo};
use serde::{Deserialize, Serialize};

/// A choice to follow, with what is expected where it is made, so that divergence is seen where it happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Choice {
    /// What is chosen.
    pub kind: ChoiceKind,
    /// The thread at whose point it is made.
    pub thread: ThreadId,
    /// That thread's own step number.
    pub step: u32,
    /// What is about to be done (thread choice: by the chosen thread).
    pub op: OpKind,
    /// Number of values to choose from.
    pub alternatives: u16,
    /// The value: a thread's id, or a number.
    pub value: u32,
}

/// An instruction that is a preemption point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RacePoint {
    /// Address of the instruction in the loaded program.
    pub pc: u64,
    /// Only in this thread.
    pub thread: Option<ThreadId>,
}

/// A range of code that seals points off, or allows them, while on the stack: while the point's own instruction or the
/// call site of a frame lies in it.
///
/// The plan's ranges are looked at in order and the last that matches counts. Where none matches, points are allowed unless
/// one of the ranges allows them: then they are sealed everywhere else (*only within*; thesis §3.4.1). A sealed point is passed like one of a class that is off. Voluntary points are never sealed. The point
/// after an unlock is where the unlock is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Seal {
    /// First address.
    pub from: u64,
    /// One past the last.
    pub to: u64,
    /// Points are allowed within.
    pub allow: bool,
}

impl Seal {
    /// Allows points in the scopes that the program marks itself (`GABION_WITHIN`, `gabion::within`), wherever they are.
    pub const MARKED: Self = Seal { from: 0, to: 0, allow: true };
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Region {
    /// First address.
    pub from: u64,
    /// One past the last.
    pub to: u64,
}

/// Memory that threads are known to meet at, at least one of them writing. Accesses to all other memory are neither points nor
/// recorded: see `docs/decisions/0007-quiet-memory.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Contended {
    /// First address.
    pub from: u64,
    /// One past the last.
    pub to: u64,
}

impl Contended {
    /// All memory there is: every access is a point.
    pub const ALL: Self = Contended { from: 0, to: u64::MAX };
}

/// An event that sleeps: it was explored already from the state in which the plan's last choice is made (before the first
/// step, if there is none), and is not to be taken until something that conflicts with it was executed.
///
/// Of a choice made within a step, that state is the one before the step. What the step with the last choice does wakes
/// events already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sleeper {
    /// Whose.
    pub thread: ThreadId,
    /// Its own step number, as in [`crate::Step::number`].
    pub step: u32,
    /// What it chose within the step, in order: the values of its choices of any kind but [`ChoiceKind::Thread`]. Empty: it
    /// chose nothing, or all values are meant.
    pub values: Vec<u32>,
    /// What it touched when it was explored.
    pub footprint: Footprint,
}

/// Who runs after the last choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tail {
    /// The running thread goes on; else the lowest number. Timeouts last.
    #[default]
    Default,
    /// As default, but who yielded waits until others ran.
    Fair,
    /// Uniform among the enabled.
    Random {
        /// Seed.
        seed: u64,
    },
    /// Probabilistic concurrency testing: random priorities that drop at given steps.
    Pct {
        /// Seed of the priorities.
        seed: u64,
        /// Steps at which the running thread drops to the bottom.
        changes: Vec<u64>,
    },
    /// Partial-order sampling.
    Pos {
        /// Seed.
        seed: u64,
    },
}

/// What to do when a choice does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mismatch {
    /// End the run as diverged.
    #[default]
    Stop,
    /// Leave the choice out and go on with the next.
    Skip,
    /// Take the default and keep the choice for the next opportunity.
    Nearest,
}

/// How much to record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Recording {
    /// Choices and a hash of everything.
    #[default]
    Hash,
    /// Steps, operations, accesses.
    Accesses,
    /// And call stacks, and who waits for what.
    Stacks,
    /// And values.
    Values,
}

/// A set of exit statuses, by default that with 0 alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<u8>", into = "Vec<u8>")]
pub struct Statuses([u64; 4]);

impl Default for Statuses {
    fn default() -> Self {
        Statuses([1, 0, 0, 0])
    }
}

impl Statuses {
    /// Is the status among them?
    pub fn has(&self, status: u8) -> bool {
        self.0[usize::from(status) / 64] >> (status % 64) & 1 == 1
    }
    /// Is 0 the only one?
    pub fn is_zero(&self) -> bool {
        *self == Self::default()
    }
    /// All of them, in order.
    pub fn list(&self) -> Vec<u8> {
        (0..=u8::MAX).filter(|status| self.has(*status)).collect()
    }
    /// As a target has them: the bits of all that are not as by default.
    pub(crate) fn changed(&self) -> [u64; 4] {
        let [first, rest @ ..] = self.0;
        let [second, third, fourth] = rest;
        [first ^ 1, second, third, fourth]
    }
}

impl From<Vec<u8>> for Statuses {
    fn from(list: Vec<u8>) -> Self {
        let mut bits = [0u64; 4];
        list.iter().for_each(|status| bits[usize::from(*status) / 64] |= 1 << (status % 64));
        Statuses(bits)
    }
}

impl From<Statuses> for Vec<u8> {
    fn from(statuses: Statuses) -> Self {
        statuses.list()
    }
}

/// Deterministic limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Steps.
    pub steps: u64,
    /// Accesses of one step.
    pub accesses: u64,
    /// Bytes of heap.
    pub memory: u64,
    /// So many times the rounds are doubled after which a loop without progress is guessed to wait; at most
    /// [`crate::shared::MOST_DOUBLINGS`].
    #[serde(default)]
    pub doublings: u8,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 20_000, accesses: 100_000_000, memory: 1 << 30, doublings: 0 }
    }
}

/// Everything about one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Comes back with the trace.
    pub id: PlanId,
    /// Hash of the program it is for; 0: any.
    pub program: u64,
    /// Classes of preemption points.
    pub points: PointSet,
    /// Single instructions that are points.
    pub races: Vec<RacePoint>,
    /// Where points are sealed off.
    pub seals: Vec<Seal>,
    /// Code whose plain accesses, and those of what it calls, count for nothing: neither points nor recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trusted: Vec<Region>,
    /// Memory to which no access counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<Region>,
    /// Threads whose stack others touch.
    pub shared_stacks: Vec<ThreadId>,
    /// Memory that threads meet at. Invariant: in order and apart, so that equal memory is an equal list; whoever adds to it
    /// sees to that.
    pub contended: Vec<Contended>,
    /// Identities of the threads seen so far in the campaign.
    pub threads: Vec<ThreadInfo>,
    /// Choices to follow.
    pub choices: Vec<Choice>,
    /// Events not to take.
    pub sleepers: Vec<Sleeper>,
    /// So many of the choices the next plan will have too, as far as the search knows: a target may begin with them before it
    /// is asked. Nothing may depend on it.
    #[serde(skip)]
    pub ahead: Option<u32>,
    /// Who runs afterwards.
    pub tail: Tail,
    /// What to do when a choice does not fit.
    pub mismatch: Mismatch,
    /// Limits.
    pub limits: Limits,
    /// Seed of the program's own random numbers.
    pub seed: u64,
    /// Waits on condition variables may end without a signal.
    pub spurious: bool,
    /// Freed memory is reused at once.
    pub recycle: bool,
    /// All threads allocate from one heap, in the order in which they ask.
    pub strict_malloc: bool,
    /// Blocks that nothing points to at the end are a finding.
    pub leaks: bool,
    /// A block that is freed with a held lock in it does not end the run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free_held: bool,
    /// Statuses with which the process may end.
    #[serde(default, skip_serializing_if = "Statuses::is_zero")]
    pub statuses: Statuses,
    /// Operations of a language's library are the code that they are, not one step each.
    #[serde(default)]
    pub inside_std: bool,
    /// How much to record.
    pub recording: Recording,
    /// In a process that has run nothing before.
    pub fresh: bool,
    /// The wall-clock watchdog is on (off under a debugger).
    pub watchdog: bool,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            id: PlanId(0),
            program: 0,
            points: PointSet::EVERYWHERE,
            races: Vec::new(),
            seals: Vec::new(),
            trusted: Vec::new(),
            ignored: Vec::new(),
            shared_stacks: Vec::new(),
            contended: Vec::new(),
            threads: Vec::new(),
            choices: Vec::new(),
            sleepers: Vec::new(),
            ahead: None,
            tail: Tail::Default,
            mismatch: Mismatch::Stop,
            limits: Limits::default(),
            seed: 0,
            spurious: false,
            recycle: false,
            strict_malloc: false,
            leaks: false,
            free_held: false,
            statuses: Statuses::default(),
            inside_std: false,
            recording: Recording::Hash,
            fresh: false,
            watchdog: true,
        }
    }
}

impl Plan {
    /// Do two plans differ only in what they are called, in their choices and in what sleeps? Then runs of them are equal as
    /// far as their choices are, and nothing sleeps yet.
    pub fn is_like(&self, other: &Plan) -> bool {
        // All of them are named, so that one that is added is not forgotten here.
        #[rustfmt::skip]
        let Plan {
            id: _, choices: _, sleepers: _, ahead: _,
            program, points, races, seals, trusted, ignored, shared_stacks, contended, threads,
            tail, mismatch, limits, seed, spurious, recycle, strict_malloc, leaks, free_held, statuses,
            inside_std, recording, fresh, watchdog,
        } = self;
        let where_and_who = *program == other.program
            && *points == other.points
            && *races == other.races
            && *seals == other.seals
            && *trusted == other.trusted
            && *ignored == other.ignored
            && *shared_stacks == other.shared_stacks
            && *contended == other.contended
            && *threads == other.threads;
        where_and_who
            && *tail == other.tail
            && *mismatch == other.mismatch
            && *limits == other.limits
            && *seed == other.seed
            && *spurious == other.spurious
            && *recycle == other.recycle
            && *strict_malloc == other.strict_malloc
            && *leaks == other.leaks
            && *free_held == other.free_held
            && *statuses == other.statuses
            && *inside_std == other.inside_std
            && *recording == other.recording
            && *fresh == other.fresh
            && *watchdog == other.watchdog
    }

    /// Is there a point before everything but some accesses, as far as the classes say? Whether there is one before those
    /// that matter, runs show.
    pub fn may_be_fine(&self) -> bool {
        let known = PointSet::KNOWN.0;
        self.points.0 & known == known && self.seals.is_empty() && self.trusted.is_empty() && self.ignored.is_empty()
    }

    /// Is there a point before everything that a thread does and others can see?
    pub fn is_fine(&self) -> bool {
        self.points == PointSet::EVERYWHERE
            && self.seals.is_empty()
            && self.trusted.is_empty()
            && self.ignored.is_empty()
    }
}
