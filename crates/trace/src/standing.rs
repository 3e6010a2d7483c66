//! Stacks of threads as they stood when something on them was touched: what is needed to find out which frame holds it.

use crate::ThreadId;
use serde::{Deserialize, Serialize};

/// The stack of a thread, at a call of the runtime.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    /// Whose.
    pub thread: ThreadId,
    /// Where the return address of the call is.
    pub stack: u64,
    /// The frame pointer.
    pub frame: u64,
    /// Words of the stack that may lead to a caller, each with its address, ascending.
    pub words: Vec<(u64, u64)>,
}

impl Standing {
    /// The word at an address, if it was told.
    pub fn word(&self, at: u64) -> Option<u64> {
        let found = self.words.binary_search_by_key(&at, |(at, _)| *at);
        found.ok().map(|index| self.words[index].1)
    }
}

/// Something on a stack was touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnStack {
    /// What touches it, as an index into the events of the trace; of what a thread is about to do, the next event.
    pub event: u32,
    /// Where.
    pub address: u64,
    /// The stack, as an index into those of the trace, if it is known how it stood.
    pub standing: Option<u32>,
}
