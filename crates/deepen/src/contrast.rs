//! Findings explained by what is different in the closest run that does not fail.

use crate::Subject;
use crate::campaign::Campaign;
use crate::conflicts::name_spoken_of;
use crate::explain::Told;
use crate::finding::Finding;
use crate::naming::Namer;
use gabion_trace::{Ending, Plan, Recording, Trace};
use std::cell::RefCell;

impl Campaign<'_> {
    /// Tells every finding again that has a passing neighbour. Whatever goes wrong here, what was told stays.
    pub(crate) fn contrast(&mut self) {
        for finding in &mut self.findings {
            let passing = finding.trace.minimisation.as_ref().and_then(|small| small.passing.as_ref());
            let Some((plan, hash)) = passing.map(|passing| (passing.run.plan.clone(), passing.run.hash)) else {
                continue;
            };
            let Some(passes) = again(self.subject, &plan, hash).filter(|t| t.outcome.ending == Ending::Passed) else {
                continue;
            };
            if let Some(fails) = again(self.subject, &finding.trace.plan, finding.trace.hash) {
                explain(self.subject, finding, &fails, &passes);
            }
        }
    }
}

/// A run with its values, if it comes out the same.
fn again(subject: &mut dyn Subject, plan: &Plan, hash: u64) -> Option<Trace> {
    let plan = Plan { program: 0, recording: Recording::Values, ..plan.clone() };
    let mut traces = Vec::new();
    subject.run(std::slice::from_ref(&plan), &mut traces).ok()?;
    traces.pop().filter(|trace| trace.hash == hash)
}

fn explain(subject: &mut dyn Subject, finding: &mut Finding, fails: &Trace, passes: &Trace) {
    let file = &finding.trace;
    let told = Told {
        kind: finding.kind,
        message: &file.message,
        trace: fails,
        outcome: &file.outcome,
        steps: file.failed_in.map_or(&file.steps[..], |step| &file.steps[..=step]),
        threads: &file.threads,
        waiting: &file.waiting,
        witnesses: &file.witnesses,
        location: file.location.as_ref(),
        stack: &file.stack,
        passing: Some(passes),
        switches: file.minimisation.as_ref().map_or(&[], |small| &small.switches),
        spoken_of: RefCell::default(),
    };
    if told.is_by_accesses() {
        let mut namer = Namer::of(subject, fails);
        let explanation = told.explanation(&mut namer);
        let spoken_of = told.spoken_of.into_inner();
        // Those that were spoken of before may not be any more.
        let mut steps = namer.steps(fails);
        name_spoken_of(&mut namer, fails, &mut steps, &spoken_of.events);
        for (told, step) in finding.trace.steps.iter_mut().zip(steps) {
            told.accesses = step.accesses;
        }
        finding.explained_by = spoken_of.instructions(fails);
        finding.trace.explanation = explanation;
        finding.trace.spoken_of = spoken_of.steps.into_iter().collect();
    }
}
