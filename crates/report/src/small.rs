//! How small an interleaving is, what of it is essential, and what passes next to it, in words.

use crate::text::{counted, grouped};
use gabion_trace::{ChoiceKind, Chosen, Fewest, Minimisation, Passing, Round, SwitchRole, ThreadId, TraceFile};
use std::collections::BTreeSet;

/// Switches that are named one by one.
const MOST_NAMED: usize = 4;

/// Sentences about the interleaving of a file.
pub(crate) fn sentences(file: &TraceFile) -> Vec<String> {
    let mut out = Vec::from_iter(left_in_loops(file));
    let Some(small) = &file.minimisation else { return out };
    if small.allowed == 0 {
        out.push("As it was found: nobody looked for a smaller one, nor for what passes (--minimise-runs 0).".into());
        return out;
    }
    out.push(fewest(file, small));
    if file.steps.is_empty() {
        return out;
    }
    out.extend(smaller(file, small));
    out.extend(essential(small, SwitchRole::Essential, "it does not fail"));
    out.extend(essential(small, SwitchRole::Diverting, "it fails in another way"));
    out.extend(small.passing.as_ref().and_then(|passing| passes(file, passing)));
    out
}

/// The switches of a role, and what happens without any of them.
fn essential(small: &Minimisation, role: SwitchRole, otherwise: &str) -> Option<String> {
    let named = small.switches.iter().filter(|switch| switch.role == role);
    let named: Vec<String> =
        named.map(|switch| format!("from {} to {} before step {}", switch.from, switch.to, switch.step + 1)).collect();
    match named.as_slice() {
        [] => None,
        [one] => Some(format!("The switch {one} is essential: without it, {otherwise}.")),
        all => Some(format!("Essential switches: {}; without any one of them {otherwise}.", all.join(", "))),
    }
}

fn fewest(file: &TraceFile, small: &Minimisation) -> String {
    let runs = |n: u64| counted(n, "run");
    let found = small.original.as_ref().map_or(String::new(), |original| {
        let preemptions = if original.preemptions == 1 { "preemption" } else { "preemptions" };
        format!("; it was found with {} {preemptions} in {} steps", original.preemptions, original.steps.len())
    });
    match (small.fewest, &small.stopped) {
        (Fewest::Proven, _) if file.preemptions == 0 => {
            let other = if file.left_in_loops.is_empty() { "" } else { "other " };
            format!("No {other}preemption is needed ({}){found}.", runs(small.runs))
        }
        (Fewest::Proven, _) => {
            let tried = tried(small);
            format!("With fewer preemptions this bug does not show: {tried} ({}){found}.", runs(small.runs))
        }
        (Fewest::Unknown, Some(why)) => format!("There may be a smaller one: {why} ({}){found}.", runs(small.runs)),
        (Fewest::Unknown, None) => {
            let verb = if small.runs == 1 { "was" } else { "were" };
            format!(
                "There may be a smaller one: {} of {} {verb} made (--minimise-runs){found}.",
                grouped(small.runs),
                runs(small.allowed)
            )
        }
    }
}

/// What was tried before it was said that there is nothing smaller.
pub(crate) fn tried(small: &Minimisation) -> &'static str {
    if small.assumed { "all were tried but for more rounds of loops that were taken to wait" } else { "all were tried" }
}

/// Which threads are left in loops that only look as if they waited, if any are.
pub(crate) fn left_in_loops(file: &TraceFile) -> Option<String> {
    let steps: Vec<(usize, ThreadId)> = file
        .left_in_loops
        .iter()
        .filter_map(|step| Some((step + 1, file.steps.get(step.checked_sub(1)?)?.thread)))
        .collect();
    let named = |(step, thread): &(usize, ThreadId)| format!("{thread} before step {step}");
    let all: Vec<String> = steps.iter().take(MOST_NAMED).map(named).collect();
    let all = all.join(", ");
    let rest = "could have gone on; that is no preemption here";
    match steps.len() {
        0 => None,
        1 => Some(format!("A thread is left in a loop that was taken to wait: {all}. It {rest}.")),
        n if n > MOST_NAMED => Some(format!(
            "Threads are left in loops that were taken to wait: {all}, and {} more. They {rest}.",
            n - MOST_NAMED
        )),
        _ => Some(format!("Threads are left in loops that were taken to wait: {all}. They {rest}.")),
    }
}

