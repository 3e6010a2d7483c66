//! Instructions of data races as preemption points, in every thread or in one (thesis §4.2: a point can have a thread filter).

use gabion_trace::{RacePoint, ThreadId, ThreadInfo};
use serde::{Deserialize, Serialize};
use std::fmt;

/// In which threads an instruction of a data race is a preemption point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RaceThreads {
    /// In all.
    #[default]
    All,
    /// In those that raced there. Spaces are smaller, and say less: see [`crate::Points::is_subset`].
    Racing,
}

/// A thread, whatever its number in a run: which child of which child of main it is. Main has no part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lineage(Vec<u32>);

impl Lineage {
    /// The thread of this number in a table.
    pub fn of(thread: ThreadId, table: &[ThreadInfo]) -> Self {
        let mut nths = Vec::new();
        let mut at = thread;
        while at != ThreadId::MAIN {
            let info = table.get(at.index()).expect("internal error: a thread that is in no table");
            assert!(info.parent < at, "internal error: a thread is created after its parent");
            nths.push(info.nth);
            at = info.parent;
        }
        nths.reverse();
        Lineage(nths)
    }

    /// Its number in a table, which grows if it is not there.
    fn number(&self, table: &mut Vec<ThreadInfo>) -> ThreadId {
        if table.is_empty() {
            table.push(ThreadInfo { parent: ThreadId::MAIN, nth: 0, start: 0 });
        }
        self.0.iter().fold(ThreadId::MAIN, |parent, nth| {
            let same = |info: &ThreadInfo| (info.parent, info.nth) == (parent, *nth);
            let known = table.iter().skip(1).position(same).map(|index| index + 1);
            let index = known.unwrap_or_else(|| {
                table.push(ThreadInfo { parent, nth: *nth, start: 0 });
                table.len() - 1
            });
            ThreadId(u16::try_from(index).expect("internal error: the thread table is full"))
        })
    }
}

/// `main.2.1`: the first thread that the second thread of main created.
impl fmt::Display for Lineage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("main")?;
        self.0.iter().try_for_each(|nth| write!(f, ".{}", nth + 1))
    }
}

/// An instruction, in every thread or in one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RaceSite {
    /// Where it is in the loaded program.
    pub pc: u64,
    /// Only here.
    pub thread: Option<Lineage>,
}

impl RaceSite {
    /// The same instruction in every thread.
    pub fn anywhere(&self) -> Self {
        self.pc.into()
    }

    /// As a plan with this table of threads says it. The table grows if the thread is not in it.
    pub(crate) fn point(&self, table: &mut Vec<ThreadInfo>) -> RacePoint {
        RacePoint { pc: self.pc, thread: self.thread.as_ref().map(|thread| thread.number(table)) }
    }
}

impl From<u64> for RaceSite {
    fn from(pc: u64) -> Self {
        RaceSite { pc, thread: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_found_in_any_table() {
        let child = |parent, nth| ThreadInfo { parent: ThreadId(parent), nth, start: 7 };
        let table = vec![child(0, 0), child(0, 0), child(1, 0), child(0, 1)];
        let other = vec![child(0, 0), child(0, 0), child(0, 1), child(1, 0)];
        for (number, there, name) in [(0, 0, "main"), (1, 1, "main.1"), (2, 3, "main.1.1"), (3, 2, "main.2")] {
            let thread = Lineage::of(ThreadId(number), &table);
            assert_eq!(thread.to_string(), name);
            let mut known = other.clone();
            assert_eq!((thread.number(&mut known), known), (ThreadId(there), other.clone()));
            let mut none = Vec::new();
            assert_eq!(Lineage::of(thread.number(&mut none), &none), thread);
        }
    }
}
