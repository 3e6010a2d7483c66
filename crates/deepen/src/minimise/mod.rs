//! A finding made small: fewest preemptions, then fewest switches, then fewest threads; what is essential of it; what is
//! next to it.
//!
//! Fewest preemptions by iterative context bounding from 0 (CHESS §3): when all runs with fewer than the ones found are
//! explored, there are none. Then fewest switches and threads, see `switches`. How much is tried is counted in runs and their
//! cost, so that the same command gives the same interleaving; time only ends it, where the budget is spent. What is small is never another bug: kind, place
//! and stacks must be the same.

mod effort;
mod neighbours;
mod schedule;
mod shared;
mod switches;

use crate::CampaignError;
use crate::campaign::Campaign;
use crate::confirm::{confirm, signature};
use crate::finding::{Kind, Signature};
use crate::replay::is_lost;
use crate::settings::Mode;
use effort::{Bug, Effort, Enough};
use gabion_search::{Extent, Observed, Options, Reduction, Search};
use gabion_trace::{Fewest, Interleaving, Minimisation, NamedStep, Plan, PointSet, Recording, ThreadId, Trace};
use neighbours::{Closest, around};
use std::time::{Duration, Instant};

/// Percent of the runs after which it has as few preemptions as it will have; turns are not joined any more; it is as small
/// as it will be. The others are for what is next to it.
const UNTIL: [u64; 3] = [60, 65, 85];

/// Time that it may take where the search has left less of the budget.
const LEAST: Duration = Duration::from_secs(1);

/// What makes one interleaving of a bug smaller than another.
fn size(trace: &Trace) -> (usize, Extent, u64) {
    (trace.preemptions(), Extent::of(trace), trace.length)
}

/// A run that shows the bug, and the plan whose space it is of.
#[derive(Clone)]
struct Shown {
    plan: Plan,
    trace: Trace,
}

impl Campaign<'_> {
    /// Makes every finding small that is not yet. Whatever goes wrong here, a finding stays one.
    pub(crate) fn minimise(&mut self) {
        let begun = Instant::now();
        // The search and this share one budget.
        let end = self.settings.budget.map(|budget| (self.started + budget).max(begun + LEAST));
        for index in 0..self.findings.len() {
            if self.findings[index].trace.minimisation.is_some() {
                continue;
            }
            match self.settings.minimise_runs {
                0 => self.findings[index].trace.minimisation = Some(Minimisation::default()),
                _ => self.minimise_one(index, end),
            }
        }
        self.minimising = begun.elapsed();
    }

    fn minimise_one(&mut self, index: usize, end: Option<Instant>) {
        let allowed = self.settings.minimise_runs;
        let finding = &self.findings[index];
        // Nobody has fewer than none.
        let fewest = if finding.trace.preemptions == 0 { Fewest::Proven } else { Fewest::Unknown };
        let mut told = Minimisation { allowed, fewest, ..Minimisation::default() };
        if is_lost(finding.trace.outcome.ending) {
            told.stopped = Some(format!("a run that ends as {:?} is not repeated", finding.trace.outcome.ending));
            self.findings[index].trace.minimisation = Some(told);
            return;
        }
        let space = self.space_around(&finding.trace.plan);
        let plan = Plan { program: 0, tail: self.settings.template.tail.clone(), ..finding.trace.plan.clone() };
        let found = finding.signature.clone();
        let interrupt = self.settings.interrupt.clone();
        let bug = match self.bug(&found, &plan) {
            Ok(bug) => bug,
            Err(error) => {
                told.stopped = Some(error.to_string());
                self.findings[index].trace.minimisation = Some(told);
                return;
            }
        };
        let mut effort = Effort::new(self.subject, bug, allowed, &interrupt, end);
        let mut work = Work { told, closest: None, best: None };
        let ended = work.run(&mut effort, &plan, space);
        (work.told.runs, work.told.assumed) = (effort.made(), effort.has_assumed());
        match ended {
            Err(Enough::Stopped(why)) => work.told.stopped = Some(why),
            _ if effort.is_costly() => {
                work.told.stopped = Some("its runs are long, and more of them take too long".into())
            }
            _ => {}
        }
        self.put(index, work, found);
    }

    /// The largest space that was asked for, with what runs have shown of it.
    fn space_around(&self, plan: &Plan) -> Plan {
        let points = match self.settings.mode {
            Mode::Single => self.settings.template.points,
            Mode::Deepen | Mode::Maximal => PointSet::EVERYWHERE,
        };
        Plan {
            points,
            limits: plan.limits,
            free_held: plan.free_held,
            threads: plan.threads.clone(),
            shared_stacks: plan.shared_stacks.clone(),
            contended: plan.contended.clone(),
            ..self.settings.template.clone()
        }
    }

    fn bug(&mut self, found: &Signature, plan: &Plan) -> Result<Bug, CampaignError> {
        if let Some(pair) = found.race() {
            return Ok(Bug::Race { pair, relation: self.settings.relation });
        }
        let mut traces = Vec::new();
        // Where a thread waits is recorded with its accesses.
        let recorded = Plan { recording: Recording::Accesses, ..plan.clone() };
        self.subject.run(std::slice::from_ref(&recorded), &mut traces)?;
        let trace = traces.pop().expect("internal error: a trace for every plan");
        let kind = Kind::of(trace.outcome.ending)
            .ok_or_else(|| CampaignError::Nondeterministic("a failing run passed when it was repeated".into()))?;
        let whole = signature(self.subject, plan, &trace, kind)?;
        Ok(Bug::Failure { kind, known: Signature::of(kind, &trace), whole })
    }

    /// Puts the small interleaving into the place of the one that was found, once it is confirmed.
    fn put(&mut self, index: usize, work: Work, found: Signature) {
        let Work { mut told, closest, best } = work;
        let old = &self.findings[index];
        let is_old = |best: &Shown| {
            (best.trace.choices(), &best.plan.contended) == (old.trace.plan.choices.clone(), &old.trace.plan.contended)
        };
        if let Some(Shown { plan, trace }) = best.filter(|best| !is_old(best)) {
            match confirm(self.subject, &self.settings.program, &plan, &trace, found.clone()) {
                Ok(mut new) => {
                    let race = self.races.all().iter().position(|race| Signature::of_race(race) == found);
                    if let Some(race) = race {
                        new.tell_race(self.races.deny(race), self.settings.relation);
                    }
                    new.seen = self.findings[index].seen;
                    let old = std::mem::replace(&mut self.findings[index], new).trace;
                    // The same, with more of its accesses, needs no second table.
                    let same = turns(&old.steps) == turns(&self.findings[index].trace.steps);
                    told.original = (!same).then_some(Interleaving {
                        plan: old.plan,
                        hash: old.hash,
                        preemptions: old.preemptions,
                        steps: old.steps,
                    });
                }
                Err(error) => {
                    // What belongs to a run that nobody confirmed is not told.
                    let (runs, allowed) = (told.runs, told.allowed);
                    told = Minimisation { runs, allowed, stopped: Some(error.to_string()), ..Minimisation::default() };
                    self.findings[index].trace.minimisation = Some(told);
                    return;
                }
            }
        }
        told.passing = closest.and_then(|closest| closest.confirmed(self.subject).ok());
        self.findings[index].trace.minimisation = Some(told);
    }
}

