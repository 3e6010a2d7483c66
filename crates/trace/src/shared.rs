//! Layout of the memory that the search and the program under test share.
//!
//! One control page, then [`SLOTS`] slots of equal size: in each, a plan going in and a trace coming out, both as
//! records. The file behind it is sparse: a slot costs only what was ever written to it. Everything the program writes
//! may be nonsense (it can overwrite this memory); readers check every length and tag.

use crate::Rec;
use core::sync::atomic::AtomicU32;

/// First word of the control page.
pub const MAGIC: u64 = 0x314e_4f49_4241_4721;
/// The descriptor under which a controlled program finds the shared memory.
pub const CONTROL_FD: i32 = 1019;
/// A variable that holds the `argv[0]` of the program, which does not see it.
pub const NAME_VARIABLE: &str = "GABION_ARGV0";
/// Variables by which the runtime is loaded.
pub const LOADING: [&str; 2] = ["LD_PRELOAD", "LD_BIND_NOW"];
/// Plans that can be out at once.
pub const SLOTS: usize = 16;
/// Threads that a program may create, in all.
pub const MAX_THREADS: usize = 1024;
/// Records that a plan may have.
pub const PLAN_RECORDS: usize = (4 << 20) / 24;
/// Events that may sleep in one plan.
pub const MAX_SLEEPERS: usize = 4096;
/// Most instructions of a plan that are points.
pub const MAX_RACE_POINTS: usize = 4096;
/// Records that a trace may have. Only those that are written cost memory.
pub const TRACE_RECORDS: usize = 8_000_000;
/// Bytes of message that a trace may have.
pub const TEXT: usize = 1024;

/// Offset of the first slot's records.
pub const SLOT_BASE: usize = 64 << 10;
/// Bytes of one slot, whole pages.
pub const SLOT_SIZE: usize = (size_of::<Rec>() * (PLAN_RECORDS + TRACE_RECORDS) + 4095) & !4095;
/// Bytes in all.
pub const TOTAL: usize = SLOT_BASE + SLOTS * SLOT_SIZE;

/// Slots for plans that come one by one. They take turns: one's trace is read while the other's is written.
pub const TURNS: usize = 2;
/// The slot of the next plan that comes alone.
pub const fn neighbour(slot: usize) -> usize {
    (slot + 1) % TURNS
}

/// Byte offset of slot `i`'s plan records.
pub const fn plan_offset(slot: usize) -> usize {
    SLOT_BASE + slot * SLOT_SIZE
}
/// Byte offset of slot `i`'s trace records.
pub const fn trace_offset(slot: usize) -> usize {
    plan_offset(slot) + PLAN_RECORDS * size_of::<Rec>()
}

/// How the target returns to its checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum ResetMode {
    /// Memory is copied back.
    InPlace = 0,
    /// Every run is a child of its own.
    Fork = 1,
}

/// What the target is doing, as it last said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stage {
    /// Not yet in the runtime.
    Starting = 0,
    /// The runtime has taken over and waits for plans.
    Ready = 1,
    /// Runs plans.
    Running = 2,
    /// The runtime cannot work here; the text in slot 0 says why.
    Failed = 3,
}

/// Most functions whose calls are noted.
pub const WATCHED_CALLS: usize = 128;

/// The control page.
#[repr(C)]
pub struct Control {
    /// [`MAGIC`].
    pub magic: u64,
    /// [`crate::FORMAT_VERSION`].
    pub version: u32,
    /// A [`ResetMode`].
    pub mode: u32,
    /// What the search asks for.
    pub asked: Asked,
    /// How the target answers.
    pub answered: Answered,
    /// A [`Stage`].
    pub stage: AtomicU32,
    /// Slot now running.
    pub current: AtomicU32,
    /// Not 0: the program can ask whether a thread has ended, so that a thread's end is a point.
    pub ends: u32,
    /// Not 0: what the program writes to its standard output and error is of no interest.
    pub discard: u32,
    /// Not 0: after the first request the process ends, and no checkpoint is made.
    pub once: u32,
    /// Bytes of writable memory that a reset restores.
    pub reset_bytes: u32,
    /// How dirty memory is found: 0 copy all, 1 page tracking.
    pub tracking: u32,
    /// Words of the executable, by their addresses in its file, that hold addresses of functions whose calls are to be noted
    /// ([`crate::Coverage::UNMODELLED_CALL`]); then 0.
    pub watched: [u32; WATCHED_CALLS],
    /// The slots' fixed parts.
    pub slots: [Slot; SLOTS],
}

/// The search's side of the control page. Each side has a line of the cache to itself: the other waits for it by looking.
#[repr(C, align(64))]
pub struct Asked {
    /// Raised when plans are ready; futex.
    pub request: AtomicU32,
    /// Plans in this request.
    pub plans: u32,
    /// The slot of the first; the others follow.
    pub first: u32,
    /// Not 0: the plan begins as the run does that the target has begun by itself (see [`PlanHead::ahead`]), and goes on from
    /// there.
    pub goes_on: u32,
    /// How often to look before sleeping.
    pub looks: u32,
    /// Not 0: end.
    pub stop: u32,
    /// Not 0: the search sleeps until the answer.
    pub asleep: AtomicU32,
}

/// The target's side of it.
#[repr(C, align(64))]
pub struct Answered {
    /// Set to the request's number when its traces are there; futex.
    pub response: AtomicU32,
    /// Not 0: the target sleeps until the next request.
    pub asleep: AtomicU32,
}

