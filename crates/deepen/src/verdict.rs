//! What may be claimed.
//!
//! `verified` is the strong word: every interleaving on this input, nothing cut, no caveat that could hide one. It is
//! given by exclusion here and nowhere else.

use crate::reached::Reached;
use crate::{Candidate, Finding, Kind, Line, OnRace, Settings, Status, Waits};
use gabion_search::Progress;
use gabion_trace::{
    AccessKind, AssumedWait, Caveat, CaveatKind, Coverage, Ending, Event, Limits, PointSet, Region, Trace,
};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The verdict. The words are those of the command line's contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Every interleaving passes.
    Verified,
    /// Everything asked for passes; that was less than every interleaving.
    Complete,
    /// At least one finding.
    Bug,
    /// A budget or limit came first.
    Partial,
    /// The program could not be run, or not twice in the same way.
    Error,
}

/// Why the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Nothing is left.
    Exhausted,
    /// A bug was found.
    Bug,
    /// The wall-clock budget is spent.
    Budget,
    /// As many runs as were allowed.
    MaxRuns,
    /// The budget of runs is spent.
    BudgetRuns,
    /// Somebody asked to stop.
    Interrupted,
    /// Something went wrong; the summary's error says what.
    Failed,
}

/// What a campaign leaves behind.
#[derive(Debug)]
pub struct Summary {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the search ended.
    pub stop: Stop,
    /// Where it stood then.
    pub progress: Progress,
    /// Runs in all, and how many times the time so far everything takes, as far as is known.
    pub estimate: Option<(f64, f64)>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Preemption points that the verdict is about: `everywhere`, or names of classes.
    pub preempt: Vec<String>,
    /// The state spaces, in the order in which they came up.
    pub spaces: Vec<SpaceSummary>,
    /// Largest number of preemptions of which every run was made to its end, in the last space of which that is known.
    pub completed_bound: Option<u32>,
    /// Most preemptions of a run.
    pub bound: Option<u32>,
    /// What the verdict does not claim, limiting ones first.
    pub caveats: Vec<Caveat>,
    /// The bugs.
    pub findings: Vec<Finding>,
    /// The data races.
    pub races: Vec<Candidate>,
    /// The program's lines with preemption points.
    pub lines: Vec<Line>,
    /// Failing runs, those of known bugs included.
    pub failing_runs: u64,
    /// Time that it took to make the bugs small.
    pub minimising: Duration,
    /// What went wrong.
    pub error: Option<String>,
}

/// One state space of a campaign.
#[derive(Clone, Debug)]
pub struct SpaceSummary {
    /// Its preemption points by name: classes, and places of racing instructions.
    pub preempt: Vec<String>,
    /// Where it stands.
    pub status: Status,
    /// Every run with at most so many preemptions was made.
    pub completed_bound: Option<u32>,
    /// Is it searched with few preemptions first, beside another with the same points?
    pub by_bound: bool,
    /// Is it explored, and no part of a larger one that is?
    pub largest: bool,
    /// The space, by its number, that holds whatever this one does and was explored instead.
    pub covered_by: Option<usize>,
    /// So many times the rounds are doubled after which a loop is taken to wait.
    pub doublings: u8,
    /// Runs of any kind.
    pub runs: u64,
    /// Runs in all: as many as were made if it is complete, or else if estimated.
    pub estimate: Option<f64>,
}

/// What was left out by option, as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Narrowing {
    /// Where points are sealed off.
    pub sealed: String,
    /// Whose accesses are left out.
    pub trusted: String,
    /// Names of functions and libraries whose accesses are left out: what their code does unseen is accepted.
    pub trust: Vec<String>,
    /// Whose races are left out.
    pub races: String,
    /// The same by addresses: accesses at these instructions are in no race that is reported.
    pub race_code: Vec<Region>,
}

/// Facts gathered over all runs of a space.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Facts {
    pub(crate) coverage: Coverage,
    /// Runs cut, by what cut them.
    pub(crate) cuts: BTreeMap<Ending, u64>,
    /// Loops that were taken to be waiting, as traces have them.
    pub(crate) assumed: BTreeSet<AssumedWait>,
    /// Classes of points that were passed, on or off.
    pub(crate) passed: PointSet,
    /// A run had more than one thread.
    pub(crate) threads: bool,
    /// Runs ended while threads were left that had not.
    pub(crate) early: bool,
    /// The last access before each failure that left other threads behind, if its step had one.
    pub(crate) before_failure: BTreeSet<u64>,
    /// Locks that threads took with them at their end, with the thread's function.
    pub(crate) held: BTreeSet<(u64, u64)>,
    /// Where threads came to points.
    pub(crate) reached: Reached,
}

