//! Could a blocking operation have run earlier?
//!
//! Two acquisitions of a lock race although a release lies between them; the release itself cannot be reversed. So for a
//! blocking operation each earlier step that conflicts with it is tried: take the run as it was before that step, add
//! what came later and does not depend on it, and see whether the operation could run there.

use crate::cells::ByAddress;
use crate::order::Order;
use crate::steps::ObjectOp;
use gabion_trace::{Access, AccessKind, Address, ONCE_DONE, OpKind, Space};
use std::collections::BTreeMap;

/// An operation and what its object was like before it.
#[derive(Clone, Copy, Debug)]
struct Past {
    op: ObjectOp,
    thread: u16,
    before: State,
}

/// Somebody who is about to do what may have to wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) object: Address,
    pub(crate) op: OpKind,
    pub(crate) thread: u16,
    /// Its step before.
    pub(crate) previous: Option<u32>,
}

/// All operations on objects that can block, object by object.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locks {
    of: ByAddress<Vec<Past>>,
    /// Which object each operation was on, in order.
    log: Vec<u64>,
    /// Objects whose bytes are accessed otherwise too, and how many bytes; kept from run to run.
    mixed: BTreeMap<u64, u32>,
}

/// No object has more bytes.
const LARGEST: u64 = 64;

/// What a replayed object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody has said: who releases it first may have taken it before the run began, or never.
    Unknown,
    Free,
    /// Held by this thread, so many times.
    Held(u16, u32),
    /// Held by so many readers.
    Shared(u32),
    /// A semaphore's value.
    Count(u32),
}

impl Locks {
    /// How much there is; for `take_back`.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets what was added after the mark.
    pub(crate) fn take_back(&mut self, mark: usize) {
        for object in self.log.drain(mark..) {
            self.of.get_mut(&object).and_then(Vec::pop);
        }
    }

    /// Adds an operation.
    pub(crate) fn add(&mut self, op: &ObjectOp, thread: u16) {
        if is_lock(op.op) {
            let past = self.of.entry(op.object.0).or_default();
            let before = match past.last() {
                _ if matches!(op.op, OpKind::SemWait | OpKind::SemPost | OpKind::SemRead) => assumed(op, thread),
                Some(last) => match after(last.before, &last.op, last.thread) {
                    State::Unknown => assumed(op, thread),
                    known => known,
                },
                None => assumed(op, thread),
            };
            past.push(Past { op: *op, thread, before });
            self.log.push(op.object.0);
        }
    }

    /// Adds an access of a step: what others than its operations write to an object's bytes may take it or give it back.
    pub(crate) fn add_access(&mut self, step: u32, access: &Access, thread: u16) {
        let (at, size) = (access.address, access.size);
        if access.kind.has(AccessKind::OF_OBJECT) {
            self.mixed.insert(at.offset(), size);
        } else if access.kind.writes() && !self.mixed.is_empty() && at.space() == Some(Space::Memory) {
            let from = at.0.saturating_sub(LARGEST);
            let near = self.mixed.range(from..at.0.saturating_add(u64::from(size)));
            for object in near.filter(|(object, bytes)| *object + u64::from(**bytes) > at.0).map(|(object, _)| *object)
            {
                let object = Address::object(object);
                let op = ObjectOp { step, op: OpKind::Access, object, result: 0 };
                let past = self.of.entry(object.0).or_default();
                let before = past.last().map_or(State::Unknown, |last| after(last.before, &last.op, last.thread));
                past.push(Past { op, thread, before });
                self.log.push(object.0);
            }
        }
    }

    /// Calls `each` with the operations on the object, last first, until it says stop.
    pub(crate) fn back(&self, object: Address, mut each: impl FnMut(&ObjectOp) -> bool) {
        for past in self.past(object).iter().rev() {
            if !each(&past.op) {
                break;
            }
        }
    }

    /// Could somebody do what it is about to do if step `without` and all that depends on it had not happened?
    pub(crate) fn possible(&self, order: &Order, who: Waiting, without: u32) -> bool {
        let Waiting { object, op, thread, previous } = who;
        let past = self.past(object);
        let kept = |p: &Past| p.op.step != without && !order.before(without, p.op.step);
        match op {
            OpKind::Join => return past.iter().any(|p| p.op.op == OpKind::ThreadEnd && kept(p)),
            OpKind::ScopeJoin => return past.iter().any(|p| p.op.op == OpKind::ScopeLeave && kept(p)),
            OpKind::BarrierWait => {
                // Those who came until it could go on.
                let steps = order.steps();
                let open = |step: &usize| steps.item(*step).enabled.contains(u32::from(thread));
                let opened = (previous.map_or(0, |p| p as usize + 1)..steps.len()).find(open).unwrap_or(steps.len());
                let came = |p: &&Past| p.op.op == OpKind::BarrierArrive && (p.op.step as usize) < opened;
                return past.iter().filter(came).all(kept);
            }
            _ => {}
        }
        let first = past.partition_point(|p| p.op.step < without);
        let mut state = match (past.get(first), past.last()) {
            (Some(next), _) => next.before,
            (None, Some(last)) => after(last.before, &last.op, last.thread),
            (None, None) => return true,
        };
        // Every later operation on the object happens after a change of it. Once a change is left out, so is the rest of the list.
        let is_chain = order.joins_all() && !self.mixed.contains_key(&object.offset());
        for later in &past[first..] {
            if kept(later) {
                state = after(state, &later.op, later.thread);
            } else if is_chain && later.op.op.uses(later.op.result).writes() {
                break;
            }
        }
        match (op, state) {
            (_, State::Unknown | State::Free) | (OpKind::ReadLock, State::Shared(_)) => true,
            (_, State::Held(owner, _)) => owner == thread,
            (_, State::Shared(readers)) => readers == 0,
            (_, State::Count(value)) => value > 0,
        }
    }