/// What was found out about one finding.
struct Work {
    told: Minimisation,
    closest: Option<Closest>,
    best: Option<Shown>,
}

impl Work {
    fn run(&mut self, effort: &mut Effort<'_>, plan: &Plan, space: Plan) -> Result<(), Enough> {
        let trace = effort.run_one(plan)?;
        let most = trace.preemptions();
        let found = Shown { plan: plan.clone(), trace };
        let (mut next, mut until) = (Some((found, space)), UNTIL[0]);
        while let Some((found, space)) = next.take() {
            effort.until(until);
            (self.told.fewest_switches, self.told.fewest_threads) = (Fewest::Unknown, Fewest::Unknown);
            let (best, fewest, space) = fewest_preemptions(effort, found, space)?;
            self.told.fewest = if best.trace.preemptions() == 0 { Fewest::Proven } else { fewest };
            assert!(best.trace.preemptions() <= most, "internal error: more preemptions than were found");
            let best = self.best.insert(best);
            effort.until(UNTIL[1]);
            switches::join(effort, best)?;
            effort.until(UNTIL[2]);
            let more = switches::fewest(effort, best, space, &mut self.told)?;
            (next, until) = (more.map(|space| (best.clone(), space)), UNTIL[2]);
        }
        let best = self.best.clone().expect("internal error: nothing was made small");
        effort.until(100);
        around(effort, &best.plan, &best.trace, &mut self.told.switches, &mut self.closest)?;
        let passing = self.closest.as_ref().map(Closest::trace);
        if let Some(passing) = passing
            && let Some(same) = shared::with_accesses(effort, &best, passing)?
        {
            let (mut switches, mut closest) = (Vec::new(), None);
            around(effort, &same.plan, &same.trace, &mut switches, &mut closest)?;
            (self.best, self.told.switches, self.closest) = (Some(same), switches, closest);
        }
        Ok(())
    }
}

/// Who ran, one after the other.
fn turns(steps: &[NamedStep]) -> Vec<ThreadId> {
    let mut threads: Vec<ThreadId> = steps.iter().map(|step| step.thread).collect();
    threads.dedup();
    threads
}

/// Searches by bound, from no preemptions up to those that were found. Runs that are spent are no error here. Gives the
/// space with what the runs have shown of it, too.
fn fewest_preemptions(effort: &mut Effort<'_>, found: Shown, space: Plan) -> Result<(Shown, Fewest, Plan), Enough> {
    let options = Options { reduction: Reduction::Dpor, bound: Some(0), icb: true, ..Options::default() };
    let mut search = Search::new(Plan { choices: Vec::new(), ..space }, options);
    let most = found.trace.preemptions() as u32;
    let mut best = found;
    let mut fewest = Fewest::Unknown;
    let mut traces = Vec::new();
    loop {
        let plan = search.next();
        let (bound, least) = (search.bound(), best.trace.preemptions() as u32);
        // All with fewer were explored, to their ends.
        if bound >= Some(least) {
            fewest = Fewest::Proven;
        }
        let over = bound > Some(least) || bound == Some(most) && least == most;
        let Some(plan) = plan.filter(|_| !over) else {
            return Ok((best, fewest, search.template().clone()));
        };
        match effort.run(std::slice::from_ref(&plan), &mut traces) {
            Err(Enough::Spent) => return Ok((best, fewest, search.template().clone())),
            made => made?,
        }
        let trace = traces.pop().expect("internal error: a trace for every plan");
        match search.observe(&trace)? {
            Observed::Explored if size(&trace) < size(&best.trace) && effort.is_same(&plan, &trace)? => {
                best = Shown { plan, trace };
            }
            Observed::Explored | Observed::Blocked | Observed::Ignored => {}
            // What is below is unknown.
            Observed::Cut => return Ok((best, fewest, search.template().clone())),
            // Runs of smaller bounds lacked points too.
            Observed::Restarted => search = Search::new(search.template().clone(), options),
        }
    }
}
