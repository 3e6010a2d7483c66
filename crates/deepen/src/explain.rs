//! How a failure came about, in sentences: from what the failing run did, never from guesses about the source.

mod accesses;
mod block;
mod hidden;
mod misuse;
mod thrown;
mod waits;

use crate::evidence::waiting_sites;
use crate::finding::Kind;
use crate::naming::{Namer, location, who};
use accesses::Reader;
use gabion_trace::{Event, Frame, NamedStep, NamedWitness, Outcome, Switch, ThreadId, Trace, Waiting, rounds};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Steps of a repeating part that are told.
const REPEATED: usize = 8;

/// A failing run with its names.
pub(crate) struct Told<'a> {
    pub(crate) kind: Kind,
    /// What the failure says.
    pub(crate) message: &'a str,
    pub(crate) trace: &'a Trace,
    pub(crate) outcome: &'a Outcome,
    pub(crate) steps: &'a [NamedStep],
    pub(crate) threads: &'a [String],
    pub(crate) waiting: &'a [String],
    pub(crate) witnesses: &'a [NamedWitness],
    pub(crate) location: Option<&'a Frame>,
    /// Of the failing thread, innermost first.
    pub(crate) stack: &'a [Frame],
    /// The closest run that does not fail, if there is one.
    pub(crate) passing: Option<&'a Trace>,
    /// What is known of the run's switches.
    pub(crate) switches: &'a [Switch],
    /// What is spoken of: filled in on the way.
    pub(crate) spoken_of: RefCell<SpokenOf>,
}

/// What an explanation speaks of.
#[derive(Debug, Default)]
pub(crate) struct SpokenOf {
    pub(crate) steps: BTreeSet<usize>,
    pub(crate) events: BTreeSet<usize>,
}

impl SpokenOf {
    /// The instructions of the accesses.
    pub(crate) fn instructions(&self, trace: &Trace) -> BTreeSet<u64> {
        let accesses = self.events.iter().filter_map(|event| trace.events[*event].as_access());
        accesses.map(|access| access.pc).collect()
    }
}

