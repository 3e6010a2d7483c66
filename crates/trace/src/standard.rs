//! What an executable says about the Rust standard library inside it: which code is whose, and what is modelled.
//!
//! The linker that made the executable writes it into a section; the runtime reads it there. Addresses are those of the file.
//! All numbers are 32 bits wide, in the processor's order: [`HEADER`], then the sites, then the models, then
//! rules for finding callers (`unwind.rs`).

use crate::op::numbered;

/// The section's name.
pub const SECTION: &str = ".gabion.std";

/// First word of the section.
pub const MAGIC: u32 = 0x6c64_7473;

/// Words of the header: the magic number, the number of sites, the number of models, and [`Layout`].
pub const HEADER: usize = 3 + Layout::WORDS;
/// Words of a site: from, to, and its [`Site`], with [`INSIDE`] if it is code that was compiled with the library.
pub const SITE: usize = 3;
/// In the last word of a site: the code lies in a unit of the library, prebuilt or rebuilt. What only a caller can say about it, one
/// outside does.
pub const INSIDE: u32 = 1 << 8;
/// Words of a model: where the function begins, and its [`Model`].
pub const MODEL: usize = 2;

numbered! {
    /// Whose an atomic access is, by the function that it was written in.
    pub enum Site {
        /// The program's, or part of the library that is checked along with it.
        Own = 0,
        /// Its caller's.
        Caller = 1,
        /// Trusted: neither a point nor recorded.
        Trusted = 2,
        /// `Mutex::lock`.
        Lock = 3,
        /// `Mutex::try_lock`.
        TryLock = 4,
        /// `Mutex::unlock`.
        Unlock = 5,
        /// `RwLock::read`.
        Read = 6,
        /// `RwLock::try_read`.
        TryRead = 7,
        /// `RwLock::read_unlock`.
        ReadUnlock = 8,
        /// `RwLock::write`.
        Write = 9,
        /// `RwLock::try_write`.
        TryWrite = 10,
        /// `RwLock::write_unlock`.
        WriteUnlock = 11,
        /// `RwLock::downgrade`.
        Downgrade = 12,
        /// `Parker::unpark`.
        Unpark = 13,
        /// `thread::scope`, which waits for its threads.
        Scope = 14,
        /// Where an operation on a channel begins: a point, if it is more than a flag.
        Begin = 15,
        /// The rest of it: recorded, and no point.
        Part = 16,
        /// Not instrumented, or trusted as if it were not: what the C library does for it is its own business.
        Library = 17,
        /// `Parker::unpark`, as part of an operation on a channel.
        Wake = 18,
        /// Threads begin and end, and share what that takes: [`Site::Trusted`], unless the plan asks for the library's insides.
        Start = 19,
        /// The same in code that was compiled with the library: [`Site::Library`].
        StartInside = 20,
        /// The lock with which an operation on a channel begins: [`Site::Begin`], unless the plan asks for the library's insides.
        BeginLock = 21,
        /// A lock that is taken within one: [`Site::Part`].
        PartLock = 22,
        /// It is given back: [`Site::Part`].
        PartUnlock = 23,
    }
}

impl Site {
    /// Is it neither a point nor recorded, unless the library's insides are asked for?
    pub const fn is_trusted(self) -> bool {
        matches!(self, Site::Trusted | Site::Library | Site::Start | Site::StartInside)
    }
}

numbered! {
    /// A function of the library that nobody instrumented and the runtime stands in for.
    pub enum Model {
        /// `Mutex::lock_contended(&self)`.
        LockContended = 0,
        /// `RwLock::read_contended(&self)`.
        ReadContended = 1,
        /// `RwLock::write_contended(&self)`.
        WriteContended = 2,
        /// `Condvar::wait(&self, &Mutex)`.
        Wait = 3,
        /// `Condvar::wait_timeout(&self, &Mutex, Duration) -> bool`.
        WaitTimeout = 4,
        /// `Condvar::notify_one(&self)`.
        NotifyOne = 5,
        /// `Condvar::notify_all(&self)`.
        NotifyAll = 6,
        /// `Once::call(&self, bool, &mut dyn FnMut(&OnceState))`.
        OnceCall = 7,
        /// `Once::wait(&self, bool)`, and where it was called.
        OnceWait = 8,
        /// `Thread::park(&self)`.
        ThreadPark = 9,
        /// `Thread::park_timeout(&self, Duration)`.
        ThreadParkTimeout = 10,
        /// `thread::park()`.
        Park = 11,
        /// `thread::park_timeout(Duration)`.
        ParkTimeout = 12,
        /// `ScopeData::increment_num_running_threads(&self)`.
        ScopeEnter = 13,
        /// `ScopeData::decrement_num_running_threads(&self, bool)`.
        ScopeLeave = 14,
        /// `Barrier::wait(&self) -> BarrierWaitResult`.
        Barrier = 15,
        /// `test::test_main_static(&[&TestDescAndFn])`, the harness of a test binary.
        Harness = 16,
        /// `__rdl_dealloc(*mut u8, usize, usize)`, where the default allocator takes back what a program gives.
        Dealloc = 17,
        /// `__rdl_alloc(usize, usize) -> *mut u8`, where it hands out.
        Alloc = 18,
        /// `__rdl_alloc_zeroed(usize, usize) -> *mut u8`.
        AllocZeroed = 19,
        /// `__rdl_realloc(*mut u8, usize, usize, usize) -> *mut u8`.
        Realloc = 20,
    }
}

impl Model {
    /// How many there are.
    pub const COUNT: usize = 21;

    /// Does it call the function that it stands in for?
    pub const fn wants_original(self) -> bool {
        use Model::{Harness, OnceCall, OnceWait, Park, ScopeEnter, ScopeLeave};
        matches!(self, OnceCall | OnceWait | Park | ScopeEnter | ScopeLeave | Harness)
    }
}

/// Where the library keeps what the models look at. 0: not known, and not used by this program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// From the thread pointer down to the word that names the current thread.
    pub current: u32,
    /// From a thread's shared block to the word that it parks on.
    pub parker: u32,
    /// From a barrier to the number of its threads.
    pub barrier: u32,
}

impl Layout {
    /// Words of it.
    pub const WORDS: usize = 3;

    /// Its words in order.
    pub const fn words(self) -> [u32; Self::WORDS] {
        [self.current, self.parker, self.barrier]
    }

    /// From its words.
    pub const fn from_words(words: [u32; Self::WORDS]) -> Self {
        Layout { current: words[0], parker: words[1], barrier: words[2] }
    }
}
