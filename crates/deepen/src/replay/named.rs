//! The recorded run in the words of the program as it is now.
//!
//! A program that was built anew may be what it was to the last instruction, and yet have other lines, or functions with
//! other names: a comment was added, a function renamed. What was recorded of it is then no longer what is in its sources.

use super::{Happened, destroyed, is_told_alike, relation, told};
use crate::finding::{Confirmed, Signature, describe};
use crate::naming::Namer;
use crate::races::{Candidate, Races};
use crate::{Kind, Points, Subject};
use gabion_analysis::Detector;
use gabion_trace::{Frame, Plan, PointSet, RunError, Trace, TraceFile};

/// The recorded run, with names as they are now.
#[derive(Debug)]
pub struct Named {
    /// What it came to.
    pub bug: Happened,
    /// What its threads are called.
    pub threads: Vec<String>,
    /// Has it other lines or names than were recorded?
    pub renamed: bool,
}

/// Makes the run `first` again, with all that there is to record of it, and names it; none if it does not come out the same.
pub(super) fn named(
    subject: &mut dyn Subject,
    file: &TraceFile,
    plan: &Plan,
    first: &Trace,
) -> Result<Option<Named>, RunError> {
    let (again, output) = told(subject, plan)?;
    let same = again.outcome.ending == first.outcome.ending && again.hash == first.hash;
    let kind = if file.kind == Kind::Race.name() { Some(Kind::Race) } else { Kind::of(first.outcome.ending) };
    let Some(kind) = kind.filter(|_| same || destroyed(&again.outcome, &first.outcome)) else { return Ok(None) };
    let confirmed = Confirmed { first, again: &again, plan: plan.clone(), output };
    let mut finding = describe(subject, &file.program, confirmed, Signature::of(kind, &again));
    if kind == Kind::Race {
        match race(subject, file, &again) {
            Some(race) => finding.tell_race(&race, relation(file)),
            // Which of its races it was is not known.
            None => (finding.message, finding.trace.stack) = ("this run has a data race".into(), file.stack.clone()),
        }
    }
    let words = format!("{}: {}", finding.kind.name(), finding.message.trim());
    let renamed = is_renamed(file, &finding.trace);
    let bug = Happened { fails: true, words, location: finding.location };
    Ok(Some(Named { bug, threads: finding.trace.threads, renamed }))
}

/// The recorded race: of those of the run the one that is told in the same words; else but for its lines; else of the same object.
fn race(subject: &mut dyn Subject, file: &TraceFile, run: &Trace) -> Option<Candidate> {
    let mut found = Vec::new();
    Detector::new(relation(file)).judge(run, 0, |race| found.push(race));
    let mut races = Races::new(relation(file), Vec::new());
    races.add(&mut Namer::of(subject, run), &found, run, false, &Points::of(PointSet::EVERYWHERE));
    let find = |is_it: &dyn Fn(&Candidate) -> bool| races.all().iter().find(|race| is_it(race)).cloned();
    let of = |race: &Candidate| format!("{}: ", race.message().split(": ").next().unwrap_or_default());
    find(&|race| race.message() == file.message)
        .or_else(|| find(&|race| is_told_alike(&format!("{}: {}", file.kind, race.message()), file)))
        .or_else(|| find(&|race| file.message.starts_with(&of(race))))
}

/// Is any place of a run in another line, file or function now?
fn is_renamed(then: &TraceFile, now: &TraceFile) -> bool {
    let places = |file: &TraceFile| -> Vec<Vec<Frame>> {
        let waits = file.blocked.iter().map(|wait| &wait.stack);
        let stacks = file.steps.iter().map(|step| &step.stack).chain(waits).chain([&file.stack]);
        stacks.map(|stack| stack.iter().filter(|frame| !frame.is_library()).map(anywhere).collect()).collect()
    };
    then.steps.len() == now.steps.len() && places(then) != places(now)
}

/// A place without what depends on where the program and its sources lie.
fn anywhere(frame: &Frame) -> Frame {
    let file = frame.file.as_deref().and_then(|file| file.rsplit('/').next());
    Frame { file: file.map(str::to_string), module: String::new(), ..frame.clone() }
}
