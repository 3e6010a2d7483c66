//! The unit of plans and traces in shared memory: a record of three words.
//!
//! One size for everything makes writing a record three stores, and reading back memory that a wild program may have
//! overwritten a matter of one bounds check. The meaning of the fields depends on the tag; see each.

use crate::op::numbered;
use crate::{Access, AccessKind, Address, ChoiceKind, OpKind, Point, ThreadId};

numbered! {
    /// What a record is.
    pub enum Tag {
        /// Unused.
        None = 0,
        /// A thread of the table: `thread` its id, `n` which child, `a` the parent, `b` its start function.
        Thread = 1,
        /// A choice. See [`Rec::choice`]. In a trace `b` holds the alternatives among threads 0 to 63.
        Choice = 2,
        /// More alternatives of the choice before: threads `64 + 128 n` and on, `a` the lower half, `b` the upper.
        MoreAlternatives = 3,
        /// A step begins: `thread` runs, `flags` the point before it, `n` its own number, `a` who was enabled (threads
        /// 0 to 63), `b` the number of alternatives and, in the upper half, points passed while switched off.
        Step = 4,
        /// `thread` is about to do `flags` (an operation) to object `a` at instruction `b`; `n` is its own step number.
        Pending = 5,
        /// `thread` did `flags` to object `a` at instruction `b`; `n` is the result.
        Op = 6,
        /// `thread` accessed `n` bytes at `a` with kind `flags` at instruction `b`.
        Access = 7,
        /// A frame of `thread`'s call stack, outermost first: `a` the call site, `n` the depth.
        Frame = 8,
        /// The value at the access before: `a`, before it, or with `flags` 1 what it left. With `flags` 2: what is there when
        /// the step ends, of the last write in it of the `n` bytes at `b`.
        Value = 9,
        /// `thread` got `n` bytes at `a`, called from `b`.
        Alloc = 10,
        /// `thread` waits (operation `flags`) for object `a` held by thread `b - 1` (0: by nobody; [`SPINS`]: it waits in a
        /// loop): at the step before this record, or with `n` = [`FINAL`] when the run ended.
        Blocked = 11,
        /// More of who was enabled: threads `64 + 128 n` and on.
        MoreEnabled = 12,
        /// The thread's pending operation, whose record came before, is part of a loop that only waits: until one of
        /// these has another value than it had in the last round, the thread is not enabled. As [`Tag::Access`].
        WaitingRead = 13,
        /// `thread` at instruction `b`, before operation `flags`, is taken to be in a loop that only waits, after `a` rounds. Those that follow, numbered from 1,
        /// have in `b` the call sites above it.
        AssumedWait = 14,
        /// What led to the ending: `thread` did `flags` (a [`Role`]) to something at `a` of `n` bytes, at instruction `b`.
        Witness = 15,
        /// A frame of the call stack of the witness before, outermost first: `a` the call site.
        WitnessFrame = 16,
        /// `thread` ended holding the lock at `a`.
        HeldAtEnd = 17,
        /// The program calls `thread` by a name: its bytes, from the lowest of `a` to the highest of `b`, up to a zero.
        Name = 18,
        /// `thread` passed a point of class `flags` at instruction `b` that the plan seals off; at least once for each such instruction.
        Sealed = 19,
        /// Plan: an instruction that is a point: `a` the address, `n` 1 + the only thread it holds for, or 0.
        RacePoint = 20,
        /// Plan: functions `a` to `b` seal points off (`flags` 0) or allow them (`flags` 1); the last match counts. Both 0:
        /// the scopes that the program marks itself.
        Seal = 21,
        /// Plan: `thread`'s event in its own step `n` sleeps. `b` records of the values it chose follow, then `a` of its
        /// footprint, as accesses.
        Sleeper = 22,
        /// Plan: at step `a` the running thread's priority drops.
        ChangePoint = 23,
        /// Plan: another thread touches this thread's stack, so its accesses there are points too.
        SharedStack = 24,
        /// Plan: the event that sleeps chose `n`.
        SleeperValue = 25,
        /// Threads meet at the memory from `a` to `b`, at least one of them writing. In a plan these come last.
        Contended = 26,
        /// The stack of `thread`, which follows, as it stands: at `a` is the return address of its call of the runtime, and `b` is its
        /// frame pointer.
        Standing = 27,
        /// A word of that stack, at `a`: `b`. Those that may lead to a caller, ascending.
        StackWord = 28,
        /// What came before touches `a`, or with `flags` 1 will, on the stack of `thread`: with `n` 1 as it was told of last, with 0 nobody knows how it stands.
        OnStack = 29,
        /// Plan: plain accesses of the code from `a` to `b`, and of what it calls, count for nothing.
        Trusted = 30,
        /// Plan: no access to the memory from `a` to `b` counts.
        Ignored = 31,
    }
}

