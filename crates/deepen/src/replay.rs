//! Replaying a trace file: once in a fresh process, then as often as asked in place.

use crate::naming::{location, who};
use crate::{Kind, Subject};
use gabion_analysis::{Detector, HappensBefore};
use gabion_trace::{Ending, Frame, Mismatch, Outcome, Plan, PlanId, Recording, RunError, Tail, Trace, TraceFile};

/// What a replay came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The same ending on the same way, every time.
    Again,
    /// The same ending; the way there differs, which a changed program explains.
    AgainChanged,
    /// The run ended in another way, as a changed program may.
    Otherwise(Outcome),
    /// The program did not follow the recorded choices, or not every time.
    Diverged(String),
    /// The choices no longer fit a changed program.
    Misfit {
        /// Where that showed, and how.
        left: String,
        /// How the run ends that takes the choices as far as they go, and whether that is the bug.
        nearest: Outcome,
        /// Is that the bug?
        again: bool,
    },
}

/// A replay's result.
#[derive(Debug)]
pub struct Replay {
    /// What it came to.
    pub replayed: Replayed,
    /// Runs made, all with the same trace unless it diverged.
    pub runs: u64,
    /// What the program printed in the first run.
    pub output: String,
}

/// Runs the file's plan `times` times. The program may not be the one that was recorded: then it is tried all the same.
pub fn replay<S: Subject>(subject: &mut S, file: &TraceFile, times: u64) -> Result<Replay, RunError> {
    let unchanged = subject.program_hash() == file.program.hash;
    let races = file.kind == Kind::Race.name();
    let recording = if races { Recording::Accesses } else { Recording::Hash };
    let plan = Plan { program: 0, fresh: true, recording, ..file.plan.clone() };
    let (first, output) = subject.confirm(&plan)?;
    let lost = destroyed(&first.outcome, &file.outcome);
    let same_ending = lost || (first.outcome.ending == file.outcome.ending && first.outcome.code == file.outcome.code);
    // A run with a race does not fail; whether a changed program still has one is to be seen.
    let same_ending = same_ending && (!races || unchanged || has_race(&first, file));
    let replayed = if first.outcome.ending == Ending::Diverged && !unchanged {
        let near = Plan { mismatch: Mismatch::Nearest, tail: Tail::Fair, ..plan.clone() };
        let (near, _) = subject.confirm(&near)?;
        let again = near.outcome.ending == file.outcome.ending && near.outcome.code == file.outcome.code;
        let again = again && (!races || has_race(&near, file));
        Replayed::Misfit { left: where_it_left(file, &first), nearest: near.outcome, again }
    } else if first.outcome.ending == Ending::Diverged {
        Replayed::Diverged(first.outcome.message.clone())
    } else if same_ending && (first.hash == file.hash || lost) {
        Replayed::Again
    } else if unchanged {
        Replayed::Diverged(format!(
            "the program is the one that was recorded, but this run is another: it ended as {:?} (recorded: {:?})",
            first.outcome.ending, file.outcome.ending
        ))
    } else if same_ending {
        Replayed::AgainChanged
    } else {
        Replayed::Otherwise(first.outcome.clone())
    };
    if matches!(replayed, Replayed::Diverged(_) | Replayed::Misfit { .. }) {
        return Ok(Replay { replayed, runs: 1, output });
    }
    let mut plans = vec![Plan { fresh: false, ..plan }; subject.batch().max(1)];
    let mut runs = 1;
    let mut traces = Vec::new();
    while runs < times {
        traces.clear();
        let batch = plans.len().min(usize::try_from(times - runs).unwrap_or(usize::MAX));
        for (plan, id) in plans.iter_mut().zip(runs..) {
            plan.id = PlanId(id);
        }
        subject.run(&plans[..batch], &mut traces)?;
        for trace in &traces {
            runs += 1;
            let same = trace.outcome.ending == first.outcome.ending && trace.hash == first.hash;
            if !same && !destroyed(&trace.outcome, &first.outcome) {
                let what =
                    format!("run {runs} of {times} differs from the first: it ended as {:?}", trace.outcome.ending);
                return Ok(Replay { replayed: Replayed::Diverged(what), runs, output });
            }
        }
    }
    Ok(Replay { replayed, runs, output })
}

/// After which recorded step a run no longer fits, and what was to come.
fn where_it_left(file: &TraceFile, run: &Trace) -> String {
    let made = usize::try_from(run.length).unwrap_or(usize::MAX);
    let next = file.steps.get(made).map(|step| {
        let at = Frame::place(&step.stack).and_then(location).map_or(String::new(), |at| format!(" at {at}"));
        format!(", where {} was to {}{at}", who(step.thread, &file.threads), step.what)
    });
    let (next, all) = (next.unwrap_or_default(), file.steps.len());
    format!("after step {made} of {all}{next} ({})", run.outcome.message)
}

/// Is there a data race in the run, by the relation of the one that was found?
fn has_race(trace: &Trace, file: &TraceFile) -> bool {
    let named = HappensBefore::NAMES.iter().find(|(name, _)| file.relation.as_deref() == Some(name));
    let mut found = false;
    Detector::new(named.map_or_else(HappensBefore::default, |(_, relation)| *relation))
        .judge(trace, 0, |_| found = true);
    found
}

/// Did both runs fail, at least one of them so badly that its process was lost? A program that destroys its own process
/// need not do so twice in the same way.
pub(crate) fn destroyed(first: &Outcome, second: &Outcome) -> bool {
    first.is_failure() && second.is_failure() && (is_lost(first.ending) || is_lost(second.ending))
}

/// Endings that the target reports about itself, with whatever record was left.
pub(crate) fn is_lost(ending: Ending) -> bool {
    matches!(ending, Ending::Hung | Ending::Died | Ending::Scribbled)
}
