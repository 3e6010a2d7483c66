//! Findings: a failing run, confirmed, named and ready for a file.

use crate::HappensBefore;
use crate::Subject;
use crate::conflicts::name_spoken_of;
use crate::evidence::{evidence, failing_sites, in_short, waiting_sites};
use crate::explain::{Told, race as explain_race};
use crate::failure::{Failure, PANICKED};
pub use crate::kind::Kind;
use crate::naming::{Namer, location};
use crate::panic::raised;
use crate::races::Candidate;
use gabion_trace::{
    Blocked, Coverage, Ending, FORMAT_VERSION, Frame, NamedStep, NamedWitness, OpKind, Outcome, Plan, PlanId, Program,
    Recording, Role, Statistics, Tail, ThreadId, Trace, TraceFile, rounds,
};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A bug.
#[derive(Debug, serde::Serialize, serde::Deserialize, Clone)]
pub struct Finding {
    /// What kind.
    pub kind: Kind,
    /// Was it judged by a limit or a likeness rather than seen?
    pub heuristic: bool,
    /// In words.
    pub message: String,
    /// `file:line`, if known.
    pub location: Option<String>,
    /// Threads that took part.
    pub threads: usize,
    /// Switches away from a thread that could have gone on.
    pub preemptions: usize,
    /// Steps of the run.
    pub steps: u64,
    /// Failing runs that show this bug.
    pub seen: u64,
    /// The run, as a file.
    pub trace: TraceFile,
    pub(crate) signature: Signature,
    /// The instructions whose accesses it is explained by.
    #[serde(default)]
    pub(crate) explained_by: BTreeSet<u64>,
}

/// What tells bugs apart: kind, place and stacks. Two threads that do the same are the same bug.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub(crate) struct Signature {
    kind: Kind,
    pc: u64,
    stack: Vec<u64>,
    waits: BTreeSet<(u64, u8, Vec<u64>)>,
}

impl Finding {
    /// Is one of two racing instructions, the lower first, in its explanation, or their race what is wrong?
    pub(crate) fn is_explained_by(&self, (low, high): (u64, u64)) -> bool {
        self.signature.race() == Some((low, high)) || [low, high].iter().any(|pc| self.explained_by.contains(pc))
    }

    /// The finding of a run that did not fail: what is wrong with it is the race.
    pub(crate) fn tell_race(&mut self, race: &Candidate, relation: HappensBefore) {
        let named = HappensBefore::NAMES.iter().find(|(_, known)| *known == relation);
        self.trace.relation = named.map(|(name, _)| (*name).to_string());
        let second = &race.racers[1];
        self.message = race.message();
        self.location = Some(second.location());
        self.trace.message.clone_from(&self.message);
        self.trace.location = Frame::place(&second.stack).cloned();
        self.trace.stack.clone_from(&second.stack);
        self.trace.outcome.thread = second.thread;
        let first = &race.racers[0];
        let what = format!("the other access: {} by {}", first.what, first.who());
        self.trace.witnesses.push(NamedWitness { what, stack: first.stack.clone() });
        self.trace.explanation = explain_race(&self.message, race.would_order.as_deref());
    }
}

impl Signature {
    pub(crate) fn of(kind: Kind, trace: &Trace) -> Self {
        // A deadlock is where its threads wait; which of them came last is no part of it.
        let panicked = kind == Kind::Panic || kind == Kind::Exit && trace.outcome.code == PANICKED;
        let (pc, stack) = match kind {
            kind if kind.is_wait() && !trace.blocked.is_empty() => (0, Vec::new()),
            // The process ends elsewhere. Which panics were caught or passed on in between is not known here.
            _ if panicked && raised(trace).next().is_some() => {
                let ends = [raised(trace).next(), raised(trace).last()];
                (
                    0,
                    ends.into_iter()
                        .flatten()
                        .flat_map(|w| [w.pc].into_iter().chain(w.stack.iter().copied()))
                        .collect(),
                )
            }
            // At which of the loop's instructions the limit was reached is no part of it either.
            Kind::InfiniteLoop => (0, call_sites(trace)),
            _ => (trace.outcome.pc, call_sites(trace)),
        };
        let wait = |b: &Blocked| {
            let sites = waiting_sites(trace, b.pending.thread);
            (b.pending.pc, b.pending.op as u8, sites.to_vec())
        };
        let blocked = trace.blocked.iter().filter(|_| kind.is_wait());
        Signature { kind, pc, stack, waits: blocked.map(wait).collect() }
    }

