//! Why threads wait for ever.

use super::{Told, place};
use crate::conflicts::{left_behind, met};
use crate::holders::holders;
use crate::naming::Namer;
use crate::signals::{Deed, LastSignal, Tokens, asked, awaits_signal, last_signal, tokens};
use gabion_trace::{Access, Blocked, OpKind, ThreadId};

impl Told<'_> {
    /// The circle of who waits for whom, or who waits for what nobody will do.
    pub(super) fn deadlock(&self, namer: &mut Namer<'_>) -> Vec<String> {
        let blocked = &self.trace.blocked;
        let waits = |thread: ThreadId| blocked.iter().position(|b| b.pending.thread == thread);
        let circle = circle(blocked);
        blocked
            .iter()
            .flat_map(|b| holders(self.trace, b.pending.object))
            .for_each(|held| _ = self.step_of(held.event));
        let mut out = Vec::new();
        let line = |index: usize| self.waiting.get(index).map(|line| format!("{line}."));
        match circle.as_slice() {
            [] => {
                for (index, b) in blocked.iter().enumerate() {
                    out.extend(line(index));
                    out.extend(self.signalled(namer, b));
                    out.extend(self.unparked(namer, b));
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
    fn signalled(&self, namer: &mut Namer<'_>, blocked: &Blocked) -> Option<String> {
        if !awaits_signal(blocked) {
            return None;
        }
        let me = blocked.pending.thread;
        let name = namer.name(blocked.pending.object);
        let asked = asked(self.trace, blocked, |event, read| !self.is_poison(namer, event, read));
        let changed = asked.as_ref().and_then(|asked| asked.changed);
        let Some(LastSignal { signal, woke, waited }) = last_signal(self.trace, blocked) else {
            let changed = changed.map(|by| {
                format!(", although {} changes what it asked for{}", self.who(by.thread), self.by(namer, by))
            });
            return Some(format!("Nobody signals {name} in this run{}.", changed.unwrap_or_default()));
        };
        let by = self.who(signal.thread);
        // The signal would not have helped: it would have waited again, and did if it was woken.
        let in_vain = asked.as_ref().filter(|asked| asked.changed.is_none()).and_then(|asked| asked.read);
        let in_vain = in_vain.map(|(event, read)| self.unchanged(namer, me, event, &read));
        if woke.is_empty() && !waited {
            let (at, who) = (self.by(namer, signal) + &self.in_step(signal.event), self.who(me));
            let waits = asked.as_ref().map_or(String::new(), |asked| self.in_step(asked.waits));
            let before = format!("{by} signalled {name}{at} before {who} waited{waits}.");
            if let Some(late) = changed.filter(|late| late.event > signal.event) {
                let (changer, where_) = (self.who(late.thread), self.by(namer, late));
                return Some(format!(
                    "{before} {changer} changes what {who} asked for only later{where_}, and nobody signals {name} then."
                ));
            }
            return Some(in_vain.map_or(format!("The wake-up is lost: {before}"), |why| format!("{before} {why}")));
        }
        let from = self.by(namer, signal);
        let mut at = |deed: Deed| self.by(namer, deed);
        if let Some((_, Some(again))) = woke.iter().find(|(thread, _)| *thread == me) {
            let who = self.who(me);
            let woken =
                format!("The last signal on {name}, by {by}{from}, woke {who}, which waited again{}.", at(*again));
            return Some(in_vain.map_or(woken.clone(), |why| format!("{woken} {why}")));
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

impl Told<'_> {
    /// Is it whether a lock of Rust's library is poisoned that a read asks for? Every `lock()` does.
    fn is_poison(&self, namer: &mut Namer<'_>, event: usize, read: &Access) -> bool {
        let functions = namer.functions(read.pc, self.trace.access_stack(event));
        functions.iter().any(|function| function.contains("sync::poison::Flag"))
    }

    /// Of a thread that waits to be unparked: who did that last, and what it came to.
    fn unparked(&self, namer: &mut Namer<'_>, blocked: &Blocked) -> Option<String> {
        if blocked.pending.op != OpKind::Park || !namer.parks_itself(self.trace, blocked) {
            return None;
        }
        let who = self.who(blocked.pending.thread);
        let Tokens::Taken { unpark, again, park } = tokens(self.trace, blocked)? else {
            return Some(format!("Nobody unparks {who} in this run."));
        };
        let by = self.who(unpark.thread);
        let left = self.by(namer, unpark) + &self.in_step(unpark.event);
        let taken = self.by(namer, park) + &self.in_step(park.event);
        let again = if again { ", when there was a token already, and two are no more than one" } else { "" };
        Some(format!(
            "{by} unparked {who} last{left}{again}. Its earlier park{taken} used up that token, and nobody unparks it again."
        ))
    }

    fn by(&self, namer: &mut Namer<'_>, deed: Deed) -> String {
        self.step_of(deed.event);
        place(&namer.stack(deed.pc, self.trace.access_stack(deed.event)))
    }

    /// That what a thread asked for is still as it was then.
    fn unchanged(&self, namer: &mut Namer<'_>, who: ThreadId, event: usize, read: &Access) -> String {
        let found = met(self.trace, &left_behind(self.trace)).get(&event).copied();
        let found = found.and_then(|found| namer.value(found, read.size, event));
        let found = found.map_or(String::new(), |found| format!(" ({found})"));
        let (who, name, step) = (self.who(who), namer.name_of(read, event), self.in_step(event));
        format!("What {who} asked for before it waited, {name}{found}{step}, nobody has changed since.")
    }

    /// ` (step 7)`
    fn in_step(&self, event: usize) -> String {
        self.step_of(event).map_or(String::new(), |step| format!(" (step {})", step + 1))
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