/// What a campaign adds to the caveats.
#[derive(Debug)]
pub(crate) struct Claimed {
    /// The names of the points, if fewer than everywhere.
    pub(crate) fewer: Option<String>,
    /// Most preemptions, if that left something out.
    pub(crate) bound: Option<u32>,
    /// Data races met.
    pub(crate) races: usize,
    /// Something in the language orders whatever threads do to the same memory, in every run.
    pub(crate) ordered: bool,
}

impl Facts {
    /// Did code run that nobody saw, as only runs can tell?
    pub(crate) fn ran_unseen(&self) -> bool {
        self.coverage.has(Coverage::UNMODELLED_CALL) || self.coverage.has(Coverage::CALLED_BY_NAME)
    }

    /// Was a loop taken to wait because it looked so? Then interleavings within its later rounds were not run.
    pub(crate) fn guessed(&self) -> bool {
        self.coverage.has(Coverage::ASSUMED_WAIT)
    }

    /// Takes a run in, but for the points that it came to.
    pub(crate) fn take(&mut self, trace: &Trace) {
        self.coverage = self.coverage.with(trace.coverage);
        self.passed = self.passed.union(trace.passed);
        self.threads |= trace.threads.len() > 1;
        if !trace.pending.is_empty() {
            self.early = true;
            self.before_failure.extend(before_failure(trace));
        }
        self.assumed.extend(trace.assumed.iter().cloned());
        self.held.extend(trace.held.iter().map(|(_, lock, function)| (*lock, *function)));
    }

    /// Those of another space too.
    pub(crate) fn join(&mut self, other: &Facts) {
        self.coverage = self.coverage.with(other.coverage);
        self.passed = self.passed.union(other.passed);
        self.threads |= other.threads;
        self.assumed.extend(other.assumed.iter().cloned());
        self.held.extend(&other.held);
        self.join_cuts(other);
    }

    /// Runs of another space that were cut too.
    pub(crate) fn join_cuts(&mut self, other: &Facts) {
        for (ending, runs) in &other.cuts {
            *self.cuts.entry(*ending).or_default() += runs;
        }
    }

    /// All caveats: the target's, those of the runs, those of what was asked.
    pub(crate) fn caveats(&self, settings: &Settings, claimed: &Claimed, from_target: Vec<Caveat>) -> Vec<Caveat> {
        let (plan, narrowing) = (&settings.template, &settings.narrowing);
        let mut caveats = from_target;
        let rebuilt = |caveat: &&mut Caveat| plan.inside_std && caveat.place == Caveat::REBUILT_RUST_LIBRARY;
        if let Some(rebuilt) = caveats.iter_mut().find(rebuilt) {
            rebuilt.place = Caveat::REBUILT_RUST_LIBRARY_BUT_THREADS.to_string();
        }
        let mut add = |kind, place: &str| {
            if !caveats.iter().any(|c| c.kind == kind) {
                caveats.push(Caveat::new(kind, place));
            }
        };
        let weak = self.coverage.has(Coverage::WEAK_ATOMIC).then(|| WEAK.to_string());
        let races = match claimed.races {
            0 => None,
            1 => Some("a data race".to_string()),
            n => Some(format!("{n} data races")),
        };
        if weak.is_some() || races.is_some() {
            add(CaveatKind::MemoryModel, &weak.into_iter().chain(races).collect::<Vec<_>>().join(", "));
        }
        for (flag, kind, place) in FROM_COVERAGE {
            // What is in several parts on hardware is seen in parts only by those who race with it.
            if self.coverage.has(*flag) && !(claimed.ordered && *kind == CaveatKind::WholeCopies) {
                let place = match kind {
                    CaveatKind::SpuriousWakeups if plan.spurious => "beyond one per thread and run",
                    CaveatKind::AddressReuse if plan.recycle => "in another order than the last freed first",
                    CaveatKind::Sealed => &narrowing.sealed,
                    CaveatKind::Trusted => &narrowing.trusted,
                    _ => place,
                };
                add(*kind, place);
            }
        }
        if let Some(points) = &claimed.fewer {
            add(CaveatKind::FewerPoints, points);
        }
        if let Some(bound) = claimed.bound {
            add(CaveatKind::Bound, &format!("more than {bound} preemptions in a run (--bound, --icb)"));
        }
        if !narrowing.races.is_empty() {
            add(CaveatKind::IgnoredRaces, &narrowing.races);
        }
        // A prebuilt standard library of Rust brings it along; it is one if there are races.
        if claimed.races == 0 || settings.on_race != OnRace::Report {
            caveats.retain(|caveat| caveat.kind != CaveatKind::ToldRaces);
        }
        // A program in another language names its own, and the C library with it.
        let named = |c: &Caveat| c.kind == CaveatKind::TrustedLibrary && c.place.contains("C library");
        if !caveats.iter().any(named) {
            caveats.push(Caveat::new(CaveatKind::TrustedLibrary, "C library and C++ runtime"));
        }
        caveats.extend(self.cuts.iter().map(|(ending, runs)| cut(*ending, *runs, &plan.limits)));
        caveats.sort_by(|a, b| (!a.kind.limits(), a).cmp(&(!b.kind.limits(), b)));
        caveats.dedup();
        caveats
    }

