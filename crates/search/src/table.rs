//! The campaign's thread table.
//!
//! A thread is (parent, nth child). A trace numbers its threads by extending the table of its plan, so two plans that
//! are out together may give one number to different threads. The table here only grows, and every trace's numbers are
//! translated into it before anything else looks at them.

use gabion_trace::{Choice, ChoiceKind, ThreadId, ThreadInfo};
use std::collections::HashMap;

/// All threads seen in the campaign.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTable {
    threads: Vec<ThreadInfo>,
    numbers: HashMap<(ThreadId, u32), ThreadId>,
}

/// From a trace's numbers to the table's; `None` where they agree, which is nearly always.
#[derive(Debug)]
pub(crate) struct Translation(Option<Vec<ThreadId>>);

impl ThreadTable {
    /// A table that starts with these.
    pub(crate) fn new(threads: &[ThreadInfo]) -> Self {
        let mut table = Self::default();
        table.translation(threads);
        table
    }

    /// The threads, for a plan.
    pub(crate) fn threads(&self) -> &[ThreadInfo] {
        &self.threads
    }

    /// Takes a trace's table in and says how its numbers read here.
    pub(crate) fn translation(&mut self, theirs: &[ThreadInfo]) -> Translation {
        if theirs.len() <= self.threads.len() && same_identities(theirs, &self.threads) {
            return Translation(None);
        }
        let mut map: Vec<ThreadId> = Vec::with_capacity(theirs.len());
        for (index, info) in theirs.iter().enumerate() {
            let parent = map.get(info.parent.index()).copied().unwrap_or(ThreadId::MAIN);
            map.push(self.number(index, ThreadInfo { parent, ..*info }));
        }
        let same = map.iter().enumerate().all(|(index, id)| id.index() == index);
        Translation((!same).then_some(map))
    }

    fn number(&mut self, index: usize, info: ThreadInfo) -> ThreadId {
        if index == 0 {
            if self.threads.is_empty() {
                self.threads.push(info);
            }
            return ThreadId::MAIN;
        }
        *self.numbers.entry((info.parent, info.nth)).or_insert_with(|| {
            let id = u16::try_from(self.threads.len()).expect("internal error: the thread table is full");
            self.threads.push(info);
            ThreadId(id)
        })
    }
}

/// The start function is no part of a thread's identity: one parent may start another one as its nth child.
fn same_identities(theirs: &[ThreadInfo], ours: &[ThreadInfo]) -> bool {
    theirs.iter().zip(ours).all(|(a, b)| (a.parent, a.nth) == (b.parent, b.nth))
}

impl Translation {
    /// A choice in the table's numbers.
    pub(crate) fn choice(&self, choice: &Choice) -> Choice {
        match &self.0 {
            None => *choice,
            Some(map) => {
                Choice { thread: look_up(map, choice.thread), value: self.value(choice.kind, choice.value), ..*choice }
            }
        }
    }

    /// A thread in the table's numbers.
    pub(crate) fn thread(&self, thread: ThreadId) -> ThreadId {
        self.0.as_ref().map_or(thread, |map| look_up(map, thread))
    }

    /// A choice's value in the table's numbers.
    pub(crate) fn value(&self, kind: ChoiceKind, value: u32) -> u32 {
        match (&self.0, kind) {
            (Some(map), ChoiceKind::Thread | ChoiceKind::Waiter) => {
                u16::try_from(value).map_or(value, |id| u32::from(look_up(map, ThreadId(id)).0))
            }
            (None, _) | (_, ChoiceKind::Spurious | ChoiceKind::Program | ChoiceKind::Wait) => value,
        }
    }
}

/// A number that is not in the trace's own table is left as it is: the check against the plan then fails.
fn look_up(map: &[ThreadId], id: ThreadId) -> ThreadId {
    map.get(id.index()).copied().unwrap_or(id)
}
