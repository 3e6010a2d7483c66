//! Who holds what at the end of a run, or before, and where it was taken.
//!
//! Looked up in the run's operations. What was taken before the first thread was created is not among them; of mutexes the
//! runtime knows the place. A semaphore is held by who has waited for it and not posted it since; once somebody posts who
//! does not hold it, it counts, and nobody holds it.

use gabion_trace::{Address, Event, ONCE_DONE, OpKind, Role, ThreadId, Trace};

/// `EOWNERDEAD`: the lock was taken.
pub(crate) const OWNER_DIED: u32 = 130;

/// Somebody who holds an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holder<'a> {
    pub(crate) thread: ThreadId,
    /// How it was taken, in words.
    pub(crate) how: &'static str,
    /// Where it was taken first, and the call sites above.
    pub(crate) pc: u64,
    pub(crate) sites: &'a [u64],
    /// The index of that event.
    pub(crate) event: usize,
    times: u32,
}

/// What an operation means for who holds its object.
enum Meaning {
    Takes(&'static str),
    GivesUp,
    Posts,
    Nothing,
}

fn meaning(op: OpKind, result: u32) -> Meaning {
    use OpKind::*;
    let done = result == 0 || result == OWNER_DIED;
    match op {
        MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | SpinLock | SpinTryLock if done => {
            Meaning::Takes("locked")
        }
        WriteLock | WriteTryLock if done => Meaning::Takes("write-locked"),
        ReadLock | ReadTryLock if done => Meaning::Takes("read-locked"),
        MutexUnlock | SpinUnlock | WriteUnlock | ReadUnlock if done => Meaning::GivesUp,
        SemWait => Meaning::Takes("took"),
        SemTryWait | SemTimedWait if done => Meaning::Takes("took"),
        SemPost => Meaning::Posts,
        Once if result != ONCE_DONE => Meaning::Takes("began"),
        OnceDone => Meaning::GivesUp,
        _ => Meaning::Nothing,
    }
}

/// All who hold an object at the end, in the order in which they took it.
pub(crate) fn holders(trace: &Trace, object: Address) -> Vec<Holder<'_>> {
    holders_before(trace, object, usize::MAX)
}

/// The same before an event.
pub(crate) fn holders_before(trace: &Trace, object: Address, end: usize) -> Vec<Holder<'_>> {
    let mut all: Vec<Holder<'_>> = Vec::new();
    for step in &trace.steps {
        for event in step.events.range().take_while(|event| *event < end) {
            let Event::Op { op, object: of, result, pc } = trace.events[event] else { continue };
            if of != object {
                continue;
            }
            let held = all.iter().position(|holder| holder.thread == step.thread);
            match (meaning(op, result), held) {
                (Meaning::Takes(_), Some(at)) => all[at].times += 1,
                (Meaning::Takes(how), None) => {
                    all.push(Holder {
                        thread: step.thread,
                        how,
                        pc,
                        sites: trace.access_stack(event),
                        event,
                        times: 1,
                    });
                }
                (Meaning::GivesUp | Meaning::Posts, Some(at)) => {
                    all[at].times -= 1;
                    all.retain(|holder| holder.times > 0);
                }
                (Meaning::Posts, None) => return Vec::new(),
                (Meaning::GivesUp | Meaning::Nothing, _) => {}
            }
        }
    }
    all
}

/// Has a thread ended?
pub(crate) fn has_ended(trace: &Trace, thread: ThreadId) -> bool {
    let ends = |event: &Event| matches!(event, Event::Op { op: OpKind::ThreadEnd, .. });
    trace.steps.iter().any(|step| step.thread == thread && trace.events(step).iter().any(ends))
}

/// Where a thread took a mutex before anything was recorded, if the runtime has said so.
pub(crate) fn taken_before(trace: &Trace, thread: ThreadId, object: Address) -> Option<u64> {
    let is_that = |w: &&gabion_trace::Witness| {
        w.role == Role::Locked && w.thread == thread && Address::object(w.address) == object && w.pc != 0
    };
    trace.witnesses.iter().find(is_that).map(|w| w.pc)
}
