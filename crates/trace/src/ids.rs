//! Identities that do not depend on the order of execution.

/// A thread of the program under test.
///
/// Its identity is (parent, nth child of that parent). The number is an index into a table of such pairs that travels
/// with the plan and comes back, possibly longer, with the trace; the main thread is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct ThreadId(pub u16);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);

    /// The thread's index in tables.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl core::fmt::Display for ThreadId {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "T{}", self.0)
    }
}

/// Names a plan while it is out; traces come back with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct PlanId(pub u64);
