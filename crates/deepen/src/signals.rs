//! Why nobody wakes a thread that waits for a signal when a run ends: what the last signal on its object did, and what the
//! thread had asked for before it waited. Of one that is parked: who took the last token that was left for it.

use gabion_trace::{Access, Blocked, Event, OpKind, ThreadId, Trace};

/// An operation of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) thread: ThreadId,
    pub(crate) op: OpKind,
    /// The index of its event.
    pub(crate) event: usize,
    pub(crate) pc: u64,
}

/// The last signal on what a thread waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LastSignal {
    pub(crate) signal: Deed,
    /// Whom it woke, and where these waited again, if they did.
    pub(crate) woke: Vec<(ThreadId, Option<Deed>)>,
    /// Did the thread wait already when it came?
    pub(crate) waited: bool,
}

/// What a thread read before it waited, since it took the lock: what it waits for, if it asked at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The event at which it waits.
    pub(crate) waits: usize,
    /// The last read, and its event.
    pub(crate) read: Option<(usize, Access)>,
    /// The first write of another thread to what was read, after that.
    pub(crate) changed: Option<Deed>,
}

/// Does the thread wait for a signal?
pub(crate) fn awaits_signal(blocked: &Blocked) -> bool {
    matches!(blocked.pending.op, OpKind::CondQueued | OpKind::FutexQueued)
}

/// The last signal on what a thread waits for; none if nobody has signalled it.
pub(crate) fn last_signal(trace: &Trace, blocked: &Blocked) -> Option<LastSignal> {
    use OpKind::{CondBroadcast, CondSignal, CondWait, FutexWait, FutexWake};
    let (me, object) = (blocked.pending.thread, blocked.pending.object);
    let mut last: Option<LastSignal> = None;
    let mut waits = false;
    for step in &trace.steps {
        for event in step.events.range() {
            let Event::Op { op, object: of, result, pc } = trace.events[event] else { continue };
            let deed = Deed { thread: step.thread, op, event, pc };
            match op {
                // With another result it did not wait.
                CondWait | FutexWait if of == object && result == 0 => {
                    waits |= step.thread == me;
                    let woken = last.iter_mut().flat_map(|last| &mut last.woke);
                    woken
                        .filter(|(thread, again)| *thread == step.thread && again.is_none())
                        .for_each(|w| w.1 = Some(deed));
                }
                CondSignal | CondBroadcast | FutexWake if of == object => {
                    let woke = woken(trace, step.events.range(), event);
                    let waited = waits;
                    waits &= !woke.contains(&me);
                    let woke = woke.into_iter().map(|thread| (thread, None)).collect();
                    last = Some(LastSignal { signal: deed, woke, waited });
                }
                _ => {}
            }
        }
    }
    last
}

/// What a thread asked for before it began to wait for a signal; none if the run does not tell. `counts`: does a read, by its
/// event, ask for anything of the program's?
pub(crate) fn asked(trace: &Trace, blocked: &Blocked, mut counts: impl FnMut(usize, &Access) -> bool) -> Option<Asked> {
    use OpKind::{CondReacquire, CondWait, FutexWait, MutexLock, MutexTimedLock, MutexTryLock, SpinLock, SpinTryLock};
    let (me, object) = (blocked.pending.thread, blocked.pending.object);
    let mut reads: Vec<(usize, Access)> = Vec::new();
    let mut found = None;
    let all = trace.steps.iter().flat_map(|step| step.events.range().map(|event| (step.thread, event)));
    for (_, event) in all.clone().filter(|(thread, _)| *thread == me) {
        match trace.events[event] {
            Event::Op { op: CondWait | FutexWait, object: of, result: 0, .. } if of == object => {
                found = Some((event, std::mem::take(&mut reads)));
            }
            Event::Op {
                op: MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock | CondReacquire,
                ..
            } => reads.clear(),
            // What it writes itself it does not wait for.
            Event::Access { access, .. } if access.kind.writes() => reads.retain(|(_, of)| !of.conflicts(&access)),
            Event::Access { access, .. } if access.kind.reads() && !access.kind.writes() => reads.push((event, access)),
            _ => {}
        }
    }
    let (waits, mut reads) = found?;
    reads.retain(|(event, read)| counts(*event, read));
    let writes = |(thread, event): (ThreadId, usize)| match trace.events[event] {
        Event::Access { access, .. } if thread != me && access.kind.writes() => {
            let after = |(read, of): &(usize, Access)| *read < event && of.conflicts(&access);
            let op = OpKind::Access;
            reads.iter().any(after).then_some(Deed { thread, op, event, pc: access.pc })
        }
        _ => None,
    };
    Some(Asked { waits, read: reads.last().copied(), changed: all.clone().find_map(writes) })
}

/// What became of the tokens of a thread that waits to be unparked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tokens {
    /// Nobody left one.
    None,
    /// The last was left here, and taken there.
    Taken {
        unpark: Deed,
        /// There was one already, and two are one.
        again: bool,
        park: Deed,
    },
}

/// What the run tells of them; none if that is not all: the first may have been there before the run began.
pub(crate) fn tokens(trace: &Trace, blocked: &Blocked) -> Option<Tokens> {
    use OpKind::{Park, ParkTimeout, Unpark};
    let (me, token) = (blocked.pending.thread, blocked.pending.object);
    let (mut last, mut known) = (None, Some(Tokens::None));
    for step in &trace.steps {
        for event in step.events.range() {
            let Event::Op { op, object, result, pc } = trace.events[event] else { continue };
            let deed = Deed { thread: step.thread, op, event, pc };
            match op {
                Unpark if object == token => (last, known) = (Some((deed, result != 0)), None),
                Park | ParkTimeout if object == token && step.thread == me && result == 0 => {
                    known = last.take().map(|(unpark, again)| Tokens::Taken { unpark, again, park: deed });
                }
                _ => {}
            }
        }
    }
    known
}

/// Whom a signal woke. A futex lets its waiters go before it is recorded, a condition variable afterwards.
fn woken(trace: &Trace, step: std::ops::Range<usize>, signal: usize) -> Vec<ThreadId> {
    let wake = |event: &Event| match event {
        Event::Wake { thread } => Some(*thread),
        _ => None,
    };
    match trace.events[signal] {
        Event::Op { result: 0, .. } => Vec::new(),
        Event::Op { op: OpKind::FutexWake, .. } => {
            trace.events[step.start..signal].iter().rev().map_while(wake).collect()
        }
        _ => trace.events[signal + 1..step.end].iter().map_while(wake).collect(),
    }
}