/// Whether there is one with as few preemptions and fewer switches, or threads.
pub(crate) fn smaller(file: &TraceFile, small: &Minimisation) -> Option<String> {
    let switches = match file.switches() {
        0 => return None,
        1 => "1 switch".to_string(),
        n => format!("{} switches", grouped(n as u64)),
    };
    let threads = file.steps.iter().map(|step| step.thread).collect::<BTreeSet<_>>().len() as u64;
    match (small.fewest_switches, small.fewest_threads) {
        (Fewest::Proven, Fewest::Proven) => Some(format!(
            "With so few preemptions it takes {switches}, and with so few of these {}: {}.",
            counted(threads, "thread"),
            tried(small)
        )),
        (Fewest::Proven, Fewest::Unknown) => Some(format!(
            "With so few preemptions it takes {switches}: {}. Whether fewer threads would do is not known.",
            tried(small)
        )),
        (Fewest::Unknown, _) => Some("Whether fewer switches or threads would do is not known.".into()),
    }
}

/// That the steps of a round were made again, and how often.
pub(crate) fn again(round: &Round) -> String {
    let (first, last) = (round.steps[0] + 1, round.steps[round.steps.len() - 1] + 1);
    let named = match round.steps.len() {
        1 => format!("step {first}"),
        2 => format!("steps {first} and {last}"),
        n if last - first < n => format!("steps {first} to {last}"),
        _ => format!("this thread's steps from {first} to {last}"),
    };
    match round.again.len() / round.steps.len() {
        0 | 1 => format!("{named} again and again"),
        times => format!("{named} again, {} times", grouped(times as u64)),
    }
}

/// The first step in which the closest run that passes is another one: all that can be said of it without a guess.
fn passes(file: &TraceFile, passing: &Passing) -> Option<String> {
    if let Some(chosen) = &passing.chosen {
        return chosen_otherwise(file, chosen);
    }
    let at = passing.step;
    let (here, there) = (file.steps.get(at)?, passing.run.steps.get(at)?);
    let turn = passing.run.steps[at..].iter().take_while(|step| step.thread == there.thread).count();
    let what = match turn {
        1 => format!("for 1 step: {:?}", there.what),
        n => format!("for {n} steps from {:?} on", there.what),
    };
    let others = match passing.others {
        0 => String::new(),
        1 => " Whom a signal wakes, or what the program was given, differs then once, too.".into(),
        n => format!(" Whom signals wake, or what the program was given, differs then {n} times, too."),
    };
    Some(format!("It passes if {} runs at step {} instead of {}, {what}.{others}", there.thread, at + 1, here.thread))
}

/// That it passes if something else is chosen in a step.
fn chosen_otherwise(file: &TraceFile, chosen: &Chosen) -> Option<String> {
    let Chosen { step, kind, value, instead } = chosen;
    let (number, made) = (step + 1, file.steps.get(*step)?);
    Some(match kind {
        ChoiceKind::Waiter => {
            let (other, one) = (ThreadId(*value as u16), ThreadId(*instead as u16));
            format!("It passes if step {number} ({:?}) wakes {other} instead of {one}.", made.what)
        }
        // Of many values one is chosen in parts, and of several choices in a step it is not told which it was.
        ChoiceKind::Program if made.what.matches("(of 0..").count() != 1 => {
            format!("It passes if {} is given something else at step {number}.", made.thread)
        }
        ChoiceKind::Program => {
            format!("It passes if {} is given {value} at step {number} instead of {instead}.", made.thread)
        }
        _ => {
            let how = if *value == 0 { "does not end by itself" } else { "ends by itself" };
            format!("It passes if the wait of {} at step {number} ({:?}) {how}.", made.thread, made.what)
        }
    })
}
