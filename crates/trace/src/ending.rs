//! How a run ended, and what it did that matters to the verdict.

use crate::op::numbered;

numbered! {
    /// How a run ended. Numbers are part of the format.
    pub enum Ending {
        /// Not yet.
        Running = 0,
        /// The process ended with status 0.
        Passed = 1,
        /// `assert` failed.
        Assertion = 2,
        /// `abort`, or a signal whose default is to abort.
        Abort = 3,
        /// Invalid memory access.
        Segfault = 4,
        /// Bus error.
        BusError = 5,
        /// Illegal instruction.
        IllegalInstruction = 6,
        /// Division by zero and its like.
        Arithmetic = 7,
        /// Nobody can go on, or some wait for each other in a circle.
        Deadlock = 8,
        /// The process ended with another status.
        Exit = 9,
        /// One step made more accesses than the limit.
        StepTooLong = 10,
        /// More steps than the limit.
        TooManySteps = 11,
        /// The plan did not fit what the program did.
        Diverged = 12,
        /// The program called something that cannot be modelled.
        Unsupported = 13,
        /// A signal's default action ended the process.
        Signal = 14,
        /// The record did not fit.
        TraceFull = 15,
        /// The stack of a thread overflowed.
        StackOverflow = 16,
        /// Cut short by the plan's sleeping events; the code is 1 if that was within a step.
        Asleep = 17,
        /// No answer within the wall-clock watchdog, twice.
        Hung = 18,
        /// The process died without a word.
        Died = 19,
        /// The program overwrote the memory shared with the search.
        Scribbled = 20,
        /// A block was freed twice.
        DoubleFree = 21,
        /// What was freed is no block.
        BadFree = 22,
        /// Nobody can go on, and some wait in a loop for what nobody will do.
        Livelock = 23,
        /// Memory was accessed that was freed, or lies in the stack of a thread that has ended.
        UseAfterFree = 24,
        /// Memory was accessed beside a block of the heap.
        HeapOverflow = 25,
        /// A lock or condition variable was used as its contract forbids.
        LockMisuse = 26,
        /// The process ended, and nothing points to a block that was not freed.
        Leak = 27,
        /// A C++ exception that nobody caught.
        Uncaught = 28,
        /// A Rust panic ended the program.
        Panic = 29,
        /// One step made more accesses than the limit, and then as many again, while other threads could run: it may only have
        /// waited for them.
        StepCut = 30,
    }
}

/// Facts about a run that bear on what a verdict may claim. A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Coverage(pub u32);

impl Coverage {
    /// The run left something that memory cannot undo (descriptors, mappings): the next needs another process.
    pub const NEEDS_FORK: Self = Self(1);
    /// The run changed something outside the process (files): no reset undoes it.
    pub const OUTSIDE: Self = Self(2);
    /// A system call was made that nobody models.
    pub const UNMODELLED: Self = Self(4);
    /// A thread touched another thread's stack that was not known to be shared.
    pub const NEW_SHARED_STACK: Self = Self(8);
    /// Threads met at memory that was not known to be contended.
    pub const NEW_CONTENDED: Self = Self(16);
    /// An allocation failed for want of memory.
    pub const MEMORY_LIMIT: Self = Self(32);
    /// An atomic access with an order weaker than sequentially consistent was made.
    pub const WEAK_ATOMIC: Self = Self(64);
    /// A wait on a condition variable happened (it could wake spuriously).
    pub const COND_WAIT: Self = Self(128);
    /// Memory was freed (its address could be reused).
    pub const FREED: Self = Self(256);
    /// The program read the clock or slept.
    pub const TIME: Self = Self(512);
    /// A point of the plan's set was sealed off.
    pub const SEALED: Self = Self(1024);
    /// Threads met at memory that one of them accessed in one step although the hardware does it in several.
    pub const TORN: Self = Self(8192);
    /// More hand-overs of virtual time than the table holds.
    pub const TIME_TABLE: Self = Self(2048);
    /// A library was loaded at run time, which nobody has looked at.
    pub const LOADED: Self = Self(4096);
    /// An access of trusted code, or to memory that is to be ignored, was left out.
    pub const TRUSTED: Self = Self(1 << 20);
    /// A language's library waited by itself, where its wait should have been modelled.
    pub const LIBRARY_WAITED: Self = Self(1 << 21);
    /// A library function was called that nobody models, one of [`crate::shared::Control::watched`].
    pub const UNMODELLED_CALL: Self = Self(1 << 22);
    /// The program came upon a scope that it marks itself, with `GABION_WITHIN` or `gabion::within`.
    pub const MARKED: Self = Self(1 << 23);
    /// A handler of the program's for a fault ran, as one step.
    pub const FAULT_HANDLER: Self = Self(1 << 24);
    /// Rust's standard library kept a thread from ending the process, because another was about to.
    pub const KEPT_FROM_EXIT: Self = Self(1 << 25);
    /// A block was freed with a held lock in it, and the run went on as the plan says.
    pub const FREED_HELD: Self = Self(1 << 26);
    /// A library function that nobody models was called, which the program had looked up by its name.
    pub const CALLED_BY_NAME: Self = Self(1 << 27);
    /// A loop was taken to be waiting because it looked so.
    pub const ASSUMED_WAIT: Self = Self(1 << 15);

    /// Are all flags of `other` here?
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Both.
    #[must_use]
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
