//! What may be claimed.
//!
//! `verified` is the strong word: every interleaving on this input, nothing cut, no caveat that could hide one. It is
//! given by exclusion here and nowhere else.

use crate::{Candidate, Finding, Settings};
use gabion_search::{Progress, Search};
use gabion_trace::{Caveat, CaveatKind, Coverage, Ending, Limits, Point, PointSet, Region};
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
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Classes of preemption points of the space.
    pub points: PointSet,
    /// Most preemptions of a run.
    pub bound: Option<u32>,
    /// What the verdict does not claim, limiting ones first.
    pub caveats: Vec<Caveat>,
    /// The bugs.
    pub findings: Vec<Finding>,
    /// The data races.
    pub races: Vec<Candidate>,
    /// Failing runs, those of known bugs included.
    pub failing_runs: u64,
    /// What went wrong.
    pub error: Option<String>,
}

/// What was left out by option, as it was asked for.
#[derive(Clone, Debug, Default)]
pub struct Narrowing {
    /// Where points are sealed off.
    pub sealed: String,
    /// Whose accesses are left out.
    pub trusted: String,
    /// Whose races are left out.
    pub races: String,
    /// The same by addresses: accesses at these instructions are in no race that is reported.
    pub race_code: Vec<Region>,
}

/// Facts gathered over all runs.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) coverage: Coverage,
    /// Runs cut, by what cut them.
    pub(crate) cuts: BTreeMap<Ending, u64>,
    /// Instructions of loops that were taken to be waiting.
    pub(crate) assumed: BTreeSet<u64>,
    /// Data races met.
    pub(crate) races: usize,
    /// Locks that threads took with them at their end, with the thread's function.
    pub(crate) held: BTreeSet<(u64, u64)>,
}

impl Facts {
    /// All caveats: the target's, those of the runs, those of what was asked.
    pub(crate) fn caveats(&self, settings: &Settings, search: &Search, from_target: Vec<Caveat>) -> Vec<Caveat> {
        let (plan, narrowing) = (&settings.template, &settings.narrowing);
        let mut caveats = from_target;
        let mut add = |kind, place: &str| {
            if !caveats.iter().any(|c| c.kind == kind) {
                caveats.push(Caveat::new(kind, place));
            }
        };
        let weak = self.coverage.has(Coverage::WEAK_ATOMIC).then(|| WEAK.to_string());
        let races = match self.races {
            0 => None,
            1 => Some("a data race".to_string()),
            n => Some(format!("{n} data races")),
        };
        if weak.is_some() || races.is_some() {
            add(CaveatKind::MemoryModel, &weak.into_iter().chain(races).collect::<Vec<_>>().join(", "));
        }
        for (flag, kind, place) in FROM_COVERAGE {
            if self.coverage.has(*flag) {
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
        if !plan.points.has(Point::Everywhere) {
            add(CaveatKind::FewerPoints, &plan.points.names().join(","));
        }
        if search.was_bounded() {
            let bound = search.bound().unwrap_or_default();
            add(CaveatKind::Bound, &format!("more than {bound} preemptions in a run (--bound, --icb)"));
        }
        if !narrowing.races.is_empty() {
            add(CaveatKind::IgnoredRaces, &narrowing.races);
        }
        add(CaveatKind::TrustedLibrary, "C library and C++ runtime");
        caveats.extend(self.cuts.iter().map(|(ending, runs)| cut(*ending, *runs, &plan.limits)));
        caveats.sort_by(|a, b| (!a.kind.limits(), a).cmp(&(!b.kind.limits(), b)));
        caveats.dedup();
        caveats
    }

    /// The verdict of a search that found no bug and met no error.
    pub(crate) fn verdict(&self, stop: Stop, caveats: &[Caveat]) -> Verdict {
        if stop != Stop::Exhausted || !self.cuts.is_empty() {
            Verdict::Partial
        } else if caveats.iter().any(|c| c.kind.limits()) {
            Verdict::Complete
        } else {
            Verdict::Verified
        }
    }
}

const WEAK: &str = "atomics weaker than seq_cst";

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
    (Coverage::SEALED, CaveatKind::Sealed, ""),
    (Coverage::TRUSTED, CaveatKind::Trusted, ""),
    (Coverage::TORN, CaveatKind::WholeCopies, "threads meet there without a lock"),
    (Coverage::TIME_TABLE, CaveatKind::CoarseTime, "more hand-overs of time than there is room for"),
];

fn cut(ending: Ending, runs: u64, limits: &Limits) -> Caveat {
    let runs = if runs == 1 { "1 run was".to_string() } else { format!("{runs} runs were") };
    let place = match ending {
        Ending::TooManySteps => format!("{runs} cut after {} steps (raise --max-steps)", limits.steps),
        Ending::TraceFull => format!("{runs} too long to record"),
        Ending::Hung => format!("{runs} stopped by the watchdog"),
        Ending::Died | Ending::Scribbled => format!("{runs} lost with the process"),
        other => format!("{runs} cut ({other:?})"),
    };
    Caveat::new(CaveatKind::Cut, place)
}
