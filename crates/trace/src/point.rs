//! Preemption points: where the search may switch threads.

use crate::op::numbered;

numbered! {
    /// Class of a preemption point.
    pub enum Point {
        /// Blocking, yielding, thread start and end. Always on.
        Voluntary = 0,
        /// Before a lock is taken.
        Lock = 1,
        /// After a lock was released: before the thread's next visible operation.
        Unlock = 2,
        /// Before any other synchronisation.
        Other = 3,
        /// Before an atomic access.
        Atomic = 4,
        /// Before one named instruction.
        Race = 5,
        /// Around a transaction.
        Transaction = 6,
        /// Before any access to memory that is not the thread's own stack.
        Everywhere = 7,
    }
}

impl Point {
    /// Every class with its name on the command line.
    pub const NAMES: &'static [(&'static str, Point)] = &[
        ("voluntary", Point::Voluntary),
        ("lock", Point::Lock),
        ("unlock", Point::Unlock),
        ("other", Point::Other),
        ("atomic", Point::Atomic),
        ("race", Point::Race),
        ("transaction", Point::Transaction),
        ("everywhere", Point::Everywhere),
    ];
}

/// A set of classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct PointSet(pub u16);

impl PointSet {
    /// Voluntary switches only.
    pub const VOLUNTARY: Self = Self(1);
    /// Lock, unlock, other synchronisation and atomics.
    pub const SYNC: Self = Self(0b1_1111);
    /// Everything there is.
    pub const EVERYWHERE: Self = Self(0b1101_1111);

    /// Is the class in the set? Voluntary always is.
    pub const fn has(self, point: Point) -> bool {
        (self.0 | 1) >> point as u16 & 1 == 1
    }
    /// The set with one class more.
    #[must_use]
    pub const fn with(self, point: Point) -> Self {
        Self(self.0 | 1 << point as u16 | 1)
    }
    /// Both sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(feature = "std")]
impl PointSet {
    /// The names of its classes, as the command line knows them, `voluntary` left out unless alone.
    pub fn names(self) -> Vec<&'static str> {
        if self.has(Point::Everywhere) {
            return vec!["everywhere"];
        }
        if self.0 | 1 == Self::SYNC.0 {
            return vec!["sync"];
        }
        let names: Vec<_> =
            Point::NAMES.iter().filter(|(_, p)| *p != Point::Voluntary && self.has(*p)).map(|(n, _)| *n).collect();
        if names.is_empty() { vec!["voluntary"] } else { names }
    }
}