/// Fixed part of a slot. The plan is the search's to write, the trace the target's: neither shares a line with the other.
#[repr(C)]
pub struct Slot {
    /// The plan.
    pub plan: PlanHead,
    /// The trace.
    pub trace: TraceHead,
    /// The message of the trace's ending.
    pub text: [u8; TEXT],
}

/// Most doublings of the rounds after which a loop is guessed to wait: beyond that, other limits of a run come first.
pub const MOST_DOUBLINGS: u8 = 12;

/// Fixed part of a plan. Records follow in the slot: first the choices, then the rest.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct PlanHead {
    /// Comes back with the trace.
    pub id: u64,
    /// [`crate::FORMAT_VERSION`].
    pub version: u32,
    /// A [`crate::PointSet`].
    pub points: u16,
    /// Tail policy, see [`tail`].
    pub tail: u8,
    /// On mismatch: 0 stop, 1 skip, 2 nearest.
    pub mismatch: u8,
    /// How much to record, see [`record`].
    pub record: u8,
    /// See [`flag`].
    pub flags: u8,
    /// So many times the rounds are doubled after which a loop is guessed to wait.
    pub doublings: u8,
    /// Keeps the words below aligned.
    pub reserved: u8,
    /// Choices to follow.
    pub choices: u32,
    /// Not 0: when the run is over, the next begins before it is asked for, with so many of these choices and one less. Its
    /// trace goes to the slot's neighbour, see [`neighbour`].
    pub ahead: u32,
    /// All records.
    pub records: u32,
    /// How many of them, at the end, are about contended memory.
    pub contended: u32,
    /// Hash over those: an equal list need not be read again.
    pub contended_hash: u64,
    /// Steps before the run is cut.
    pub max_steps: u64,
    /// Accesses of one step before it counts as endless.
    pub max_accesses: u64,
    /// Bytes of heap before allocation fails.
    pub max_memory: u64,
    /// Seed of the program's own random numbers.
    pub seed: u64,
    /// Seed of the tail policy.
    pub tail_seed: u64,
    /// Statuses with which the process may end: a bit for each that is not as by default, where 0 may be and no other.
    pub statuses: [u64; 4],
}

impl PlanHead {
    /// May the process end with this status?
    pub fn may_end_with(&self, status: i32) -> bool {
        let status = (status & 0xff) as usize;
        (self.statuses[status / 64] >> (status % 64) & 1 == 1) != (status == 0)
    }
}

/// Values of [`PlanHead::tail`].
pub mod tail {
    /// The running thread goes on; else the lowest number.
    pub const DEFAULT: u8 = 0;
    /// As default, but a thread that yielded waits until others ran.
    pub const FAIR: u8 = 1;
    /// Uniform among the enabled.
    pub const RANDOM: u8 = 2;
    /// Random priorities that drop at the change points.
    pub const PCT: u8 = 3;
    /// A random priority for every pending operation, drawn again when it was raced.
    pub const POS: u8 = 4;
}

/// Values of [`PlanHead::record`].
pub mod record {
    /// Choices and the hash of everything.
    pub const HASH: u8 = 0;
    /// Also steps, operations and accesses.
    pub const ACCESSES: u8 = 1;
    /// Also call stacks at every step.
    pub const STACKS: u8 = 2;
    /// Also the values at accesses.
    pub const VALUES: u8 = 3;
}

/// Bits of [`PlanHead::flags`].
pub mod flag {
    /// Waits on condition variables may end without a signal.
    pub const SPURIOUS: u8 = 1;
    /// Freed memory is reused at once.
    pub const RECYCLE: u8 = 2;
    /// All threads allocate from one heap, in the order in which they ask.
    pub const STRICT_MALLOC: u8 = 4;
    /// Blocks that nothing points to at the end are a finding.
    pub const LEAKS: u8 = 8;
    /// Operations of a language's library are the code that they are.
    pub const INSIDE_STD: u8 = 16;
    /// A block that is freed with a held lock in it does not end the run.
    pub const FREE_HELD: u8 = 32;
}

/// Fixed part of a trace.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub struct TraceHead {
    /// The plan's id, written when the run has ended.
    pub id: u64,
    /// Hash over all records, whether stored or not.
    pub hash: u64,
    /// Steps.
    pub steps: u64,
    /// Deterministic cost: operations and accesses.
    pub cost: u64,
    /// An [`crate::Ending`].
    pub ending: u8,
    /// Not 0: the run was begun before it was asked for, so its first records were there already.
    pub begun: u8,
    /// Keeps the words below aligned.
    pub reserved: [u8; 2],
    /// Exit status, signal number.
    pub code: i32,
    /// Thread in which it ended.
    pub thread: u16,
    /// Threads in the table.
    pub threads: u16,
    /// A [`crate::Coverage`].
    pub coverage: u32,
    /// Records stored.
    pub records: u32,
    /// Choices made.
    pub choices: u32,
    /// Classes of points that were passed, on or off: a [`crate::PointSet`].
    pub passed: u16,
    /// Bytes of `text`.
    pub text_len: u16,
    /// Operation the ending is about.
    pub op: u32,
    /// Instruction at which it ended.
    pub pc: u64,
    /// Address it is about.
    pub address: u64,
}

const _: () = assert!(size_of::<Control>() <= SLOT_BASE);
