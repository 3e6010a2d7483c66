//! Runs made to make a finding small: how many are left, and whether one shows the same bug.

use super::schedule::Schedule;
use crate::confirm::signature;
use crate::finding::{Kind, Signature};
use crate::replay::is_lost;
use crate::{CampaignError, HappensBefore, Subject};
use gabion_analysis::Detector;
use gabion_search::SearchError;
use gabion_trace::{Coverage, Ending, Plan, PlanId, Recording, RunError, Trace};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What all runs may cost, in the traces' units: about three seconds.
const MOST_COST: u64 = 60_000_000;
/// What a run costs besides what it does, and what it costs to look at one of its steps.
const RUN_COST: u64 = 200;
const STEP_COST: u64 = 10;
/// Corrections of one run until it follows its schedule.
const MOST_CORRECTIONS: usize = 64;

/// Ids of these runs are apart from those of searches.
const OURS: u64 = 1 << 62;

/// Why no more runs are made.
#[derive(Debug)]
pub(crate) enum Enough {
    /// As many were made as were allowed.
    Spent,
    /// Something went wrong, or somebody is in a hurry.
    Stopped(String),
}

impl From<CampaignError> for Enough {
    fn from(error: CampaignError) -> Self {
        Enough::Stopped(error.to_string())
    }
}

impl From<RunError> for Enough {
    fn from(error: RunError) -> Self {
        Enough::Stopped(error.to_string())
    }
}

impl From<SearchError> for Enough {
    fn from(error: SearchError) -> Self {
        Enough::Stopped(error.to_string())
    }
}

/// What is the same bug.
#[derive(Debug)]
pub(crate) enum Bug {
    /// A failure with this signature, stacks included, and the one that is known without them.
    Failure { kind: Kind, known: Signature, whole: Signature },
    /// A race between two instructions.
    Race { pair: (u64, u64), relation: HappensBefore },
}

/// A subject, and how much may be asked of it.
pub(crate) struct Effort<'a> {
    pub(crate) subject: &'a mut dyn Subject,
    pub(crate) bug: Bug,
    interrupt: &'a AtomicBool,
    /// When the time for it is over, if it is limited.
    end: Option<Instant>,
    /// Runs that may be made, runs that may be made for now, and runs made; each with what they cost.
    allowed: Amount,
    most: Amount,
    made: Amount,
    costly: bool,
    /// A loop was taken to wait.
    assumed: bool,
}

/// Runs and what they cost.
#[derive(Clone, Copy, Debug, Default)]
struct Amount {
    runs: u64,
    cost: u64,
}

impl Amount {
    fn percent(self, percent: u64) -> Self {
        let of = |number: u64| number / 100 * percent + number % 100 * percent / 100;
        Amount { runs: of(self.runs), cost: of(self.cost) }
    }
}

impl<'a> Effort<'a> {
    pub(crate) fn new(
        subject: &'a mut dyn Subject,
        bug: Bug,
        allowed: u64,
        interrupt: &'a AtomicBool,
        end: Option<Instant>,
    ) -> Self {
        let allowed = Amount { runs: allowed, cost: MOST_COST };
        Effort {
            subject,
            bug,
            interrupt,
            end,
            allowed,
            most: allowed,
            made: Amount::default(),
            costly: false,
            assumed: false,
        }
    }

    pub(crate) fn made(&self) -> u64 {
        self.made.runs
    }

    /// Was a run not made because those before had cost too much, although as many were not yet made?
    pub(crate) fn is_costly(&self) -> bool {
        self.costly
    }

    /// Was a loop taken to wait in one of the runs?
    pub(crate) fn has_assumed(&self) -> bool {
        self.assumed
    }

    /// Lets runs be made until so many percent of all are.
    pub(crate) fn until(&mut self, percent: u64) {
        self.most = self.allowed.percent(percent);
    }

    /// Runs that may be made now.
    pub(crate) fn left(&mut self) -> Result<u64, Enough> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Enough::Stopped("interrupted".into()));
        }
        if self.end.is_some_and(|end| Instant::now() >= end) {
            return Err(Enough::Stopped("the budget was spent".into()));
        }
        match self.most.runs.saturating_sub(self.made.runs) {
            0 => Err(Enough::Spent),
            _ if self.made.cost >= self.most.cost => {
                self.costly = true;
                Err(Enough::Spent)
            }
            left => Ok(left),
        }
    }

    /// Makes runs.
    pub(crate) fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), Enough> {
        self.left()?;
        traces.clear();
        self.subject.run(plans, traces)?;
        for trace in traces.iter() {
            self.made.runs += 1;
            self.assumed |= trace.coverage.has(Coverage::ASSUMED_WAIT);
            let cost = RUN_COST + STEP_COST * trace.length + trace.cost;
            self.made.cost = self.made.cost.saturating_add(cost);
        }
        match traces.iter().find(|trace| is_lost(trace.outcome.ending)) {
            // Each costs seconds, and need not come out the same twice.
            Some(lost) => Err(Enough::Stopped(format!("a run ended as {:?}", lost.outcome.ending))),
            None => Ok(()),
        }
    }

    pub(crate) fn run_one(&mut self, plan: &Plan) -> Result<Trace, Enough> {
        let plan = Plan { id: PlanId(OURS | self.made.runs), recording: Recording::Accesses, ..plan.clone() };
        let mut traces = Vec::new();
        self.run(&[plan], &mut traces)?;
        Ok(traces.pop().expect("internal error: a trace for every plan"))
    }

    /// Does the run show the bug that was found?
    pub(crate) fn is_same(&mut self, plan: &Plan, trace: &Trace) -> Result<bool, Enough> {
        match &self.bug {
            Bug::Race { pair, relation } => {
                let mut found = false;
                Detector::new(*relation).judge(trace, 0, |race| {
                    let (a, b) = (race.first.access.pc, race.second.access.pc);
                    found |= (a.min(b), a.max(b)) == *pair;
                });
                Ok(found && Kind::of(trace.outcome.ending).is_none() && trace.outcome.ending != Ending::Diverged)
            }
            Bug::Failure { kind, known, .. } => {
                let kind = *kind;
                if Kind::of(trace.outcome.ending) != Some(kind) || Signature::of(kind, trace) != *known {
                    return Ok(false);
                }
                self.made.runs += 1;
                let found = signature(self.subject, plan, trace, kind)?;
                Ok(matches!(&self.bug, Bug::Failure { whole, .. } if found == *whole))
            }
        }
    }

    /// Where a data race is the bug: does a run show one, whichever?
    pub(crate) fn shows_other_race(&self, trace: &Trace) -> bool {
        let Bug::Race { relation, .. } = &self.bug else { return false };
        let mut any = false;
        Detector::new(*relation).judge(trace, 0, |_| any = true);
        any
    }

    /// The run that follows a schedule, beginning as `base` does; `None` if it is that run, or one that cannot be had.
    pub(crate) fn follow(
        &mut self,
        template: &Plan,
        base: &Trace,
        schedule: &Schedule,
    ) -> Result<Option<Trace>, Enough> {
        let mut seen = BTreeSet::new();
        let mut correction = schedule.correction(base);
        let mut run = None;
        while let Some(choices) = correction {
            if seen.len() == MOST_CORRECTIONS || !seen.insert(choices.iter().map(|c| c.value).collect::<Vec<_>>()) {
                return Ok(None);
            }
            let trace = self.run_one(&Plan { choices, ..template.clone() })?;
            if trace.outcome.ending == Ending::Diverged {
                return Ok(None);
            }
            correction = schedule.correction(&trace);
            run = Some(trace);
        }
        Ok(run)
    }
}
