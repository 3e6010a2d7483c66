//! One access, and when two of them conflict.

use crate::Address;

/// What an access does. A set of flags, because a read-modify-write is both and an atomic may be either.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
#[repr(transparent)]
pub struct AccessKind(pub u8);

impl AccessKind {
    /// Reads.
    pub const READ: Self = Self(1);
    /// Writes.
    pub const WRITE: Self = Self(2);
    /// Reads and writes without a gap.
    pub const UPDATE: Self = Self(3);
    /// Through an atomic operation.
    pub const ATOMIC: Self = Self(4);
    /// Through a volatile lvalue.
    pub const VOLATILE: Self = Self(8);
    /// The block is given back to the allocator; touches all of it.
    pub const FREE: Self = Self(16);
    /// Freed memory is handed out again. Conflicts with what others do to it, and is no access of the program's.
    pub const REUSE: Self = Self(2 | 16 | 32);
    /// A length that the program computed (`memcpy`, struct copies).
    pub const RANGE: Self = Self(32);
    /// Announced together with the access before it, executed after both announcements.
    pub const JOINED: Self = Self(64);
    /// Of an atomic access: what it writes is released. (Only plain accesses are joined.)
    pub const RELEASE: Self = Self(64);
    /// Of an atomic access: what was released is acquired.
    pub const ACQUIRE: Self = Self(128);
    /// Of a plain access (only atomic ones acquire): a library function makes it, in as many instructions as it likes.
    pub const PARTS: Self = Self(128);
    /// The bytes of a synchronisation object, touched by an operation on it. Two of these are no race.
    pub const OF_OBJECT: Self = Self(4 | 32);

    /// Both sets of flags.
    pub const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
    /// All flags of `other` are here.
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
    /// Does it write?
    pub const fn writes(self) -> bool {
        self.has(Self::WRITE)
    }
    /// Does it read?
    pub const fn reads(self) -> bool {
        self.has(Self::READ)
    }
}

/// An access to some bytes by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "std", derive(serde::Serialize, serde::Deserialize))]
pub struct Access {
    /// First byte.
    pub address: Address,
    /// Number of bytes.
    pub size: u32,
    /// What it does.
    pub kind: AccessKind,
    /// The instruction.
    pub pc: u64,
}

impl Access {
    /// Do the two touch a common byte, at least one of them writing? An access of no bytes conflicts with nothing.
    #[inline]
    pub const fn conflicts(&self, other: &Access) -> bool {
        let (a, b) = (self.address.0, other.address.0);
        let overlap = a < b.saturating_add(other.size as u64) && b < a.saturating_add(self.size as u64);
        self.size > 0 && other.size > 0 && overlap && (self.kind.writes() || other.kind.writes())
    }
}