    /// The instructions where it failed, or where threads wait, with the call sites above; of a race the two that race.
    pub(crate) fn instructions(&self) -> impl Iterator<Item = u64> + '_ {
        let waits = self.waits.iter().flat_map(|(pc, _, sites)| [*pc].into_iter().chain(sites.iter().copied()));
        [self.pc].into_iter().chain(self.stack.iter().copied()).chain(waits)
    }

    /// Of a race, its two instructions, the lower first.
    pub(crate) fn race(&self) -> Option<(u64, u64)> {
        let second = self.stack.first().filter(|_| self.kind == Kind::Race)?;
        Some((self.pc, *second))
    }

    /// A race is its two instructions.
    pub(crate) fn of_race(race: &Candidate) -> Self {
        let [first, second] = &race.racers;
        let stack = vec![first.pc.max(second.pc)];
        Signature { kind: Kind::Race, pc: first.pc.min(second.pc), stack, waits: BTreeSet::new() }
    }
}

/// Call sites above the failing instruction: as the runtime said, else those of the thread's last recorded step.
fn call_sites(trace: &Trace) -> Vec<u64> {
    if let Some(sites) = failing_sites(trace) {
        return sites.to_vec();
    }
    let last = trace.steps.iter().rev().find(|step| step.thread == trace.outcome.thread);
    last.map(|step| trace.stack(step).to_vec()).unwrap_or_default()
}

/// The plan that repeats a run to the last choice.
pub(crate) fn replay_plan(plan: &Plan, trace: &Trace, recording: Recording) -> Plan {
    Plan {
        id: PlanId(0),
        choices: trace.choices(),
        sleepers: Vec::new(),
        tail: Tail::Default,
        recording,
        ..plan.clone()
    }
}

/// A failing run that was repeated, with all that is to be recorded of it.
pub(crate) struct Confirmed<'a> {
    /// The run as the search saw it. How it ended is told from here: a run that records values reads them just before
    /// the program does, so a wild pointer faults in the runtime there.
    pub(crate) first: &'a Trace,
    /// The run in a fresh process.
    pub(crate) again: &'a Trace,
    /// The plan of that.
    pub(crate) plan: Plan,
    /// What the program printed.
    pub(crate) output: String,
}

