//! How a failure came about, in sentences: from what the failing run did, never from guesses about the source.

use crate::Subject;
use crate::evidence::waiting_sites;
use crate::finding::Kind;
use crate::naming::{Namer, location, who};
use gabion_trace::{Blocked, Event, Frame, NamedAccess, NamedStep, NamedWitness, OpKind, Outcome, ThreadId, Trace};

/// Steps of a repeating part that are told.
const REPEATED: usize = 8;
/// Longest repeating part that is looked for.
const LONGEST: usize = 200;

/// A failing run with its names.
pub(crate) struct Told<'a> {
    pub(crate) kind: Kind,
    pub(crate) trace: &'a Trace,
    pub(crate) outcome: &'a Outcome,
    pub(crate) steps: &'a [NamedStep],
    pub(crate) threads: &'a [String],
    pub(crate) waiting: &'a [String],
    pub(crate) witnesses: &'a [NamedWitness],
    pub(crate) location: Option<&'a Frame>,
}

impl Told<'_> {
    /// The sentences.
    pub(crate) fn explanation<S: Subject>(&self, namer: &mut Namer<'_, S>) -> Vec<String> {
        let mut told = self.by_kind(namer);
        // Told with its two accesses, once these are known.
        if told.is_empty() && self.kind != Kind::Race {
            told.extend(self.last_step());
        }
        told
    }

    fn by_kind<S: Subject>(&self, namer: &mut Namer<'_, S>) -> Vec<String> {
        match self.kind {
            Kind::Deadlock => self.deadlock(namer),
            Kind::Livelock | Kind::InfiniteLoop => self.spins(namer).into_iter().chain(self.repeats()).collect(),
            Kind::UseAfterFree | Kind::DoubleFree => self.freed(),
            Kind::Race => Vec::new(),
            Kind::BadFree | Kind::HeapOverflow | Kind::LockMisuse | Kind::Leak => self.made_it().into_iter().collect(),
            _ => self.accesses(),
        }
    }

    fn who(&self, thread: ThreadId) -> String {
        who(thread, self.threads)
    }

    /// The circle of who waits for whom, or who waits for what nobody will do.
    fn deadlock<S: Subject>(&self, namer: &mut Namer<'_, S>) -> Vec<String> {
        let blocked = &self.trace.blocked;
        let waits = |thread: ThreadId| blocked.iter().position(|b| b.pending.thread == thread);
        let circle = circle(blocked);
        let mut out = Vec::new();
        let line = |index: usize| self.waiting.get(index).map(|line| format!("{line}."));
        match circle.as_slice() {
            [] => {
                for (index, b) in blocked.iter().enumerate() {
                    out.extend(line(index));
                    out.extend(self.lost_signal(namer, b));
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

    /// Of a thread that waits for a signal: the last one was sent before it waited, or none ever was.
    fn lost_signal<S: Subject>(&self, namer: &mut Namer<'_, S>, blocked: &Blocked) -> Option<String> {
        use OpKind::{CondBroadcast, CondQueued, CondSignal, CondWait, FutexQueued, FutexWait, FutexWake};
        if !matches!(blocked.pending.op, CondQueued | FutexQueued) {
            return None;
        }
        let (me, object) = (blocked.pending.thread, blocked.pending.object);
        let mut waited = None;
        let mut signal = None;
        for (index, step) in self.trace.steps.iter().enumerate() {
            for event in step.events.range() {
                match self.trace.events[event] {
                    Event::Op { op: CondWait | FutexWait, object: of, .. } if of == object && step.thread == me => {
                        waited = Some(index);
                    }
                    Event::Op { op: CondSignal | CondBroadcast | FutexWake, object: of, pc, .. } if of == object => {
                        signal = Some((index, step.thread, pc, event));
                    }
                    _ => {}
                }
            }
        }
        let name = namer.name(object);
        let Some((index, by, pc, event)) = signal else {
            return Some(format!("Nobody signals {name} in this run."));
        };
        let at = place(&namer.stack(pc, self.trace.access_stack(event)));
        let by = self.who(by);
        Some(if waited.is_some_and(|waited| index < waited) {
            format!("The wake-up is lost: {by} signalled {name}{at} before {} waited.", self.who(me))
        } else {
            format!("The last signal on {name}, by {by}{at}, did not wake {}.", self.who(me))
        })
    }

    /// What each thread that waits in a loop reads there, again and again.
    fn spins<S: Subject>(&self, namer: &mut Namer<'_, S>) -> Vec<String> {
        let mut out = Vec::new();
        for waiting in &self.trace.waiting {
            let mut reads = Vec::new();
            let sites = waiting_sites(self.trace, waiting.thread);
            for read in &waiting.reads {
                let words = format!("{}{}", namer.name(read.address), place(&namer.stack(read.pc, sites)));
                if !reads.contains(&words) {
                    reads.push(words);
                }
            }
            let who = self.who(waiting.thread);
            out.push(format!("{who} reads {} again and again, and nobody is left to change that.", reads.join(", ")));
        }
        out
    }

    /// The part of the run that repeats, once.
    fn repeats(&self) -> Option<String> {
        let told = |step: &NamedStep| (step.thread, step.what.clone());
        let last: Vec<_> = self.steps.iter().rev().take(2 * LONGEST).map(told).collect();
        let period = (1..=last.len() / 2).find(|n| last[..*n] == last[*n..2 * n])?;
        let part = &self.steps[self.steps.len() - period..];
        let words = part.iter().take(REPEATED).map(|step| format!("{} {}", self.who(step.thread), step.what));
        let more = if period > REPEATED { format!("; and {} more", period - REPEATED) } else { String::new() };
        let steps = if period == 1 { "This step repeats".into() } else { format!("These {period} steps repeat") };
        Some(format!("{steps}: {}{more}.", words.collect::<Vec<_>>().join("; ")))
    }

    /// Allocation, free, access, in this order.
    fn freed(&self) -> Vec<String> {
        let mut parts: Vec<String> = self.witnesses.iter().map(|w| format!("{}{}", w.what, place(&w.stack))).collect();
        let deed = if self.kind == Kind::DoubleFree { "freed again" } else { "used" };
        let at = self.location.map_or(String::new(), |frame| place(std::slice::from_ref(frame)));
        parts.push(format!("{deed} by {}{at}", self.who(self.outcome.thread)));
        vec![format!("The memory was {}.", parts.join(", then "))]
    }

    /// What the failing thread did last, where nothing else explains the failure.
    fn last_step(&self) -> Option<String> {
        let own = |step: &&NamedStep| step.thread == self.outcome.thread && !["exit", "end"].contains(&&*step.what);
        let who = self.who(self.outcome.thread);
        let Some(step) = self.steps.iter().rev().find(own) else {
            let last = self.steps.last()?;
            let (other, at) = (self.who(last.thread), place(&last.stack));
            return Some(format!("{who} fails before its first step, right after {other} did {:?}{at}.", last.what));
        };
        let ends = if self.kind == Kind::InfiniteLoop { ", and does not end" } else { "" };
        Some(format!("The last step of {who} begins with {:?}{}{ends}.", step.what, place(&step.stack)))
    }

    /// What the failing thread read, who wrote that, and what came between accesses that belong together.
    fn accesses(&self) -> Vec<String> {
        let mut out: Vec<String> = self.made_it().into_iter().collect();
        out.extend(self.came_between());
        out
    }

    /// The last access of the failing thread to what another thread has touched before.
    fn made_it(&self) -> Option<String> {
        let own = self.steps.iter().rev().filter(|step| step.thread == self.outcome.thread);
        let conflicting = own.flat_map(|step| step.accesses.iter().rev());
        let access = conflicting.into_iter().find(|access| access.with.is_some())?;
        let with = &self.steps[access.with?];
        let conflicts =
            |other: &&NamedAccess| other.object == access.object && (access.what != "read" || other.what != "read");
        let theirs = with.accesses.iter().find(conflicts)?;
        let met = access.before.as_ref().map_or(String::new(), |value| format!(" and finds {value}"));
        Some(format!(
            "{} {}s {}{}{met}; before that {} {} it{}.",
            self.who(self.outcome.thread),
            access.what,
            access.object,
            place(&access.stack),
            self.who(with.thread),
            past(&theirs.what),
            place(&theirs.stack),
        ))
    }

    /// Two accesses of one thread to the same object, and one of another thread that came between them and cannot be moved
    /// before or after both: the last of the run (the unserialisable cases of Lu et al. 2006).
    fn came_between(&self) -> Option<String> {
        let all: Vec<(usize, ThreadId, &NamedAccess)> = self
            .steps
            .iter()
            .enumerate()
            .flat_map(|(index, step)| step.accesses.iter().map(move |access| (index, step.thread, access)))
            .collect();
        for (at, second) in all.iter().enumerate().rev() {
            let same = |other: &&(usize, ThreadId, &NamedAccess)| other.2.object == second.2.object;
            let before = all[..at].iter().rev().filter(same);
            let Some(first) = before.clone().find(|other| other.1 == second.1) else { continue };
            let between = before.take_while(|other| other.0 > first.0).filter(|other| other.1 != second.1);
            let reads = |access: &NamedAccess| access.what == "read";
            let effect =
                |other: &&(usize, ThreadId, &NamedAccess)| match (reads(first.2), reads(other.2), reads(second.2)) {
                    (true, false, true) => Some("changes it"),
                    // An update knows what it finds, whoever left that.
                    (true, false, false) if second.2.what == "update" => Some("changes it"),
                    (true, false, false) => Some("is overwritten by what knows nothing of it"),
                    (false, true, false) => Some("sees what is only half done"),
                    (false, false, true) => Some("replaces what was to be read back"),
                    _ => None,
                };
            let found = between.filter_map(|other| Some((other, effect(&other)?))).last();
            let Some((other, effect)) = found else { continue };
            return Some(format!(
                "The {} of {} by {}{} and its {}{} belong together: the {} by {}{} came between and {effect}.",
                first.2.what,
                second.2.object,
                self.who(second.1),
                place(&first.2.stack),
                second.2.what,
                place(&second.2.stack),
                other.2.what,
                self.who(other.1),
                place(&other.2.stack),
            ));
        }
        None
    }
}

/// What a denied race means, and what would order it.
pub(crate) fn race(message: &str) -> Vec<String> {
    vec![
        format!("{}.", message.replacen("nothing orders", "Nothing orders", 1)),
        "A lock that both hold, a join, a signal or an atomic that one waits for would order them; accesses that are all \
         atomic do not race."
            .into(),
    ]
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

fn past(what: &str) -> &'static str {
    match what {
        "read" => "read",
        "write" => "wrote",
        "update" => "updated",
        _ => "freed",
    }
}

/// ` at file:line`, or nothing.
fn place(stack: &[Frame]) -> String {
    Frame::place(stack).and_then(location).map_or(String::new(), |at| format!(" at {at}"))
}
