//! What a verdict cannot claim.

use serde::{Deserialize, Serialize};

/// Kind of a caveat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaveatKind {
    /// An object file or archive member without our stamp was linked in.
    UninstrumentedObject,
    /// A shared library without our stamp was loaded.
    UninstrumentedLibrary,
    /// A function was compiled without instrumentation.
    UninstrumentedFunction,
    /// The Rust standard library in the program is not one that the models were made for.
    UnknownStandardLibrary,
    /// Inline assembly touches memory.
    InlineAssembly,
    /// A library function is called that nobody models.
    UnmodelledCall,
    /// A system call is made that nobody models.
    UnmodelledSystemCall,
    /// A handler of the program's for a fault ran, and nobody came in between.
    FaultHandler,
    /// Threads meet at a copy of more than eight bytes, which is made in one step.
    WholeCopies,
    /// Something outside the process was changed and is not reset between runs.
    OutsideState,
    /// Fewer preemption points than all.
    FewerPoints,
    /// A limit cut the search.
    Cut,
    /// Runs with more preemptions than the bound were left out.
    Bound,
    /// An allocation failed because of the memory limit.
    MemoryLimit,
    /// Points were sealed off, by option or by the program itself.
    Sealed,
    /// Accesses were left out by option: of code that is trusted, or to memory that is ignored.
    Trusted,
    /// A loop was taken to be waiting for others because it looked so.
    AssumedWait,
    /// Runs ended with findings that are no bugs by option.
    Allowed,
    /// The order of virtual time is coarser than happens-before.
    CoarseTime,
    /// Atomics weaker than sequentially consistent were run as such.
    MemoryModel,
    /// There are data races in a Rust program, and they are no bugs because its standard library was not instrumented.
    ToldRaces,
    /// Races were left out by option.
    IgnoredRaces,
    /// The C library and C++ runtime are trusted.
    TrustedLibrary,
    /// Spurious wake-ups were not explored.
    SpuriousWakeups,
    /// Reuse of freed addresses was not explored.
    AddressReuse,
    /// Time is virtual.
    VirtualTime,
    /// A thread ended with a lock held.
    LockHeldAtEnd,
}

impl CaveatKind {
    /// Could it hide an interleaving? Then the verdict is `complete` at best; the others are part of the statement.
    pub fn limits(self) -> bool {
        use CaveatKind::*;
        !matches!(
            self,
            MemoryModel
                | ToldRaces
                | IgnoredRaces
                | TrustedLibrary
                | SpuriousWakeups
                | AddressReuse
                | VirtualTime
                | LockHeldAtEnd
        )
    }
}

impl CaveatKind {
    /// Is it about code whose accesses nobody saw? If threads may have run it, the verdict is `partial` at best, unless it is trusted by option.
    pub fn is_unseen_code(self) -> bool {
        use CaveatKind::*;
        matches!(
            self,
            UninstrumentedObject
                | UninstrumentedLibrary
                | UninstrumentedFunction
                | InlineAssembly
                | UnmodelledCall
                | UnmodelledSystemCall
        )
    }
}

/// A caveat and where it holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Caveat {
    /// What.
    pub kind: CaveatKind,
    /// Where: a file, `file:line`, a function or a library.
    #[serde(rename = "where")]
    pub place: String,
}

impl Caveat {
    /// What is trusted in a Rust program.
    pub const RUST_LIBRARY: &str = "Rust standard library and C library; what compiled functions of the former do to the program's memory \
         (format!, to_lowercase, PathBuf::push) is not seen, since it came prebuilt";
    /// The same of one whose standard library was compiled like the program.
    pub const REBUILT_RUST_LIBRARY: &str =
        "Rust standard library, where it waits, prints, panics, begins and ends threads, and C library";
    /// The same where how threads begin and end is under test.
    pub const REBUILT_RUST_LIBRARY_BUT_THREADS: &str =
        "Rust standard library, where it waits, prints and panics, and C library";

    /// Builds one.
    pub fn new(kind: CaveatKind, place: impl Into<String>) -> Self {
        Caveat { kind, place: place.into() }
    }
}
