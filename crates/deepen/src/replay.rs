//! Replaying a trace file: once in a fresh process, then as often as asked in place.
//!
//! A program that was changed since, or reads something else, is tried all the same. What is said is about the run that was
//! made, never about the one that was recorded.

mod named;

use crate::finding::{Confirmed, Signature, describe};
use crate::naming::{Namer, location, who};
use crate::{Kind, Subject};
use gabion_analysis::{Detector, HappensBefore};
use gabion_trace::{
    Ending, Frame, Mismatch, NamedStep, Outcome, Plan, PlanId, Recording, RunError, Tail, ThreadId, Trace, TraceFile,
};
pub use named::Named;

/// What the program reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// What it read when it was recorded, as far as is known.
    AsRecorded,
    /// Something else.
    Other,
}

/// What a replay came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Replayed {
    /// The same ending on the same way, every time.
    Again,
    /// The same kind of ending, of a changed program, or one with another input.
    AgainChanged(Happened),
    /// The run of such a program ended in another way.
    Otherwise(Happened),
    /// The program did not follow the recorded choices, or not every time.
    Diverged(String),
    /// The choices no longer fit such a program.
    Misfit {
        /// Where that showed, and how.
        left: String,
        /// How the run ends that takes the choices as far as they go.
        nearest: Happened,
        /// Is that the bug?
        again: bool,
    },
}

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Happened {
    /// With a bug?
    pub fails: bool,
    /// In words; of a bug its kind and what it says.
    pub words: String,
    /// `file:line`, if known.
    pub location: Option<String>,
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
    /// If it is the same ending on the same way: what the run is called now.
    pub named: Option<Named>,
}

/// Runs the file's plan `times` times. The program may not be the one that was recorded: then it is tried all the same.
pub fn replay(subject: &mut dyn Subject, file: &TraceFile, times: u64, input: Input) -> Result<Replay, RunError> {
    let unchanged = subject.program_hash() == file.program.hash && input == Input::AsRecorded;
    let races = file.kind == Kind::Race.name();
    let recording = if races { Recording::Accesses } else { Recording::Hash };
    let plan = Plan { program: 0, fresh: true, recording, ..file.plan.clone() };
    let (first, output) = if unchanged { subject.confirm(&plan)? } else { told(subject, &plan)? };
    let diverged = first.outcome.ending == Ending::Diverged;
    let replayed = if !unchanged && (diverged || !is_followed(subject, file, &first)) {
        let left = where_it_left(subject, file, &first);
        let (near, printed) = if diverged {
            told(subject, &Plan { mismatch: Mismatch::Nearest, tail: Tail::Fair, ..plan.clone() })?
        } else {
            (first, output.clone())
        };
        let nearest = happened(subject, file, &plan, &near, printed);
        let again = is_again(&near, file) && is_told_alike(&nearest.words, file);
        let replayed = Replayed::Misfit { left, nearest, again };
        return Ok(Replay { replayed, runs: 1, output, named: None });
    } else if diverged {
        let (first, _) = told(subject, &plan)?;
        Replayed::Diverged(where_it_left(subject, file, &first))
    } else if !unchanged {
        let happened = happened(subject, file, &plan, &first, output.clone());
        if is_again(&first, file) { Replayed::AgainChanged(happened) } else { Replayed::Otherwise(happened) }
    } else if destroyed(&first.outcome, &file.outcome) || same_ending(&first, file) && first.hash == file.hash {
        Replayed::Again
    } else {
        Replayed::Diverged(format!(
            "the program is the one that was recorded, but this run is another: {} (recorded: {})",
            ended(first.outcome.ending),
            ended(file.outcome.ending)
        ))
    };
    if matches!(replayed, Replayed::Diverged(_)) {
        return Ok(Replay { replayed, runs: 1, output, named: None });
    }
    let again = replayed == Replayed::Again;
    let named = if again { named::named(subject, file, &plan, &first)? } else { None };
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
                let what = format!("run {runs} of {times} differs from the first: {}", ended(trace.outcome.ending));
                return Ok(Replay { replayed: Replayed::Diverged(what), runs, output, named: None });
            }
        }
    }
    Ok(Replay { replayed, runs, output, named })
}

