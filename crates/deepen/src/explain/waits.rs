//! Why threads wait for ever.

use super::{Told, place};
use crate::Subject;
use crate::naming::Namer;
use crate::signals::{Deed, LastSignal, awaits_signal, last_signal};
use gabion_trace::{Blocked, OpKind, ThreadId};

impl Told<'_> {
    /// The circle of who waits for whom, or who waits for what nobody will do.
    pub(super) fn deadlock<S: Subject>(&self, namer: &mut Namer<'_, S>) -> Vec<String> {
        let blocked = &self.trace.blocked;
        let waits = |thread: ThreadId| blocked.iter().position(|b| b.pending.thread == thread);
        let circle = circle(blocked);
        let mut out = Vec::new();
        let line = |index: usize| self.waiting.get(index).map(|line| format!("{line}."));
        match circle.as_slice() {
            [] => {
                for (index, b) in blocked.iter().enumerate() {
                    out.extend(line(index));
                    out.extend(self.signalled(namer, b));
                }
                return out;
            }
            [alone] => {
                out.push(format!("{} waits for what it holds itself: it can never go on.", self.who(*alone)));
            }
            several => {
                let names: Vec<String> = several.iter().map(|thread| self.who(*thread)).collect();
                let (last, first) = names.split_last().expect("internal error: a circle of nobody");
                let names = format!("{} and {last}", first.join(", "));
                out.push(format!("{names} wait for each other in a circle: none of them can go on."));
            }
        }
        out.extend(circle.iter().filter_map(|thread| waits(*thread).and_then(line)));
        let locks = circle.iter().filter_map(|thread| waits(*thread)).all(|at| takes_lock(blocked[at].pending.op));
        let others = blocked.iter().enumerate().filter(|(_, b)| !circle.contains(&b.pending.thread));
        out.extend(others.filter_map(|(index, _)| line(index)));
        if circle.len() > 1 && locks {
            out.push("If all threads took these locks in the same order, there would be no circle.".into());
        }
        out
    }

    /// Of a thread that waits for a signal: what the last one did, or that there was none.
    fn signalled<S: Subject>(&self, namer: &mut Namer<'_, S>, blocked: &Blocked) -> Option<String> {
        if !awaits_signal(blocked) {
            return None;
        }
        let me = blocked.pending.thread;
        let name = namer.name(blocked.pending.object);
        let Some(LastSignal { signal, woke, waited }) = last_signal(self.trace, blocked) else {
            return Some(format!("Nobody signals {name} in this run."));
        };
        let mut at = |deed: Deed| place(&namer.stack(deed.pc, self.trace.access_stack(deed.event)));
        let (by, from) = (self.who(signal.thread), at(signal));
        if woke.is_empty() && !waited {
            return Some(format!("The wake-up is lost: {by} signalled {name}{from} before {} waited.", self.who(me)));
        }
        if let Some((_, Some(again))) = woke.iter().find(|(thread, _)| *thread == me) {
            let who = self.who(me);
            return Some(format!(
                "The last signal on {name}, by {by}{from}, woke {who}, which waited again{}.",
                at(*again)
            ));
        }
        let woken = woke.iter().map(|(thread, again)| match again {
            Some(again) => format!("{}, which waited again{}", self.who(*thread), at(*again)),
            None => self.who(*thread),
        });
        let woken = woken.collect::<Vec<_>>().join(", and ");
        let who = self.who(me);
        Some(match (waited, woke.as_slice()) {
            (_, []) => format!("The last signal on {name}, by {by}{from}, did not wake {who}."),
            (false, _) => {
                format!("The last signal on {name}, by {by}{from}, came before {who} waited and woke {woken}.")
            }
            (true, _) if signal.op == OpKind::CondSignal => {
                format!(
                    "The last signal on {name}, by {by}{from}, did not wake {who} but {woken}; a broadcast wakes all that wait."
                )
            }
            (true, _) => format!("The last signal on {name}, by {by}{from}, did not wake {who} but {woken}."),
        })
    }
}

/// Who waits for whom in a circle, from the lowest thread on; empty: nobody.
fn circle(blocked: &[Blocked]) -> Vec<ThreadId> {
    let holder = |thread: ThreadId| blocked.iter().find(|b| b.pending.thread == thread)?.holder;
    let around = |first: ThreadId| {
        let mut members = vec![first];
        while let Some(next) = holder(*members.last()?) {
            if next == first {
                return Some(members);
            }
            if members.contains(&next) {
                return None;
            }
            members.push(next);
        }
        None
    };
    let mut threads: Vec<ThreadId> = blocked.iter().map(|b| b.pending.thread).collect();
    threads.sort_unstable();
    threads.into_iter().find_map(around).unwrap_or_default()
}

fn takes_lock(op: OpKind) -> bool {
    use OpKind::{CondReacquire, MutexLock, ReadLock, SpinLock, WriteLock};
    matches!(op, MutexLock | SpinLock | ReadLock | WriteLock | CondReacquire)
}