/// Names a confirmed failing run.
pub(crate) fn describe(
    subject: &mut dyn Subject,
    program: &Program,
    run: Confirmed<'_>,
    signature: Signature,
) -> Finding {
    let hash = subject.program_hash();
    let kind = signature.kind;
    let trace = run.again;
    let mut namer = Namer::of(subject, trace);
    let mut steps = namer.steps(trace);
    let threads = namer.threads(trace, &steps);
    let mut outcome = run.first.outcome.clone();
    // Of a livelock the thread is told that waits in a loop, if one does.
    if kind == Kind::Livelock && trace.waiting.iter().all(|waiting| waiting.thread != outcome.thread) {
        outcome.thread = trace.waiting.first().map_or(outcome.thread, |waiting| waiting.thread);
    }
    let stack = failing_stack(&mut namer, trace, &steps, &outcome, kind);
    let waiting: Vec<String> = trace.blocked.iter().map(|b| namer.waiting(trace, b, &threads)).collect();
    let blocked = trace.blocked.iter().map(|b| namer.wait(trace, b)).collect();
    let witnesses = evidence(&mut namer, trace, &threads);
    let message = match kind {
        Kind::Livelock => livelock(&mut namer, trace, &outcome, &threads),
        _ => message(&outcome, &run.plan, trace),
    } + &in_short(&witnesses);
    let place = Frame::place(&stack).cloned();
    let failure = Failure { kind, message, thread: outcome.thread, stack, place, step: None };
    let failure = failure.told(&mut namer, trace, &run.output, outcome.code);
    let Failure { kind, message, stack, place: frame, step: failed_in, .. } = failure;
    outcome.thread = failure.thread;
    // Who ends the program has nothing to do with it.
    if let Some(allocated) = trace.witnesses.iter().find(|w| kind == Kind::Leak && w.role == Role::Allocated) {
        outcome.thread = allocated.thread;
    }
    let told = Told {
        kind,
        message: &message,
        trace,
        outcome: &outcome,
        steps: failed_in.map_or(&steps[..], |step| &steps[..=step]),
        threads: &threads,
        waiting: &waiting,
        witnesses: &witnesses,
        location: frame.as_ref(),
        stack: &stack,
        passing: None,
        switches: &[],
        spoken_of: RefCell::default(),
    };
    let mut explanation = told.explanation(&mut namer);
    if trace.coverage.has(Coverage::FREED_HELD) {
        explanation.push("A block was freed while a thread held a lock in it, which misuses that lock.".into());
    }
    let spoken_of = told.spoken_of.into_inner();
    name_spoken_of(&mut namer, trace, &mut steps, &spoken_of.events);
    let mut explained_by = spoken_of.instructions(trace);
    // Memory that must not be touched is told with who touched it.
    explained_by
        .extend(matches!(kind, Kind::UseAfterFree | Kind::DoubleFree | Kind::HeapOverflow).then_some(outcome.pc));
    let took_part: BTreeSet<ThreadId> = trace.steps.iter().map(|step| step.thread).collect();
    Finding {
        kind,
        heuristic: is_heuristic(&outcome),
        location: frame.as_ref().and_then(location),
        threads: if took_part.is_empty() { trace.threads.len() } else { took_part.len() },
        preemptions: trace.preemptions(),
        steps: trace.length.max(steps.len() as u64),
        seen: 1,
        signature,
        explained_by,
        trace: TraceFile {
            format: FORMAT_VERSION,
            gabion: env!("CARGO_PKG_VERSION").to_string(),
            command: Vec::new(),
            program: Program { hash, ..program.clone() },
            variables: namer.variables(&run.plan),
            plan: Plan { program: hash, recording: Recording::Hash, fresh: false, ..run.plan },
            hash: trace.hash,
            outcome,
            failed_in,
            kind: kind.name().to_string(),
            message: message.clone(),
            location: frame,
            stack,
            witnesses,
            relation: None,
            waiting,
            blocked,
            threads,
            steps,
            preemptions: trace.preemptions(),
            left_in_loops: trace.left_in_loops(),
            output: run.output,
            explanation,
            spoken_of: spoken_of.steps.into_iter().collect(),
            minimisation: None,
            races: Vec::new(),
            statistics: Statistics::default(),
            sources: BTreeMap::new(),
        },
        message,
    }
}

/// For a deadlock, where one of the threads in it waits: in the program's own code, if one does (the main thread of a test
/// waits in the harness); a join that waits for one of those explains nothing. For a livelock, what the thread that is shown
/// to fail asks for again and again.
fn failing_stack(
    namer: &mut Namer<'_>,
    trace: &Trace,
    steps: &[NamedStep],
    outcome: &Outcome,
    kind: Kind,
) -> Vec<Frame> {
    let joins = |b: &Blocked| matches!(b.pending.op, OpKind::Join | OpKind::ScopeJoin);
    if kind == Kind::Livelock {
        let own = trace.waiting.iter().find(|waiting| waiting.thread == outcome.thread);
        let repeats = rounds(steps, outcome.thread).into_iter().find(|round| round.thread == outcome.thread);
        return match (own.and_then(|waiting| waiting.reads.first()), repeats) {
            (Some(read), _) => namer.stack(read.pc, waiting_sites(trace, outcome.thread)),
            (None, Some(round)) => steps[round.steps[0]].stack.clone(),
            (None, None) => namer.stack(outcome.pc, &call_sites(trace)),
        };
    }
    let foreign = |stack: &[Frame]| Frame::place(stack).is_none_or(|frame| frame.line.is_none() || frame.is_library());
    let waits = trace.blocked.iter().filter(|_| kind.is_wait());
    let waits = waits.map(|b| (joins(b), namer.waiting_stack(trace, b)));
    let told = waits.min_by_key(|(joins, stack)| (foreign(stack), *joins));
    told.map_or_else(|| namer.stack(outcome.pc, &call_sites(trace)), |(_, stack)| stack)
}

