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
        /// Before any access to memory that is not the thread's own stack, and whatever is [`Point::Visible`].
        Everywhere = 7,
        /// Before what others can see and no other class has: releasing a lock, giving memory back, calls with hidden
        /// state, system calls.
        Visible = 8,
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
        ("visible", Point::Visible),
    ];
}

/// A set of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct PointSet(pub u16);

impl PointSet {
    /// Voluntary switches only.
    pub const VOLUNTARY: Self = Self(1);
    /// Lock, unlock, other synchronisation and atomics.
    pub const SYNC: Self = Self(0b1_1111);
    /// All that is known without a run: synchronisation and whatever else others can see, but no plain access.
    pub const KNOWN: Self = Self(0b1_0001_1111);
    /// Everything there is.
    pub const EVERYWHERE: Self = Self(0b1101_1111);

    /// Is the class in the set? Voluntary always is, and whatever is visible where every access is.
    pub const fn has(self, point: Point) -> bool {
        let visible = (self.0 >> Point::Everywhere as u16 & 1) << Point::Visible as u16;
        (self.0 | visible | 1) >> point as u16 & 1 == 1
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
        let sync = (self.0 | 1) & Self::SYNC.0 == Self::SYNC.0;
        let rest = Self(if sync { self.0 & !Self::SYNC.0 } else { self.0 });
        let rest = Point::NAMES.iter().filter(|(_, p)| *p != Point::Voluntary && rest.has(*p)).map(|(n, _)| *n);
        let names: Vec<_> = sync.then_some("sync").into_iter().chain(rest).collect();
        if names.is_empty() { vec!["voluntary"] } else { names }
    }
}
