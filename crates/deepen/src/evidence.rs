//! Who else took part in a failure: who allocated and freed the memory, created the thread, took the lock.
//!
//! What the runtime knew when the run ended is among the trace's witnesses. Who created a thread or took a lock is looked up
//! in the trace itself.

use crate::naming::{Namer, location, who};
use gabion_trace::{
    Address, Blocked, Ending, Event, Frame, NamedWitness, OpKind, Role, Step, ThreadId, Trace, Witness,
};

/// Everybody who took part, in words.
pub(crate) fn evidence(namer: &mut Namer<'_>, trace: &Trace, threads: &[String]) -> Vec<NamedWitness> {
    let waits_for_itself = |w: &Witness| {
        let own = |b: &Blocked| b.pending.thread == w.thread && b.pending.object == Address::object(w.address);
        trace.blocked.is_empty() || trace.blocked.iter().any(own)
    };
    let named = |witness: &Witness| {
        let (thread, pc, sites) = match witness.role {
            Role::Failed | Role::Made | Role::Present | Role::Waits | Role::Raised => return None,
            // Who waits for whom is told apart.
            Role::Locked if trace.outcome.ending == Ending::Deadlock && !waits_for_itself(witness) => return None,
            Role::Allocated | Role::Freed => (witness.thread, witness.pc, witness.stack.as_slice()),
            Role::Created => created(trace, ThreadId(witness.address as u16))?,
            Role::Locked => locked(trace, witness.thread, Address::object(witness.address))
                .or((witness.pc != 0).then_some((witness.thread, witness.pc, &[])))?,
        };
        let deed = match witness.role {
            Role::Freed => "freed",
            Role::Created => "created",
            Role::Locked => "locked",
            _ => "allocated",
        };
        let stack = namer.stack(pc, sites);
        (!stack.is_empty()).then(|| NamedWitness { what: format!("{deed} by {}", who(thread, threads)), stack })
    };
    let told = trace.witnesses.iter().any(|w| w.role == Role::Locked && waits_for_itself(w));
    let alone = trace.blocked.iter().filter(|b| !told && b.holder == Some(b.pending.thread));
    let again = alone.map(|b| Witness {
        role: Role::Locked,
        thread: b.pending.thread,
        pc: 0,
        address: b.pending.object.offset(),
        size: 0,
        stack: Vec::new(),
    });
    trace.witnesses.iter().cloned().chain(again).collect::<Vec<_>>().iter().filter_map(named).collect()
}

/// The evidence as the end of a sentence: `; allocated by T0 (main) at a.c:12`.
pub(crate) fn in_short(evidence: &[NamedWitness]) -> String {
    let at = |witness: &NamedWitness| Frame::place(&witness.stack).and_then(location);
    let part = |w: &NamedWitness| format!("; {}{}", w.what, at(w).map_or(String::new(), |at| format!(" at {at}")));
    evidence.iter().map(part).collect()
}

/// Call sites above the failing instruction, if the runtime has said so.
pub(crate) fn failing_sites(trace: &Trace) -> Option<&[u64]> {
    let failed = trace.witnesses.iter().find(|w| w.role == Role::Failed)?;
    (!failed.stack.is_empty()).then_some(failed.stack.as_slice())
}

/// Call sites above what a thread waits at when the run ends, if they were recorded.
pub(crate) fn waiting_sites(trace: &Trace, thread: ThreadId) -> &[u64] {
    let waits = trace.witnesses.iter().find(|w| w.role == Role::Waits && w.thread == thread);
    waits.map_or(&[], |w| w.stack.as_slice())
}

type Deed<'a> = (ThreadId, u64, &'a [u64]);

/// The last event of that sort: who, at which instruction, and the call sites above.
fn last<'a>(trace: &'a Trace, wanted: impl Fn(&Step, &Event) -> Option<u64>) -> Option<Deed<'a>> {
    trace.steps.iter().rev().find_map(|step| {
        let mut events = step.events.range().rev();
        let (event, pc) = events.find_map(|event| Some((event, wanted(step, &trace.events[event])?)))?;
        Some((step.thread, pc, trace.access_stack(event)))
    })
}

fn created(trace: &Trace, thread: ThreadId) -> Option<Deed<'_>> {
    last(trace, |_, event| match event {
        Event::Op { op: OpKind::Create, object, pc, .. } if *object == Address::thread(thread) => Some(*pc),
        _ => None,
    })
}

fn locked(trace: &Trace, thread: ThreadId, lock: Address) -> Option<Deed<'_>> {
    use OpKind::{
        CondReacquire, MutexLock, MutexTimedLock, MutexTryLock, ReadLock, ReadTryLock, SpinLock, SpinTryLock,
        WriteLock, WriteTryLock,
    };
    last(trace, |step, event| match event {
        Event::Op { op, object, result: 0, pc } if *object == lock && step.thread == thread => matches!(
            op,
            CondReacquire
                | MutexLock
                | MutexTimedLock
                | MutexTryLock
                | ReadLock
                | ReadTryLock
                | SpinLock
                | SpinTryLock
                | WriteLock
                | WriteTryLock
        )
        .then_some(*pc),
        _ => None,
    })
}