/// A run in a fresh process with all that fits into its record.
fn told(subject: &mut dyn Subject, plan: &Plan) -> Result<(Trace, String), RunError> {
    for recording in [Recording::Values, Recording::Stacks, Recording::Accesses] {
        let run = subject.confirm(&Plan { recording, ..plan.clone() })?;
        if run.0.outcome.ending != Ending::TraceFull {
            return Ok(run);
        }
    }
    subject.confirm(plan)
}

fn same_ending(run: &Trace, file: &TraceFile) -> bool {
    run.outcome.ending == file.outcome.ending && run.outcome.code == file.outcome.code
}

/// Does a run of a changed program end with the bug? One with a race does not fail, so that is looked for.
fn is_again(run: &Trace, file: &TraceFile) -> bool {
    let races = file.kind == Kind::Race.name();
    destroyed(&run.outcome, &file.outcome) || same_ending(run, file) && (!races || has_race(run, file))
}

/// What a run of a changed program came to.
fn happened(subject: &mut dyn Subject, file: &TraceFile, plan: &Plan, run: &Trace, output: String) -> Happened {
    if let Some(kind) = Kind::of(run.outcome.ending) {
        let confirmed = Confirmed { first: run, again: run, plan: plan.clone(), output };
        let finding = describe(subject, &file.program, confirmed, Signature::of(kind, run));
        let words = format!("{}: {}", finding.kind.name(), finding.message.trim());
        return Happened { fails: true, words, location: finding.location };
    }
    let race = file.kind == Kind::Race.name() && has_race(run, file);
    let words = if race { "race: this run has a data race" } else { ended(run.outcome.ending) };
    Happened { fails: race, words: words.into(), location: None }
}

/// How a run ended, after "the run".
fn ended(ending: Ending) -> &'static str {
    match ending {
        Ending::Passed => "it ends well",
        Ending::TooManySteps => "it goes on for more steps than are allowed",
        Ending::StepCut => "one thread goes on and on while others could run",
        Ending::TraceFull => "it is too long to be recorded",
        Ending::Unsupported => "it calls what cannot be checked",
        ending => Kind::of(ending).map_or("it does not end", Kind::ends),
    }
}

/// Did a run of a changed program take the recorded steps, one after another, up to the one that failed? It may go on in
/// another way. Of a run without a record of its own nothing is said.
fn is_followed(subject: &mut dyn Subject, file: &TraceFile, run: &Trace) -> bool {
    if run.outcome.ending == Ending::TraceFull || is_lost(run.outcome.ending) {
        return true;
    }
    let steps = Namer::of(subject, run).steps(run);
    let then = file.failed_in.map_or(&file.steps[..], |last| &file.steps[..file.steps.len().min(last + 1)]);
    steps.len() >= then.len() && steps.iter().zip(then).all(|(now, then)| is_same(now, then))
}

/// The same deed of the same thread? Addresses that have no name may have moved; places on stacks may have got one, or lost it, and
/// so may what is in a variable.
fn is_same(now: &NamedStep, then: &NamedStep) -> bool {
    let is_unnamed = |step| deed(step).contains(" stack of T");
    let told = if is_unnamed(now) || is_unnamed(then) { 1 } else { usize::MAX };
    let words = |step| deed(step).split(' ').filter(|word| !word.contains("0x")).take(told);
    let (now_words, then_words) = (words(now).collect::<Vec<_>>(), words(then).collect::<Vec<_>>());
    let same = now_words.iter().zip(&then_words).all(|(now, then)| is_same_word(now, then));
    now.thread == then.thread && now_words.len() == then_words.len() && same
}

/// Are two words the same, or one the name of a variable, with a distance or without, the other of a member of it? Lines that
/// allocate may have moved, and how many blocks there are.
fn is_same_word(one: &str, other: &str) -> bool {
    if let (Some(one), Some(other)) = (block(one), block(other)) {
        return one.0.is_empty() || other.0.is_empty() || one == other;
    }
    let variable = |word: &str| word.split(['.', '[', '+']).next().unwrap_or_default().to_owned();
    let is_member = |word: &str| word.contains(['.', '[']);
    one == other || is_member(one) != is_member(other) && variable(one) == variable(other)
}

