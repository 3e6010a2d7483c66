//! State spaces in words: what a search that is not over has covered, and what it has not.

use crate::text::{about, counted, grouped, paragraph};
use crate::{Report, SpaceStatus, StateSpace};
use gabion_trace::{Caveat, CaveatKind};

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

/// The same of a space in a list, with how much more often than usual its loops go round before they are taken to wait.
pub(crate) fn named(space: &StateSpace) -> String {
    let names = names(&space.preempt);
    match space.doublings {
        0 => names,
        n => format!("{names}; loops going round {} times as often", 1u32 << n.min(31)),
    }
}

/// Where all those runs were made: the points of the one state space, or how many there are.
pub(crate) fn searched(report: &Report) -> String {
    match report.state_spaces.iter().filter(|space| space.runs > 0).count() {
        0 | 1 => format!("preempting at: {}", names(&report.scope.preempt)),
        spaces => format!("in {spaces} state spaces"),
    }
}

/// What became of the runs, if not all of them reached an end of the program's own.
pub(crate) fn kinds_of_runs(report: &Report) -> Option<String> {
    let Report { runs, complete_runs, cut_runs, blocked_runs, abandoned_runs, .. } = *report;
    let kinds = [
        (complete_runs, "to their end"),
        (cut_runs, "cut by a limit"),
        (blocked_runs, "blocked by the reduction"),
        (abandoned_runs, "begun again"),
    ];
    let told = kinds.iter().filter(|(runs, _)| *runs > 0).map(|(runs, kind)| format!("{} {kind}", grouped(*runs)));
    (complete_runs < runs).then(|| told.collect::<Vec<_>>().join(", "))
}

/// A space by its points, and how it is searched if not as others are.
pub(crate) fn title(space: &StateSpace) -> String {
    let order = if space.by_bound { ", few preemptions first" } else { "" };
    format!("{}{order}", named(space))
}

/// Something to say of several state spaces.
pub(crate) struct Part {
    pub(crate) heading: String,
    /// One for each, if the heading does not say it all.
    pub(crate) spaces: Vec<String>,
}

/// What was explored whole, and what is left. The runs of all that is listed are all that were made.
pub(crate) fn partial(report: &Report) -> Vec<Part> {
    let mut parts = Vec::new();
    let but = if is_limited(report) { ", but for what is not covered (see below)" } else { "" };
    let (largest, rest): (Vec<&StateSpace>, Vec<_>) = report.state_spaces.iter().partition(|space| space.largest);
    let explored = |space: &&StateSpace| match space.runs {
        0 => title(space),
        _ => format!("{} ({})", title(space), runs(space)),
    };
    parts.extend(list(&format!("Every interleaving that switches threads only here passes{but}:"), &largest, explored));
    let with_bound = report.state_spaces.iter().filter_map(|space| Some((space, space.completed_bound?)));
    let last = with_bound.max_by_key(|(space, _)| (space.by_bound, space.preempt.len()));
    if let Some((space, bound)) = last {
        let (most, names) = (at_most(bound), names(&space.preempt));
        let heading = format!("Every interleaving with {most} passes that switches threads only here{but}: {names}");
        parts.push(Part { heading, spaces: Vec::new() });
    }
    let (open, others): (Vec<&StateSpace>, Vec<_>) = rest.into_iter().partition(|space| is_open(space));
    let (mut begun, rest): (Vec<&StateSpace>, Vec<_>) = open.into_iter().partition(|space| space.runs > 0);
    begun.sort_by(|a, b| a.estimate.partial_cmp(&b.estimate).expect("numbers"));
    parts.extend(list("Not finished:", &begun, |space| format!("{}: {}", title(space), progress(space))));
    let others: Vec<&StateSpace> = others.into_iter().filter(|space| space.runs > 0).collect();
    parts.extend((!others.is_empty()).then(|| Part {
        heading: format!(
            "Parts of these, or left for larger ones: {} ({})",
            counted(others.len() as u64, "state space"),
            counted(sum(&others), "run")
        ),
        spaces: Vec::new(),
    }));
    let rest: Vec<&StateSpace> = rest.into_iter().filter(|space| !space.by_bound).collect();
    let rest = match rest.as_slice() {
        [] => None,
        [one] => Some(format!("Not begun: {}", named(one))),
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

/// Does a caveat hide interleavings even from a space that was searched to its end?
fn is_limited(report: &Report) -> bool {
    use CaveatKind::{Bound, Cut, FewerPoints};
    let hides = |caveat: &Caveat| caveat.kind.limits() && !matches!(caveat.kind, Bound | Cut | FewerPoints);
    report.scope.caveats.iter().any(hides)
}

fn sum(spaces: &[&StateSpace]) -> u64 {
    spaces.iter().map(|space| space.runs).sum()
}

/// Was everything searched, and the verdict is partial because code ran that nobody saw?
pub(crate) fn is_unseen(report: &Report) -> bool {
    let caveats = &report.scope.caveats;
    let cut = |caveat: &Caveat| matches!(caveat.kind, CaveatKind::Cut | CaveatKind::AssumedWait);
    let unseen = caveats.iter().any(|caveat| caveat.kind.is_unseen_code());
    unseen && !caveats.iter().any(cut) && !report.state_spaces.iter().any(is_open)
}

/// What a partial verdict says.
pub(crate) fn partial_statement(report: &Report) -> &'static str {
    if is_unseen(report) {
        "no bug was found, but threads may have run code that was not seen (build that with gabion, or name it with --trust)"
    } else {
        "no bug so far, but the search is not over"
    }
}

fn is_open(space: &StateSpace) -> bool {
    matches!(space.status, SpaceStatus::Suspended | SpaceStatus::Pending)
}

fn progress(space: &StateSpace) -> String {
    // That of a space with few preemptions first is of the bound in force.
    match space.estimate.filter(|_| !space.by_bound) {
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
        let more = &spaces[SHOWN..];
        told.push(format!("and {} more: {} (--json has them all)", more.len(), counted(sum(more), "run")));
    }
    (!told.is_empty()).then(|| Part { heading: heading.to_string(), spaces: told })
}
