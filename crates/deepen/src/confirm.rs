//! Runs made again: nothing is claimed on the word of a process that has run before.
//!
//! Every bug, and the last run before `verified` or `complete`, is repeated in a fresh process and must come out the same.

use crate::finding::{Confirmed, Finding, Kind, Signature, describe, replay_plan};
use crate::framework::{FRAMEWORKS, ran_nothing};
use crate::{CampaignError, Subject};
use gabion_trace::{Caveat, CaveatKind, Ending, Plan, PlanId, Program, Recording, Trace};

/// Bit that sets the ids of repeated plans apart from those of the search.
const REPEATS: u64 = 1 << 63;

/// The same run with call stacks, in place; `None` if it does not come out the same.
pub(crate) fn with_stacks(
    subject: &mut dyn Subject,
    plan: &Plan,
    trace: &Trace,
) -> Result<Option<Trace>, CampaignError> {
    if crate::replay::is_lost(trace.outcome.ending) {
        return Ok(None);
    }
    let again = Plan { id: PlanId(REPEATS | plan.id.0), ..replay_plan(plan, trace, Recording::Stacks) };
    let mut traces = Vec::new();
    subject.run(std::slice::from_ref(&again), &mut traces)?;
    let with_stacks = traces.pop().expect("internal error: a trace for every plan");
    Ok(Some(with_stacks).filter(|again| again.outcome.ending == trace.outcome.ending))
}

/// The signature needs stacks, which the search does not record: the run is repeated with them.
pub(crate) fn signature(
    subject: &mut dyn Subject,
    plan: &Plan,
    trace: &Trace,
    kind: Kind,
) -> Result<Signature, CampaignError> {
    let with_stacks = with_stacks(subject, plan, trace)?;
    Ok(Signature::of(kind, with_stacks.as_ref().unwrap_or(trace)))
}

/// Repeats a failing run in a fresh process and names it. If all that there is to record does not fit, less is.
pub(crate) fn confirm(
    subject: &mut dyn Subject,
    program: &Program,
    plan: &Plan,
    trace: &Trace,
    signature: Signature,
) -> Result<Finding, CampaignError> {
    for recording in [Recording::Values, Recording::Stacks, Recording::Accesses, Recording::Hash] {
        let again = Plan { fresh: true, ..replay_plan(plan, trace, recording) };
        let (confirmed, output) = subject.confirm(&again)?;
        if confirmed.outcome.ending == Ending::TraceFull && recording != Recording::Hash {
            continue;
        }
        same(trace, &confirmed)?;
        let run = Confirmed { first: trace, again: &confirmed, plan: again, output };
        return Ok(describe(subject, program, run, signature));
    }
    unreachable!("internal error: the last recording level returns")
}

/// A passing run must come out the same in a fresh process.
pub(crate) fn confirm_passing(subject: &mut dyn Subject, plan: &Plan, trace: &Trace) -> Result<(), CampaignError> {
    let again = Plan { fresh: true, ..replay_plan(plan, trace, plan.recording) };
    let (confirmed, output) = subject.confirm(&again)?;
    same(trace, &confirmed)?;
    // Only what a framework says is taken for it.
    let trusted =
        |c: &Caveat| c.kind == CaveatKind::TrustedLibrary && FRAMEWORKS.iter().any(|name| c.place.contains(name));
    match ran_nothing(&output) {
        Some(list) if subject.caveats().iter().any(trusted) => Err(CampaignError::NothingTested(list)),
        _ => Ok(()),
    }
}

fn same(first: &Trace, second: &Trace) -> Result<(), CampaignError> {
    let endings = (first.outcome.ending, second.outcome.ending);
    if crate::replay::destroyed(&first.outcome, &second.outcome) {
        return Ok(());
    }
    if endings.0 != endings.1 {
        let what = format!("it ended as {:?}, then as {:?} {}", endings.0, endings.1, second.outcome.message);
        return Err(CampaignError::Nondeterministic(what.trim_end().to_string()));
    }
    if first.hash != second.hash {
        let what = format!(
            "both ended as {:?}, on different ways: hash {:016x}, then {:016x}; {} steps, then {}",
            endings.0, first.hash, second.hash, first.length, second.length
        );
        return Err(CampaignError::Nondeterministic(what));
    }
    Ok(())
}
