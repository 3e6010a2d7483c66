//! How an operation came out that need not get what it asks for: a lock that is only tried, a wait with a time limit.
//!
//! Where readers wait for writers that wait, a write lock begins with a try of the runtime's own (`await_writing` in
//! `runtime/api/standard/locks.rs`). Whoever wrote it down did not try: it is told as the write lock that it is.

use crate::holders::{OWNER_DIED, holders_before};
use gabion_trace::{Address, Event, OpKind, Pending, Trace};

/// `ETIMEDOUT`.
const TIMED_OUT: u32 = 110;

/// The operation that a step begins with, as the program has it, and in brackets how it came out, where that is open.
pub(super) fn tried(trace: &Trace, index: usize, pending: Pending) -> (OpKind, String) {
    use OpKind::{MutexTimedLock, ParkTimeout, SemTimedWait, TryJoin, WriteLock, WriteTryLock};
    let Pending { op, object, .. } = pending;
    let Some((event, done, result)) = done(trace, index, pending) else { return (op, String::new()) };
    let got = result == 0 || result == OWNER_DIED;
    match op {
        WriteTryLock if done == WriteLock => (WriteLock, String::new()),
        WriteTryLock if !got && next(trace, index).is_some_and(|next| begins_to_wait(&pending, &next)) => {
            (WriteLock, format!(" (has to wait{})", in_the_way(trace, op, object, event)))
        }
        _ if is_try(op) && got => (op, " (succeeds)".to_string()),
        _ if (is_try(op) || matches!(op, MutexTimedLock | SemTimedWait | ParkTimeout | TryJoin)) && !got => {
            let how = if result == TIMED_OUT { "times out" } else { "fails" };
            (op, format!(" ({how}{})", in_the_way(trace, op, object, event)))
        }
        _ => (op, String::new()),
    }
}

fn is_try(op: OpKind) -> bool {
    use OpKind::{MutexTryLock, ReadTryLock, SemTryWait, SpinTryLock, WriteTryLock};
    matches!(op, MutexTryLock | SpinTryLock | ReadTryLock | WriteTryLock | SemTryWait)
}

/// The event of what a step was about to do, what that was in the end, and its result.
fn done(trace: &Trace, index: usize, pending: Pending) -> Option<(usize, OpKind, u32)> {
    let is_it = |op: OpKind| op == pending.op || (pending.op, op) == (OpKind::WriteTryLock, OpKind::WriteLock);
    trace.steps[index].events.range().find_map(|event| match trace.events[event] {
        Event::Op { op, object, result, .. } if object == pending.object && is_it(op) => Some((event, op, result)),
        _ => None,
    })
}

/// What the thread of a step is about to do after it.
fn next(trace: &Trace, index: usize) -> Option<Pending> {
    let thread = trace.steps[index].thread;
    let later = trace.steps[index + 1..].iter().find(|step| step.thread == thread);
    let at_end = || trace.pending.iter().find(|pending| pending.thread == thread).copied();
    later.map_or_else(at_end, |step| step.pending)
}

/// One instruction that first tries and then waits is a write lock; who tries and then locks does so with two.
fn begins_to_wait(tried: &Pending, next: &Pending) -> bool {
    next.op == OpKind::WriteLock && (next.object, next.pc) == (tried.object, tried.pc)
}

/// `: T1 holds it`, if that is known. A reader is kept out by a writer only, and maybe by one that only waits.
fn in_the_way(trace: &Trace, op: OpKind, object: Address, event: usize) -> String {
    use OpKind::{ParkTimeout, ReadTryLock, SemTimedWait, SemTryWait, TryJoin};
    if matches!(op, SemTryWait | SemTimedWait | ParkTimeout | TryJoin) {
        return String::new();
    }
    let mut held = holders_before(trace, object, event);
    held.retain(|holder| op != ReadTryLock || holder.how == "write-locked");
    let me = trace.steps.iter().find(|step| step.events.range().contains(&event)).map(|step| step.thread);
    let names: Vec<String> = held.iter().map(|holder| holder.thread.to_string()).collect();
    match (held.as_slice(), names.as_slice()) {
        ([], _) => String::new(),
        ([alone], _) if Some(alone.thread) == me => ": it holds it itself".to_string(),
        (_, [one]) => format!(": {one} holds it"),
        (_, several) => format!(": {} hold it", several.join(", ")),
    }
}