    /// May threads have run code that nobody saw, and that is not accepted?
    pub(crate) fn is_unseen(&self, caveat: &Caveat, accepted: &BTreeSet<Caveat>) -> bool {
        let unseen = caveat.kind.is_unseen_code() && caveat.place != KEPT_FROM_EXIT;
        self.threads && unseen && !accepted.contains(caveat)
    }

    /// The verdict of a search that found no bug and met no error. `accepted` are caveats about unseen code that is trusted by option.
    pub(crate) fn verdict(&self, stop: Stop, caveats: &[Caveat], waits: Waits, accepted: &BTreeSet<Caveat>) -> Verdict {
        let unseen = caveats.iter().any(|caveat| self.is_unseen(caveat, accepted));
        let guessed = waits == Waits::Doubted && !self.assumed.is_empty();
        if stop != Stop::Exhausted || !self.cuts.is_empty() || guessed || unseen {
            Verdict::Partial
        } else if caveats.iter().any(|c| c.kind.limits()) {
            Verdict::Complete
        } else {
            Verdict::Verified
        }
    }
}

fn before_failure(trace: &Trace) -> Option<u64> {
    let last = trace.steps.iter().rev().find(|step| step.thread == trace.outcome.thread)?;
    let accesses = trace.events(last).iter().skip(1).rev();
    let mut plain = accesses.filter_map(|event| match event {
        Event::Access { access, .. } if !access.kind.has(AccessKind::ATOMIC) => Some(access.pc),
        _ => None,
    });
    Kind::of(trace.outcome.ending)?;
    plain.next()
}

const WEAK: &str = "atomics weaker than seq_cst";

/// A call that is modelled in part; all that it does is seen.
const KEPT_FROM_EXIT: &str = "Rust's standard library decides which of several threads ends the process (std::process::exit, or the end of main)";

const FROM_COVERAGE: &[(Coverage, CaveatKind, &str)] = &[
    (Coverage::COND_WAIT, CaveatKind::SpuriousWakeups, "pthread_cond_wait (explore them with --spurious)"),
    (Coverage::FREED, CaveatKind::AddressReuse, "freed memory is not handed out again (--recycle does)"),
    (Coverage::TIME, CaveatKind::VirtualTime, "clocks and sleeping"),
    (Coverage::MEMORY_LIMIT, CaveatKind::MemoryLimit, "an allocation failed (raise --max-memory)"),
    (Coverage::LOADED, CaveatKind::UninstrumentedLibrary, "loaded at run time with dlopen"),
    (
        Coverage::OUTSIDE,
        CaveatKind::OutsideState,
        "files or other state outside the process, not restored between runs",
    ),
    (Coverage::UNMODELLED, CaveatKind::UnmodelledSystemCall, "a system call"),
    (Coverage::FAULT_HANDLER, CaveatKind::FaultHandler, "SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGTRAP"),
    (Coverage::KEPT_FROM_EXIT, CaveatKind::UnmodelledCall, KEPT_FROM_EXIT),
    (
        Coverage::CALLED_BY_NAME,
        CaveatKind::UnmodelledCall,
        "a function of the C library that the program looked up by its name (dlsym)",
    ),
    (Coverage::SEALED, CaveatKind::Sealed, ""),
    (Coverage::TRUSTED, CaveatKind::Trusted, ""),
    (Coverage::TORN, CaveatKind::WholeCopies, "threads meet there without a lock"),
    (
        Coverage::LIBRARY_WAITED,
        CaveatKind::UnknownStandardLibrary,
        "it waited in the kernel, where its wait should have been modelled",
    ),
    (
        Coverage::TIME_TABLE,
        CaveatKind::CoarseTime,
        "more places by which threads hand over time than there is room for",
    ),
];

fn cut(ending: Ending, runs: u64, limits: &Limits) -> Caveat {
    let runs = if runs == 1 { "1 run was".to_string() } else { format!("{runs} runs were") };
    let place = match ending {
        Ending::TooManySteps => format!("{runs} cut after {} steps (raise --max-steps)", limits.steps),
        Ending::StepCut => format!(
            "{runs} cut in a step of more than {} accesses, while other threads could run (raise --max-accesses)",
            limits.accesses
        ),
        Ending::TraceFull => format!(
            "{runs} too long to record, with millions of accesses to memory that threads share (let the loops of the test go round less \
             often, or leave such accesses out with --trust or --ignore-symbol)"
        ),
        Ending::Hung => format!("{runs} stopped by the watchdog"),
        Ending::Died | Ending::Scribbled => format!("{runs} lost with the process"),
        other => format!("{runs} cut ({other:?})"),
    };
    Caveat::new(CaveatKind::Cut, place)
}
