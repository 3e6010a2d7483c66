//! Which part of a thread's static storage no loaded library uses.
//!
//! The loader leaves room there for libraries that come later: more than a third of the bytes. It stays as it is
//! for as long as none comes.

use crate::objects::{self, Last};

/// The libraries that were loaded at the program's start.
#[derive(Clone, Copy)]
pub struct Spare {
    last: Last,
    /// Bytes at the beginning of each thread's storage that belong to none of them.
    bytes: u64,
}

impl Spare {
    pub const UNKNOWN: Spare = Spare { last: Last::UNKNOWN, bytes: 0 };

    /// At the program's start; `low` and `high` are the bounds of the running thread's storage.
    pub fn of(low: u64, high: u64) -> Spare {
        let mut lowest = high;
        objects::each(|object| {
            if object.module != 0 && object.storage == 0 {
                lowest = low; // where it will be is not known
            }
            if (low..lowest).contains(&object.storage) {
                lowest = object.storage;
            }
        });
        Spare { last: Last::now(), bytes: (lowest - low) & !63 }
    }

    /// The bytes that need not be put back.
    #[inline]
    pub fn bytes(&self) -> u64 {
        if self.last.is_last() { self.bytes } else { 0 }
    }
}
