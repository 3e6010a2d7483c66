//! Kinds of findings, and their words.

use gabion_trace::Ending;

/// Kind of a finding. The words are those of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// A failed `assert`.
    Assertion,
    /// `abort`.
    Abort,
    /// A C++ exception that nobody caught.
    UncaughtException,
    /// A block was freed twice.
    DoubleFree,
    /// What was freed is no block.
    BadFree,
    /// Freed memory was accessed, or the stack of a thread that has ended.
    UseAfterFree,
    /// Memory beside a block was accessed.
    HeapOverflow,
    /// A lock or condition variable was used as its contract forbids.
    LockMisuse,
    /// A block was not freed, and nothing points to it.
    Leak,
    /// A Rust panic ended the program.
    Panic,
    /// Any fault of the processor, and a process that fell to one.
    Segfault,
    /// Threads that wait for ever.
    Deadlock,
    /// Threads that run for ever without getting anywhere.
    Livelock,
    /// A status other than 0.
    Exit,
    /// A step that does not end.
    InfiniteLoop,
    /// A data race, where these are denied.
    Race,
}

impl Kind {
    /// Every kind.
    pub const ALL: &'static [Kind] = &[
        Kind::Assertion,
        Kind::Panic,
        Kind::Abort,
        Kind::UncaughtException,
        Kind::Segfault,
        Kind::Deadlock,
        Kind::Livelock,
        Kind::InfiniteLoop,
        Kind::Exit,
        Kind::UseAfterFree,
        Kind::DoubleFree,
        Kind::BadFree,
        Kind::HeapOverflow,
        Kind::LockMisuse,
        Kind::Leak,
        Kind::Race,
    ];

    /// The kind of an ending; `None` if it is no bug.
    pub fn of(ending: Ending) -> Option<Kind> {
        use Ending::*;
        match ending {
            Assertion => Some(Kind::Assertion),
            Abort => Some(Kind::Abort),
            Uncaught => Some(Kind::UncaughtException),
            DoubleFree => Some(Kind::DoubleFree),
            BadFree => Some(Kind::BadFree),
            UseAfterFree => Some(Kind::UseAfterFree),
            HeapOverflow => Some(Kind::HeapOverflow),
            LockMisuse => Some(Kind::LockMisuse),
            Leak => Some(Kind::Leak),
            Panic => Some(Kind::Panic),
            Segfault | BusError | IllegalInstruction | Arithmetic | StackOverflow | Signal | Died | Scribbled => {
                Some(Kind::Segfault)
            }
            Deadlock => Some(Kind::Deadlock),
            Livelock => Some(Kind::Livelock),
            Exit => Some(Kind::Exit),
            StepTooLong | Hung => Some(Kind::InfiniteLoop),
            Running | Passed | TooManySteps | StepCut | Diverged | Unsupported | TraceFull | Asleep => None,
        }
    }

    /// Is it that a run does not end? A limit says so.
    pub(crate) fn is_endless(self) -> bool {
        matches!(self, Kind::Livelock | Kind::InfiniteLoop)
    }

    /// Its word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Assertion => "assertion",
            Kind::Abort => "abort",
            Kind::UncaughtException => "uncaught-exception",
            Kind::DoubleFree => "double-free",
            Kind::BadFree => "bad-free",
            Kind::UseAfterFree => "use-after-free",
            Kind::HeapOverflow => "heap-overflow",
            Kind::LockMisuse => "lock-misuse",
            Kind::Leak => "leak",
            Kind::Panic => "panic",
            Kind::Segfault => "segfault",
            Kind::Deadlock => "deadlock",
            Kind::Livelock => "livelock",
            Kind::Exit => "exit",
            Kind::InfiniteLoop => "infinite-loop",
            Kind::Race => "race",
        }
    }

    /// How a run ends that shows one.
    pub(crate) fn ends(self) -> &'static str {
        match self {
            Kind::Assertion => "an assertion fails",
            Kind::Abort => "the program aborts",
            Kind::UncaughtException => "an exception is not caught",
            Kind::DoubleFree => "a block is freed twice",
            Kind::BadFree => "what is freed is no block",
            Kind::UseAfterFree => "freed memory is used",
            Kind::HeapOverflow => "memory beside a block is used",
            Kind::LockMisuse => "a lock is misused",
            Kind::Leak => "a block is not freed",
            Kind::Panic => "the program panics",
            Kind::Segfault => "the program crashes",
            Kind::Deadlock => "threads wait for ever",
            Kind::Livelock => "threads get nowhere",
            Kind::Exit => "the program ends with a status that says that it failed",
            Kind::InfiniteLoop => "a step does not end",
            Kind::Race => "it has a data race",
        }
    }

    /// Is it told by who waits where?
    pub(crate) fn is_wait(self) -> bool {
        matches!(self, Kind::Deadlock | Kind::Livelock)
    }
}