/// An endless step is told by a limit or the watchdog; a livelock may be, and then carries why.
fn is_heuristic(outcome: &Outcome) -> bool {
    match outcome.ending {
        Ending::StepTooLong | Ending::Hung => true,
        Ending::Livelock => !outcome.message.is_empty(),
        _ => false,
    }
}

/// Who spins on what. A livelock that was only judged so carries the reason with it.
fn livelock(namer: &mut Namer<'_>, trace: &Trace, outcome: &Outcome, threads: &[String]) -> String {
    if !outcome.message.is_empty() {
        return outcome.message.clone();
    }
    let spins: Vec<String> = trace.waiting.iter().map(|w| namer.spinning(w, threads)).collect();
    format!("{}, which no thread will ever change", spins.join("; "))
}

/// The runtime's words for accesses that the hardware refused.
const FAULTS: [&str; 3] = ["null pointer access", "invalid memory access", "SIGSEGV"];

fn message(outcome: &Outcome, plan: &Plan, trace: &Trace) -> String {
    let waiting = trace.blocked.len();
    let itself = trace.blocked.iter().any(|b| b.holder == Some(b.pending.thread));
    let Outcome { ending, code, thread, address, message, .. } = outcome;
    let own = match ending {
        Ending::Assertion => "an assertion failed".to_string(),
        Ending::Abort => "the program called abort".to_string(),
        Ending::Uncaught => "an exception was not caught".to_string(),
        Ending::Segfault if *address < 4096 => format!("invalid memory access through a null pointer ({address:#x})"),
        Ending::Segfault => format!("invalid memory access at {address:#x}"),
        Ending::BusError => format!("bus error at {address:#x}"),
        Ending::IllegalInstruction => "illegal instruction".to_string(),
        Ending::Arithmetic => "arithmetic fault (division by zero or overflow of a division)".to_string(),
        Ending::StackOverflow => format!("the stack of {thread} overflowed"),
        Ending::Signal => format!("signal {code} ended the program"),
        Ending::Died => "the process died without a word".to_string(),
        Ending::Scribbled => "the program overwrote the memory that it shares with gabion".to_string(),
        Ending::Deadlock if itself && waiting == 1 => {
            "1 thread waits for ever, for a lock that it holds itself".to_string()
        }
        Ending::Deadlock if itself => format!("{waiting} threads wait for ever, one for a lock that it holds itself"),
        Ending::Deadlock if waiting == 1 => "1 thread waits for ever".to_string(),
        Ending::Deadlock => format!("{waiting} threads wait for ever"),
        Ending::Exit => format!("the program ended with status {code}"),
        Ending::Panic => "the program panicked".to_string(),
        Ending::StepTooLong => {
            let most = plan.limits.accesses;
            format!(
                "one step made more than {most} accesses: probably a loop that never ends (or raise --max-accesses)"
            )
        }
        Ending::Hung => "a step did not end within the watchdog's time, twice: probably a loop that never ends".into(),
        other => format!("the run ended: {other:?}"),
    };
    use Ending::*;
    match (ending, message.trim()) {
        (_, "") => own,
        (Assertion, text) => text.to_string(),
        // A fault that the runtime foresaw comes with its reason.
        (Segfault, text) if !FAULTS.contains(&text) => text.to_string(),
        // Our words say the same and more.
        (Segfault | BusError | IllegalInstruction | Arithmetic | StackOverflow | StepTooLong | Hung | Exit, _) => own,
        (Abort, "abort") => own,
        (Deadlock, _) if itself => own,
        (DoubleFree | BadFree | UseAfterFree | HeapOverflow | LockMisuse | Leak, text) => text.to_string(),
        (_, text) => format!("{own}: {text}"),
    }
}