/// The file that allocated a block, and the distance in it, if that is what a word names. None of both: the block has no name.
fn block(word: &str) -> Option<(&str, &str)> {
    let rest = word.trim_start_matches('&').strip_prefix("heap")?;
    let Some((place, behind)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else {
        return rest.is_empty().then_some(("", ""));
    };
    let distance = behind.split_once('+').map_or("", |(_, distance)| distance);
    Some((place.rsplit_once(':').map_or(place, |(file, _)| file), distance))
}

/// Is what is said of a failure what was said when it was recorded? Lines may have moved.
fn is_told_alike(now: &str, file: &TraceFile) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(' ').filter(|word| !word.contains(|c: char| c.is_ascii_digit())).map(str::to_string).collect()
    };
    let then = format!("{}: {}", file.kind, file.message.trim());
    words(now) == words(&then)
}

/// The first step that is not as it was recorded: what was to come there, and what came.
fn where_it_left(subject: &mut dyn Subject, file: &TraceFile, run: &Trace) -> String {
    let mut namer = Namer::of(subject, run);
    let steps = namer.steps(run);
    let made = steps.iter().zip(&file.steps).take_while(|(now, then)| is_same(now, then)).count();
    let own = |frame: &&Frame| !frame.is_library();
    let at = |stack: &[Frame]| {
        Frame::place(stack).filter(own).and_then(location).map_or(String::new(), |at| format!(" at {at}"))
    };
    let before = if made == 0 { "from the first step on".into() } else { format!("after step {made}") };
    let Some(then) = file.steps.get(made) else { return format!("{before}: it goes on where the recorded one ended") };
    let who = |thread: ThreadId| who(thread, &file.threads);
    let next = format!("{before}: at step {} {} was to {}{}", made + 1, who(then.thread), deed(then), at(&then.stack));
    let now = match (steps.get(made), run.pending.iter().find(|pending| pending.thread == then.thread)) {
        (Some(now), _) if now.thread == then.thread => format!("it does {:?}{}", deed(now), at(&now.stack)),
        (_, Some(pending)) => {
            let (what, stack) = namer.next(pending);
            format!("it is about to {what}{}", at(&stack))
        }
        (Some(now), None) => format!("{} does {:?}{}", who(now.thread), deed(now), at(&now.stack)),
        (None, None) if steps.is_empty() => "the program ends before that".into(),
        (None, None) if run.threads.len() <= then.thread.index() => "there is no such thread".into(),
        (None, None) => "it has nothing more to do".into(),
    };
    format!("{next}, and now {now}")
}

/// What a step does, without the values that it met.
fn deed(step: &NamedStep) -> &str {
    step.what.split(" (").next().unwrap_or_default()
}

/// Is there a data race in the run, by the relation of the one that was found?
fn has_race(trace: &Trace, file: &TraceFile) -> bool {
    let mut found = false;
    Detector::new(relation(file)).judge(trace, 0, |_| found = true);
    found
}

/// What orders two accesses, as it was recorded.
fn relation(file: &TraceFile) -> HappensBefore {
    let named = HappensBefore::NAMES.iter().find(|(name, _)| file.relation.as_deref() == Some(name));
    named.map_or_else(HappensBefore::default, |(_, relation)| *relation)
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

#[cfg(test)]
mod tests {
    use super::is_same_word;

    #[test]
    fn what_is_in_a_variable_may_have_got_a_name() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(is_same_word(one, other), same, "{one} {other}");
            assert_eq!(is_same_word(other, one), same, "{other} {one}");
        };
        check("queue+8", "queue.head", true);
        check("failed", "failed[0]", true);
        check("queue.head", "queue.tail", false);
        check("queue", "queue+8", false);
        check("queue+8", "stack.head", false);
    }

    #[test]
    fn lines_that_allocate_may_have_moved() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(is_same_word(one, other), same, "{one} {other}");
            assert_eq!(is_same_word(other, one), same, "{other} {one}");
        };
        check("heap(queue.c:31)", "heap(queue.c:40)#2", true);
        check("heap(queue.c:31)+8", "heap(queue.c:40)+8", true);
        check("heap(queue.c:31)+8", "heap(queue.c:31)+4", false);
        check("heap(queue.c:31)", "heap(list.c:31)", false);
        check("heap", "heap(queue.c:31)+8", true); // whose block that was, an older trace does not say
        check("heap(queue.c:31)", "heaps", false);
    }
}
