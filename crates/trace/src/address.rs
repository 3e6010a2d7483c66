//! Addresses that carry the space they belong to.

/// The space an address lives in. May grow (an emulated machine has physical memory and ports).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Space {
    /// Memory of the process.
    Memory = 0,
    /// A synchronisation object, named by the address of its `pthread_*_t`.
    Object = 1,
    /// A thread, named by its id.
    Thread = 2,
    /// Hidden state of a library, named by [`Pseudo`].
    Pseudo = 3,
}

/// State that calls share without a visible address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Pseudo {
    /// Whatever an unmodelled system call may touch.
    World = 0,
    /// The generator behind `rand`, `random`, `drand48`.
    Random = 1,
    /// `environ`.
    Environment = 2,
    /// Streams and their buffers.
    Stdio = 3,
    /// `setlocale` and its readers.
    Locale = 4,
    /// Static buffers of `strtok`, `localtime` and their like.
    StaticBuffer = 5,
    /// The process as a whole: its end.
    Process = 6,
    /// `atexit` lists.
    ExitHandlers = 7,
    /// Signal dispositions.
    Signals = 8,
    /// Which keys of thread-specific data exist.
    Keys = 9,
    /// The allocator, where the order of allocations matters.
    Heap = 10,
}

/// Space and offset in one word: the top byte is the space, which no user address needs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct Address(pub u64);

const SPACE_SHIFT: u32 = 56;
const OFFSET: u64 = (1 << SPACE_SHIFT) - 1;

impl Address {
    /// An address in a space.
    pub const fn new(space: Space, offset: u64) -> Self {
        Address((space as u64) << SPACE_SHIFT | (offset & OFFSET))
    }
    /// Plain memory.
    pub const fn memory(offset: u64) -> Self {
        Address(offset & OFFSET)
    }
    /// A synchronisation object at this memory address.
    pub const fn object(offset: u64) -> Self {
        Self::new(Space::Object, offset)
    }
    /// A thread as a member of its scope, which it leaves before it ends.
    pub const fn member(id: crate::ThreadId) -> Self {
        Self::thread(crate::ThreadId(id.0 | Self::MEMBER))
    }
    /// Added to a thread's number; beyond all of these.
    pub const MEMBER: u16 = 1 << 15;
    /// A thread as an object (created, ended, joined).
    pub const fn thread(id: crate::ThreadId) -> Self {
        Self::new(Space::Thread, id.0 as u64)
    }
    /// Hidden state.
    pub const fn pseudo(which: Pseudo) -> Self {
        Self::new(Space::Pseudo, which as u64)
    }
    /// The space, if this version knows it.
    pub const fn space(self) -> Option<Space> {
        match self.0 >> SPACE_SHIFT {
            0 => Some(Space::Memory),
            1 => Some(Space::Object),
            2 => Some(Space::Thread),
            3 => Some(Space::Pseudo),
            _ => None,
        }
    }
    /// The offset within the space.
    pub const fn offset(self) -> u64 {
        self.0 & OFFSET
    }
}

impl core::fmt::Debug for Address {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self.space() {
            Some(Space::Memory) => write!(f, "{:#x}", self.offset()),
            Some(space) => write!(f, "{space:?}:{:#x}", self.offset()),
            None => write!(f, "?:{:#x}", self.0),
        }
    }
}
