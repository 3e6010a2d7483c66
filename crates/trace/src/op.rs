//! Visible operations: what a thread is about to do, or has done, to something that others can see.

use crate::{AccessKind, Point};

macro_rules! numbered {
    ($(#[$meta:meta])* pub enum $name:ident { $($(#[$doc:meta])* $variant:ident = $value:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "std", serde(rename_all = "kebab-case"))]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant = $value,)* }

        impl $name {
            /// The variant with this number, if this version knows it.
            #[inline]
            pub const fn from_number(number: u8) -> Option<Self> {
                match number { $($value => Some(Self::$variant),)* _ => None }
            }
        }
    };
}
pub(crate) use numbered;

numbered! {
    /// A visible operation. Numbers are part of the format: never reuse one.
    pub enum OpKind {
        /// Nothing is known yet: the thread has not reached a visible operation.
        Run = 0,
        /// First operation of a thread.
        ThreadStart = 1,
        /// Last operation of a thread.
        ThreadEnd = 2,
        /// `pthread_create`.
        Create = 3,
        /// `pthread_join`, enabled when the thread has ended.
        Join = 4,
        /// `pthread_detach`.
        Detach = 5,
        /// `pthread_tryjoin_np` and timed joins: never blocks for good.
        TryJoin = 6,
        /// A scoped thread is done, as far as its scope is concerned.
        ScopeLeave = 7,
        /// The end of a scope waits for one of its threads.
        ScopeJoin = 8,
        /// Lock, enabled while free (or held by the caller in a way that does not block).
        MutexLock = 10,
        /// Try-lock.
        MutexTryLock = 11,
        /// Timed lock: takes a free lock, times out on a held one.
        MutexTimedLock = 12,
        /// Unlock.
        MutexUnlock = 13,
        /// Initialise, destroy, make consistent.
        MutexManage = 14,
        /// Release the mutex and enter the queue, in one step.
        CondWait = 20,
        /// In the queue; enabled by a signal only.
        CondQueued = 21,
        /// In the queue; runs only by timing out.
        CondTimeout = 22,
        /// Signalled or timed out; takes the mutex again in competition.
        CondReacquire = 23,
        /// Wakes one waiter.
        CondSignal = 24,
        /// Wakes all.
        CondBroadcast = 25,
        /// Initialise or destroy.
        CondManage = 26,
        /// Read lock.
        ReadLock = 30,
        /// Write lock.
        WriteLock = 31,
        /// Try or timed read lock.
        ReadTryLock = 32,
        /// Try or timed write lock.
        WriteTryLock = 33,
        /// Unlock of a read lock.
        ReadUnlock = 34,
        /// Unlock of a write lock.
        WriteUnlock = 35,
        /// Initialise or destroy.
        RwManage = 36,
        /// Spin lock.
        SpinLock = 40,
        /// Try to take a spin lock.
        SpinTryLock = 41,
        /// Release a spin lock.
        SpinUnlock = 42,
        /// Initialise or destroy.
        SpinManage = 43,
        /// Arrives at a barrier.
        BarrierArrive = 45,
        /// Waits at a barrier until the last one has arrived.
        BarrierWait = 46,
        /// Initialise or destroy.
        BarrierManage = 47,
        /// Semaphore wait.
        SemWait = 50,
        /// Semaphore try-wait.
        SemTryWait = 51,
        /// Timed semaphore wait: takes one if there is one, else times out.
        SemTimedWait = 52,
        /// Semaphore post.
        SemPost = 53,
        /// Reads the value.
        SemRead = 54,
        /// Initialise or destroy.
        SemManage = 55,
        /// `std::thread::park`: enabled while there is a token, which it takes.
        Park = 56,
        /// `std::thread::park_timeout`: takes the token if there is one, else times out.
        ParkTimeout = 57,
        /// `Thread::unpark`: there is a token afterwards.
        Unpark = 58,
        /// Begins a once, or finds it done; enabled unless another thread is inside.
        Once = 60,
        /// The once function has returned.
        OnceDone = 61,
        /// Waits on a futex word.
        FutexWait = 65,
        /// In a futex queue.
        FutexQueued = 66,
        /// In a futex queue; runs only by timing out.
        FutexTimeout = 67,
        /// Wakes waiters of a futex word.
        FutexWake = 68,
        /// `sched_yield` and its like.
        Yield = 70,
        /// Sleeps for some virtual time.
        Sleep = 71,
        /// A plain access, before the instruction.
        Access = 80,
        /// An atomic read.
        AtomicLoad = 81,
        /// An atomic write.
        AtomicStore = 82,
        /// An atomic read-modify-write, compare-exchange included.
        AtomicUpdate = 83,
        /// A fence.
        Fence = 84,
        /// Gives memory back.
        Free = 85,
        /// A call with hidden shared state.
        Hidden = 86,
        /// An unmodelled system call.
        SystemCall = 87,
        /// Takes memory from the allocator, where the order of allocations matters.
        Allocate = 88,
        /// The process ends: return from main, `exit`.
        Exit = 90,
        /// The program asked for a choice.
        Choose = 91,
        /// The program named a point.
        Preempt = 92,
        /// Very many accesses without a point, as in a loop that waits for memory that nobody was seen to write: the others get
        /// a turn.
        Pause = 93,
    }
}

/// The result of an [`OpKind::Once`] that was done before.
pub const ONCE_DONE: u32 = 1;

/// The result of an [`OpKind::Hidden`] on an object by which the program says that it takes over what others have handed over at this
/// address.
pub const TOLD_ACQUIRE: u32 = 1;
/// That it hands over what it did.
pub const TOLD_RELEASE: u32 = 2;

impl OpKind {
    /// How the operation uses its object, for conflicts, once it is known what came of it.
    #[inline]
    pub const fn uses(self, result: u32) -> AccessKind {
        match self {
            OpKind::Once if result == ONCE_DONE => AccessKind::READ,
            _ => self.mode(),
        }
    }

    /// How the operation may use its object.
    pub const fn mode(self) -> AccessKind {
        use OpKind::*;
        match self {
            Run | Yield | Sleep | Fence | Preempt | Pause | Choose => AccessKind(0),
            TryJoin | ReadLock | ReadTryLock | ReadUnlock | SemRead | AtomicLoad => AccessKind::READ,
            _ => AccessKind::UPDATE,
        }
    }

    /// The class of the preemption point before this operation. (Class *unlock* is about the point after one.)
    #[inline(always)]
    pub fn point(self) -> Option<Point> {
        /// By number: asked at every point, and a jump would often be guessed wrong.
        static POINTS: [Option<Point>; 256] = {
            let mut points = [None; 256];
            let mut number = 0;
            while number < 256 {
                if let Some(op) = OpKind::from_number(number as u8) {
                    points[number] = op.point_before();
                }
                number += 1;
            }
            points
        };
        POINTS[self as usize]
    }

    const fn point_before(self) -> Option<Point> {
        use OpKind::*;
        match self {
            MutexLock | MutexTryLock | MutexTimedLock | ReadLock | WriteLock | ReadTryLock | WriteTryLock
            | SpinLock | SpinTryLock => Some(Point::Lock),
            // Try-locks can see whether it has happened.
            MutexUnlock | ReadUnlock | WriteUnlock | SpinUnlock => Some(Point::Visible),
            AtomicLoad | AtomicStore | AtomicUpdate => Some(Point::Atomic),
            Access => Some(Point::Everywhere),
            Free | Allocate | Hidden | SystemCall => Some(Point::Visible),
            Fence | Run | ThreadEnd | ScopeLeave => None,
            Yield | Sleep | ThreadStart | CondQueued | CondTimeout | CondReacquire | BarrierWait | FutexQueued
            | FutexTimeout | Preempt | Pause => Some(Point::Voluntary),
            _ => Some(Point::Other),
        }
    }

    /// By number, whether it is one of these: for what is asked at every point.
    pub const fn among(these: &[OpKind]) -> [bool; 256] {
        let (mut among, mut i) = ([false; 256], 0);
        while i < these.len() {
            among[these[i] as usize] = true;
            i += 1;
        }
        among
    }

    /// Is a thread that is about to do this giving way of its own accord?
    pub const fn gives_way(self) -> bool {
        matches!(self, OpKind::Yield | OpKind::Sleep | OpKind::Pause)
    }

    /// Does the thread hold the object if it succeeds?
    pub const fn takes_lock(self) -> bool {
        use OpKind::*;
        matches!(
            self,
            MutexLock
                | MutexTryLock
                | MutexTimedLock
                | CondReacquire
                | SpinLock
                | SpinTryLock
                | ReadLock
                | ReadTryLock
                | WriteLock
                | WriteTryLock
        )
    }
}

numbered! {
    /// What was chosen.
    pub enum ChoiceKind {
        /// Which thread runs next; the value is its id.
        Thread = 0,
        /// Which waiter a signal wakes; the value is its id.
        Waiter = 1,
        /// Whether a wait ends without a signal; the value is 0 or 1.
        Spurious = 2,
        /// A choice that the program asked for.
        Program = 3,
        /// Whether a thread that seems to wait in a loop goes on alone until it leaves it (0), or waits until something
        /// that it read has changed (1).
        Wait = 4,
    }
}