numbered! {
    /// What a witness of an ending did.
    pub enum Role {
        /// What failed.
        Failed = 0,
        /// Allocated the block.
        Allocated = 1,
        /// Freed the block.
        Freed = 2,
        /// Created the thread whose memory it is.
        Created = 3,
        /// Took the lock, or waits with another.
        Locked = 4,
        /// Allocated the block before the run began. Told in runs with stacks, whatever their ending.
        Present = 5,
        /// Waits when the run ends; at a barrier the size is for how many threads. Told in runs with stacks.
        Waits = 6,
        /// Threw or panicked, in its own step of the number that stands for the size. Told in runs with stacks.
        Raised = 7,
        /// Allocated the block while the program ran. Told when a run with stacks ends.
        Made = 8,
    }
}

/// Marks a [`Tag::Blocked`] record of the run's end.
pub const FINAL: u32 = 1;
/// The holder in a [`Tag::Blocked`] record of a thread that waits in a loop: no thread's number.
pub const SPINS: u64 = 1 << 16;

/// One record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Rec {
    /// Tag, flags, thread and `n`, from the lowest byte up.
    pub head: u64,
    /// First operand.
    pub a: u64,
    /// Second operand.
    pub b: u64,
}

/// Bit of a choice's flags: see [`Rec::free`].
const FREE: u64 = 0x80 << 8;

impl Rec {
    /// Builds a record.
    #[inline(always)]
    pub const fn new(tag: Tag, flags: u8, thread: ThreadId, n: u32, a: u64, b: u64) -> Self {
        Rec { head: tag as u64 | (flags as u64) << 8 | (thread.0 as u64) << 16 | (n as u64) << 32, a, b }
    }
    /// The tag, if this version knows it.
    pub const fn tag(&self) -> Option<Tag> {
        Tag::from_number(self.head as u8)
    }
    /// The small operand.
    pub const fn flags(&self) -> u8 {
        (self.head >> 8) as u8
    }
    /// The thread.
    pub const fn thread(&self) -> ThreadId {
        ThreadId((self.head >> 16) as u16)
    }
    /// The number.
    pub const fn n(&self) -> u32 {
        (self.head >> 32) as u32
    }

    /// A choice: `thread` at its own step `step` was about to do `op` (for a thread choice: the chosen one was), there
    /// were `alternatives` values, and `value` was taken.
    pub const fn choice(
        kind: ChoiceKind,
        thread: ThreadId,
        step: u32,
        op: OpKind,
        alternatives: u16,
        value: u32,
        mask: u64,
    ) -> Self {
        let n = alternatives as u32 | (op as u32) << 16;
        Rec::new(Tag::Choice, kind as u8, thread, n, (value as u64) << 32 | step as u64, mask)
    }
    /// The same choice, marked as free: the asking thread gave way by itself.
    #[must_use]
    pub const fn free(self) -> Self {
        Rec { head: self.head | FREE, ..self }
    }
    /// Is the choice marked as free?
    pub const fn is_free(&self) -> bool {
        self.head & FREE != 0
    }
    /// The kind of a choice.
    pub const fn choice_kind(&self) -> Option<ChoiceKind> {
        ChoiceKind::from_number(self.flags() & 0x7f)
    }
    /// Number of values a choice had.
    pub const fn alternatives(&self) -> u16 {
        self.n() as u16
    }
    /// The operation a choice is about.
    pub const fn choice_op(&self) -> Option<OpKind> {
        OpKind::from_number((self.n() >> 16) as u8)
    }
    /// The value taken.
    pub const fn choice_value(&self) -> u32 {
        (self.a >> 32) as u32
    }
    /// The asking thread's own step number.
    pub const fn choice_step(&self) -> u32 {
        self.a as u32
    }

    /// An access.
    #[inline(always)]
    pub const fn access(thread: ThreadId, access: &Access) -> Self {
        Rec::new(Tag::Access, access.kind.0, thread, access.size, access.address.0, access.pc)
    }
    /// One of the reads of a waiting loop.
    pub const fn waiting_read(thread: ThreadId, access: &Access) -> Self {
        Rec::new(Tag::WaitingRead, access.kind.0, thread, access.size, access.address.0, access.pc)
    }
    /// The access in the record.
    pub const fn as_access(&self) -> Access {
        Access { address: Address(self.a), size: self.n(), kind: AccessKind(self.flags()), pc: self.b }
    }
    /// The point in a step record.
    pub const fn as_point(&self) -> Option<Point> {
        Point::from_number(self.flags())
    }
    /// The operation in a pending, op or blocked record.
    pub const fn as_op(&self) -> Option<OpKind> {
        OpKind::from_number(self.flags())
    }

    /// Mixes the record into a running hash of the trace.
    #[inline(always)]
    pub const fn mix(&self, hash: u64) -> u64 {
        const K: u64 = 0x9e37_79b9_7f4a_7c15;
        let h = (hash ^ self.head).wrapping_mul(K);
        let h = (h.rotate_left(23) ^ self.a).wrapping_mul(K);
        (h.rotate_left(29) ^ self.b).wrapping_mul(K)
    }
}