    /// Was a thread's end, in this step, all that happened to the object?
    pub(crate) fn is_only_end(&self, object: Address, step: u32) -> bool {
        matches!(self.past(object), [end] if end.op.op == OpKind::ThreadEnd && end.op.step == step)
    }

    fn past(&self, object: Address) -> &[Past] {
        self.of.get(&object.0).map_or(&[], Vec::as_slice)
    }
}

/// Does the operation say something about whether others can take the object?
fn is_lock(op: OpKind) -> bool {
    use OpKind::*;
    matches!(
        op,
        MutexLock
            | MutexTryLock
            | MutexTimedLock
            | MutexUnlock
            | CondReacquire
            | SpinLock
            | SpinTryLock
            | SpinUnlock
            | ReadLock
            | WriteLock
            | ReadTryLock
            | WriteTryLock
            | ReadUnlock
            | WriteUnlock
            | SemWait
            | SemTryWait
            | SemTimedWait
            | SemPost
            | SemRead
            | MutexManage
            | RwManage
            | SpinManage
            | SemManage
            | Park
            | ParkTimeout
            | Unpark
            | Once
            | OnceDone
            | Join
            | ThreadEnd
            | ScopeJoin
            | ScopeLeave
            | BarrierArrive
            | BarrierWait
    )
}

/// What the object was like before an operation that is the first known one on it.
fn assumed(op: &ObjectOp, thread: u16) -> State {
    use OpKind::*;
    match op.op {
        MutexUnlock | SpinUnlock | WriteUnlock | ReadUnlock => State::Unknown,
        OnceDone => State::Held(thread, 1),
        SemManage => State::Unknown,
        SemPost => State::Count(op.result.saturating_sub(1)),
        SemRead | Unpark => State::Count(op.result),
        Park => State::Count(1),
        SemWait => State::Count(op.result.saturating_add(1)),
        SemTryWait | SemTimedWait | ParkTimeout => State::Count(u32::from(op.result == 0)),
        MutexTryLock | MutexTimedLock | SpinTryLock | WriteTryLock if op.result != 0 => State::Held(u16::MAX, 1),
        _ => State::Free,
    }
}

/// What the object is like after an operation.
fn after(state: State, op: &ObjectOp, thread: u16) -> State {
    use OpKind::*;
    let taken = op.result == 0 || op.result == OWNER_DIED;
    match (op.op, state) {
        (MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | SpinLock | SpinTryLock, s) if taken => match s {
            State::Held(owner, times) if owner == thread => State::Held(owner, times + 1),
            _ => State::Held(thread, 1),
        },
        (WriteLock | WriteTryLock, _) if taken => State::Held(thread, 1),
        (ReadLock | ReadTryLock, s) if taken => State::Shared(if let State::Shared(n) = s { n + 1 } else { 1 }),
        (MutexUnlock | SpinUnlock | WriteUnlock, State::Held(owner, times)) if times > 1 => {
            State::Held(owner, times - 1)
        }
        (MutexUnlock | SpinUnlock | WriteUnlock | OnceDone, _) => State::Free,
        (ReadUnlock, State::Shared(n)) if n > 1 => State::Shared(n - 1),
        (ReadUnlock, _) => State::Free,
        (SemPost, State::Count(n)) => State::Count(n + 1),
        (Unpark, _) => State::Count(1),
        (Park, _) => State::Count(0),
        (ParkTimeout, _) if op.result == 0 => State::Count(0),
        (SemWait, State::Count(n)) => State::Count(n.saturating_sub(1)),
        (SemTryWait | SemTimedWait, State::Count(n)) if op.result == 0 => State::Count(n.saturating_sub(1)),
        (Access, _) => State::Unknown,
        // It is made anew, or declared consistent.
        (MutexManage | RwManage | SpinManage, State::Held(..) | State::Shared(_)) => State::Unknown,
        (SemManage, _) => State::Count(op.result),
        (Once, _) if op.result == ONCE_DONE => State::Free,
        (Once, _) => State::Held(thread, 1),
        (_, s) => s,
    }
}

/// `EOWNERDEAD`: the lock was taken.
const OWNER_DIED: u32 = 130;
