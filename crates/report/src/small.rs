//! How small an interleaving is, what of it is essential, and what passes next to it, in words.

use crate::text::grouped;
use gabion_trace::{Fewest, Minimisation, Passing, SwitchRole, TraceFile};

/// Sentences about the interleaving of a file.
pub(crate) fn sentences(file: &TraceFile) -> Vec<String> {
    let Some(small) = &file.minimisation else { return Vec::new() };
    let mut out = vec![fewest(file, small)];
    if file.steps.is_empty() {
        return out;
    }
    let essential: Vec<String> = small
        .switches
        .iter()
        .filter(|switch| switch.role == SwitchRole::Essential)
        .map(|switch| format!("from {} to {} before step {}", switch.from, switch.to, switch.step + 1))
        .collect();
    match essential.as_slice() {
        [] => {}
        [one] => out.push(format!("The switch {one} is essential: without it, it does not fail.")),
        all => out.push(format!("Essential switches: {}; without any one of them it does not fail.", all.join(", "))),
    }
    out.extend(small.passing.as_ref().and_then(|passing| passes(file, small, passing)));
    out
}

fn fewest(file: &TraceFile, small: &Minimisation) -> String {
    let runs = |n: u64| format!("{} run{}", grouped(n), if n == 1 { "" } else { "s" });
    let found = small.original.as_ref().map_or(String::new(), |original| {
        format!("; it was found with {} preemptions in {} steps", original.preemptions, original.steps.len())
    });
    match (small.fewest, &small.stopped) {
        (Fewest::Proven, _) if file.preemptions == 0 => {
            format!("No preemption is needed ({}){found}.", runs(small.runs))
        }
        (Fewest::Proven, _) => {
            format!("With fewer preemptions this bug does not show: all were tried ({}){found}.", runs(small.runs))
        }
        (Fewest::Unknown, Some(why)) => format!("There may be a smaller one: {why} ({}){found}.", runs(small.runs)),
        (Fewest::Unknown, None) => {
            let allowed = grouped(small.allowed);
            format!(
                "There may be a smaller one: of {allowed} runs, {} were made (--minimise-runs){found}.",
                grouped(small.runs)
            )
        }
    }
}

fn passes(file: &TraceFile, small: &Minimisation, passing: &Passing) -> Option<String> {
    let Some(switch) = passing.switch.map(|index| small.switches.get(index)) else {
        let first = passing.run.steps.get(passing.step)?;
        return Some(format!("It passes if {} runs before step {}.", first.thread, passing.step + 1));
    };
    let switch = switch?;
    let at = switch.step + 1;
    let steps = |n: u32| format!("{n} step{}", if n == 1 { "" } else { "s" });
    Some(match passing.shift {
        None => format!("It passes if {} goes on before step {at} instead of {}.", switch.from, switch.to),
        Some(by) if by < 0 => {
            let last = file.steps.get(switch.step.checked_sub(by.unsigned_abs() as usize)?)?;
            let what = &last.what;
            format!(
                "It passes if {} runs {} earlier: before {} does {what:?}.",
                switch.to,
                steps(by.unsigned_abs()),
                switch.from
            )
        }
        Some(by) => {
            format!("It passes if {} runs {} later than before step {at}.", switch.to, steps(by.unsigned_abs()))
        }
    })
}
