//! State spaces in words: what a search that is not over has covered, and what it has not.

use crate::text::{counted, grouped, paragraph};
use crate::{Report, SpaceStatus, StateSpace};

/// State spaces of one sort that are shown.
const SHOWN: usize = 8;

/// The preemption points of a space, each line once.
pub(crate) fn names(preempt: &[String]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in preempt {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// What was explored whole, and what is left.
pub(crate) fn partial(report: &Report, width: usize, out: &mut String) {
    let largest: Vec<&StateSpace> = report.state_spaces.iter().filter(|space| space.largest).collect();
    let explored = |space: &&StateSpace| format!("{} ({})", names(&space.preempt), runs(space));
    list("Every interleaving that switches threads only here passes:", &largest, explored, width, out);
    let with_bound = report.state_spaces.iter().filter_map(|space| Some((space, space.completed_bound?)));
    let last = with_bound.max_by_key(|(space, _)| (space.by_bound, space.preempt.len()));
    if let Some((space, bound)) = last {
        let most = match bound {
            0 => "no preemption".to_string(),
            1 => "at most 1 preemption".to_string(),
            _ => format!("at most {bound} preemptions"),
        };
        let text =
            format!("Every interleaving with {most} passes that switches threads only here: {}", names(&space.preempt));
        out.push_str(&paragraph("  ", &text, width));
    }
    let open = report.state_spaces.iter().filter(|s| is_open(s) && !s.by_bound);
    let (mut begun, rest): (Vec<&StateSpace>, Vec<_>) = open.partition(|space| space.runs > 0);
    begun.sort_by(|a, b| a.estimate.partial_cmp(&b.estimate).expect("numbers"));
    list("Not finished:", &begun, |space| format!("{}: {}", names(&space.preempt), progress(space)), width, out);
    match rest.len() {
        0 => {}
        1 => out.push_str(&paragraph("  Not begun: ", &names(&rest[0].preempt), width)),
        n => out.push_str(&format!("  Not begun: {n} state spaces (--json names them)\n")),
    }
}

fn is_open(space: &StateSpace) -> bool {
    matches!(space.status, SpaceStatus::Suspended | SpaceStatus::Pending)
}

fn progress(space: &StateSpace) -> String {
    match space.estimate {
        Some(all) if all > 1e15 => format!("{}, beyond any hope", runs(space)),
        Some(all) => format!("{} of about {}", runs(space), grouped(all as u64)),
        None => runs(space),
    }
}

fn runs(space: &StateSpace) -> String {
    counted(space.runs, "run")
}

fn list<'a>(
    heading: &str,
    spaces: &[&'a StateSpace],
    words: impl Fn(&&'a StateSpace) -> String,
    width: usize,
    out: &mut String,
) {
    if spaces.is_empty() {
        return;
    }
    out.push_str(&format!("  {heading}\n"));
    for space in spaces.iter().take(SHOWN) {
        out.push_str(&paragraph("  - ", &words(space), width));
    }
    if spaces.len() > SHOWN {
        out.push_str(&format!("  - and {} more (--json has them all)\n", spaces.len() - SHOWN));
    }
}
