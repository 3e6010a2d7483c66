//! A lock that is used as it must not be: what was done to it before.

use super::{Told, place};
use crate::naming::Namer;
use gabion_trace::{Address, Event, OpKind, ThreadId};

/// What was done to a lock last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Deed {
    Locked,
    Unlocked,
    /// Set up, or destroyed.
    Managed,
}

impl Told<'_> {
    /// Who locked, unlocked or destroyed it last, where the failure is about that.
    pub(super) fn misused(&self, namer: &mut Namer<'_>) -> Option<String> {
        let says = |words: &str| self.outcome.message.contains(words);
        let holds = |thread: ThreadId| says(&format!("that {thread} holds"));
        let object = Address::object(self.outcome.address);
        let name = namer.name(object);
        let before = match self.last_deed(object) {
            Some((Deed::Locked, event, thread)) if holds(thread) => {
                format!("{} locked {name}{} and holds it", self.who(thread), self.op_at(namer, event))
            }
            Some((Deed::Unlocked, event, thread)) if says("that nobody holds") => {
                format!("{name} was last unlocked by {}{}", self.who(thread), self.op_at(namer, event))
            }
            Some((Deed::Managed, event, thread)) if says("that was destroyed") => {
                format!("{} destroyed {name}{}", self.who(thread), self.op_at(namer, event))
            }
            None if holds(ThreadId::MAIN) && !self.trace.steps.is_empty() => {
                format!("{} locked {name} before it created the first thread", self.who(ThreadId::MAIN))
            }
            _ => return None,
        };
        let deeds = [
            ("is unlocked", "unlocks it"),
            ("is destroyed", "destroys it"),
            ("is freed", "frees the block that it lies in"),
        ];
        let now = deeds.iter().find(|(words, _)| says(words)).map_or("uses it", |(_, now)| now);
        let at = self.location.map_or(String::new(), |frame| place(std::slice::from_ref(frame)));
        Some(format!("{before}; {} {now}{at}.", self.who(self.outcome.thread)))
    }

    /// The last that succeeded in doing something to a lock, before the failing operation, which does not.
    fn last_deed(&self, object: Address) -> Option<(Deed, usize, ThreadId)> {
        self.trace.steps.iter().rev().find_map(|step| {
            step.events.range().rev().find_map(|event| match self.trace.events[event] {
                Event::Op { op, object: on, result: 0, .. } if on == object => Some((deed(op)?, event, step.thread)),
                _ => None,
            })
        })
    }

    /// Where an operation was.
    fn op_at(&self, namer: &mut Namer<'_>, event: usize) -> String {
        self.step_of(event);
        match self.trace.events[event] {
            Event::Op { pc, .. } => place(&namer.stack(pc, self.trace.access_stack(event))),
            _ => String::new(),
        }
    }
}

fn deed(op: OpKind) -> Option<Deed> {
    use OpKind::{
        MutexLock, MutexManage, MutexTimedLock, MutexTryLock, MutexUnlock, ReadLock, ReadTryLock, ReadUnlock, RwManage,
        SpinLock, SpinManage, SpinTryLock, SpinUnlock, WriteLock, WriteTryLock, WriteUnlock,
    };
    match op {
        MutexLock | MutexTimedLock | MutexTryLock | ReadLock | ReadTryLock | SpinLock | SpinTryLock | WriteLock
        | WriteTryLock => Some(Deed::Locked),
        MutexUnlock | ReadUnlock | SpinUnlock | WriteUnlock => Some(Deed::Unlocked),
        MutexManage | RwManage | SpinManage => Some(Deed::Managed),
        _ => None,
    }
}