impl Told<'_> {
    /// The sentences.
    pub(crate) fn explanation(&self, namer: &mut Namer<'_>) -> Vec<String> {
        self.speak_of_block();
        let mut told = self.by_kind(namer);
        // Told with its two accesses, once these are known.
        if told.is_empty() && self.kind != Kind::Race {
            told.extend(self.last_step());
        }
        told
    }

    /// The step that an event is part of, which is spoken of.
    fn step_of(&self, event: usize) -> Option<usize> {
        let step = self.trace.steps.iter().position(|step| step.events.range().contains(&event))?;
        let mut spoken_of = self.spoken_of.borrow_mut();
        spoken_of.steps.insert(step);
        spoken_of.events.insert(event);
        Some(step)
    }

    /// Is it told by what the failing thread read?
    pub(crate) fn is_by_accesses(&self) -> bool {
        use Kind::{Deadlock, DoubleFree, InfiniteLoop, Leak, Livelock, Race, UseAfterFree};
        !matches!(self.kind, Deadlock | Livelock | InfiniteLoop | UseAfterFree | DoubleFree | Race | Leak)
    }

    fn by_kind(&self, namer: &mut Namer<'_>) -> Vec<String> {
        match self.kind {
            Kind::Deadlock => self.deadlock(namer),
            Kind::Livelock => match self.spins(namer) {
                told if told.is_empty() => self.repeats().into_iter().collect(),
                told => told,
            },
            Kind::InfiniteLoop => self.spins(namer),
            Kind::UseAfterFree | Kind::DoubleFree => self.freed(),
            Kind::Race => Vec::new(),
            Kind::Leak => self.leaked(namer),
            Kind::Abort | Kind::UncaughtException => {
                let reader = self.first_thrower(namer).unwrap_or_else(|| self.failing());
                self.thrown(namer).into_iter().chain(self.accesses(namer, &reader)).collect()
            }
            Kind::LockMisuse => self.misused(namer).into_iter().chain(self.accesses(namer, &self.failing())).collect(),
            _ => self.accesses(namer, &self.failing()),
        }
    }

    /// Who failed.
    fn failing(&self) -> Reader {
        Reader { thread: self.outcome.thread, stack: self.stack.to_vec(), steps: self.steps.len() }
    }

    fn who(&self, thread: ThreadId) -> String {
        who(thread, self.threads)
    }

    /// What each thread that waits in a loop reads there, again and again.
    fn spins(&self, namer: &mut Namer<'_>) -> Vec<String> {
        let mut out = Vec::new();
        for waiting in &self.trace.waiting {
            let mut reads = Vec::new();
            let sites = waiting_sites(self.trace, waiting.thread);
            for read in &waiting.reads {
                let words = format!("{}{}", namer.name_of(read, usize::MAX), place(&namer.stack(read.pc, sites)));
                if !reads.contains(&words) {
                    reads.push(words);
                }
            }
            let (who, reads) = (self.who(waiting.thread), reads.join(", "));
            let changes = self.changers(waiting);
            out.push(match changes.is_empty() {
                true => format!("{who} reads {reads} again and again, and nobody is left to change that."),
                false => {
                    format!(
                        "{who} reads {reads} again and again; {} changes that, round after round.",
                        changes.join(", ")
                    )
                }
            });
        }
        out
    }

    /// Who writes, in what repeats, something that a thread which waits in a loop reads there.
    fn changers(&self, waiting: &Waiting) -> Vec<String> {
        let writes = |step: &usize| {
            let accesses = self.trace.events(&self.trace.steps[*step]).iter().filter_map(Event::as_access);
            accesses.into_iter().any(|access| waiting.reads.iter().any(|read| read.conflicts(&access)))
        };
        let others = rounds(self.steps, self.outcome.thread).into_iter().filter(|round| round.thread != waiting.thread);
        others.filter(|round| round.steps.iter().any(writes)).map(|round| self.who(round.thread)).collect()
    }

    /// The part of the run that repeats, once.
    fn repeats(&self) -> Option<String> {
        let mut part: Vec<usize> =
            rounds(self.steps, self.outcome.thread).into_iter().flat_map(|round| round.steps).collect();
        part.sort_unstable();
        let told = part.iter().map(|index| &self.steps[*index]).take(REPEATED);
        let words: Vec<String> = told.map(|step| format!("{} {}", self.who(step.thread), step.what)).collect();
        let more = if part.len() > REPEATED { format!("; and {} more", part.len() - REPEATED) } else { String::new() };
        let steps = match part.len() {
            0 => return None,
            1 => "This step repeats".to_string(),
            n => format!("These {n} steps repeat"),
        };
        Some(format!("{steps}: {}{more}.", words.join("; ")))
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
        let begins = place(&step.stack);
        let last = self.location.map(|frame| place(std::slice::from_ref(frame))).filter(|last| *last != begins);
        let ends = match last.filter(|_| self.kind == Kind::InfiniteLoop) {
            Some(last) => format!(", and does not end: it was seen{last} last"),
            None if self.kind == Kind::InfiniteLoop => ", and does not end".to_string(),
            None => String::new(),
        };
        Some(format!("The last step of {who} begins with {:?}{begins}{ends}.", step.what))
    }
}

/// What a denied race means, and what would order it.
pub(crate) fn race(message: &str, would_order: Option<&str>) -> Vec<String> {
    let by_orders = would_order.map(|orders| format!("{}.", orders.replacen("the ", "The ", 1)));
    let in_general = || {
        "A lock that both hold, a join, a signal or an atomic that one waits for would order them; accesses that are all \
         atomic do not race."
            .to_string()
    };
    vec![format!("{}.", message.replacen("nothing orders", "Nothing orders", 1)), by_orders.unwrap_or_else(in_general)]
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
