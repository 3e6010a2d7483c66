//! State spaces in words: what a search that is not over has covered, and what it has not.

use crate::text::{about, counted, paragraph};
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

/// Where all those runs were made: the points of the one state space, or how many there are.
pub(crate) fn searched(report: &Report) -> String {
    match report.state_spaces.iter().filter(|space| space.runs > 0).count() {
        0 | 1 => format!("preempting at: {}", names(&report.scope.preempt)),
        spaces => format!("in {spaces} state spaces"),
    }
}

/// Something to say of several state spaces.
pub(crate) struct Part {
    pub(crate) heading: String,
    /// One for each, if the heading does not say it all.
    pub(crate) spaces: Vec<String>,
}

/// What was explored whole, and what is left.
pub(crate) fn partial(report: &Report) -> Vec<Part> {
    let mut parts = Vec::new();
    let largest: Vec<&StateSpace> = report.state_spaces.iter().filter(|space| space.largest).collect();
    let explored = |space: &&StateSpace| match space.runs {
        0 => names(&space.preempt),
        _ => format!("{} ({})", names(&space.preempt), runs(space)),
    };
    parts.extend(list("Every interleaving that switches threads only here passes:", &largest, explored));
    let with_bound = report.state_spaces.iter().filter_map(|space| Some((space, space.completed_bound?)));
    let last = with_bound.max_by_key(|(space, _)| (space.by_bound, space.preempt.len()));
    if let Some((space, bound)) = last {
        let (most, names) = (at_most(bound), names(&space.preempt));
        let heading = format!("Every interleaving with {most} passes that switches threads only here: {names}");
        parts.push(Part { heading, spaces: Vec::new() });
    }
    let open = report.state_spaces.iter().filter(|s| is_open(s) && !s.by_bound);
    let (mut begun, rest): (Vec<&StateSpace>, Vec<_>) = open.partition(|space| space.runs > 0);
    begun.sort_by(|a, b| a.estimate.partial_cmp(&b.estimate).expect("numbers"));
    parts.extend(list("Not finished:", &begun, |space| format!("{}: {}", names(&space.preempt), progress(space))));
    let rest = match rest.as_slice() {
        [] => None,
        [one] => Some(format!("Not begun: {}", names(&one.preempt))),
        all => Some(format!("Not begun: {} state spaces (--json names them)", all.len())),
    };
    parts.extend(rest.map(|heading| Part { heading, spaces: Vec::new() }));
    parts
}

/// The same for a terminal.
pub(crate) fn in_lines(parts: &[Part], width: usize) -> String {
    let part = |part: &Part| {
        let items = part.spaces.iter().map(|space| paragraph("  - ", space, width));
        paragraph("  ", &part.heading, width) + &items.collect::<String>()
    };
    parts.iter().map(part).collect()
}

/// A number of preemptions that nothing has more of.
pub(crate) fn at_most(bound: u32) -> String {
    match bound {
        0 => "no preemption".to_string(),
        1 => "at most 1 preemption".to_string(),
        _ => format!("at most {bound} preemptions"),
    }
}

fn is_open(space: &StateSpace) -> bool {
    matches!(space.status, SpaceStatus::Suspended | SpaceStatus::Pending)
}

fn progress(space: &StateSpace) -> String {
    match space.estimate {
        Some(all) if all > 1e15 => format!("{}, beyond any hope", runs(space)),
        Some(all) => format!("{} of about {}", runs(space), about(all, space.runs)),
        None => runs(space),
    }
}

fn runs(space: &StateSpace) -> String {
    counted(space.runs, "run")
}

fn list<'a>(heading: &str, spaces: &[&'a StateSpace], words: impl Fn(&&'a StateSpace) -> String) -> Option<Part> {
    let mut told: Vec<String> = spaces.iter().take(SHOWN).map(words).collect();
    if spaces.len() > SHOWN {
        told.push(format!("and {} more (--json has them all)", spaces.len() - SHOWN));
    }
    (!told.is_empty()).then(|| Part { heading: heading.to_string(), spaces: told })
}
