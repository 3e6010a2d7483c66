//! The program's lines at which a thread may be stopped, and whether everything was explored that may happen then.

use crate::{Line, LineState, Race, Report, Sources, races};
use gabion_trace::CaveatKind;
use maud::{Markup, html};

/// All of them, by file and number.
pub(super) fn table(report: &Report, sources: &Sources) -> Markup {
    html! {
        section aria-labelledby="lines" {
            h2 #lines { "Points on source lines" }
            @if report.lines.is_empty() {
                p { "No line of the program is known at which a thread could have been stopped." }
            } @else {
                p { (count(report)) }
                p.faint {
                    span.good { "✓ covered" } ": whatever may follow if a thread is stopped before that line was explored, with switches only at the points of a state space above. "
                    span.mark { "… open" } ": not all of that was explored. "
                    span.mark { "– sealed off" } ": threads were not stopped there, by option. "
                    span.bad { "! untested race" } ": what a data race there may lead to was not explored."
                }
                @for sealed in report.scope.caveats.iter().filter(|c| c.kind == CaveatKind::Sealed) {
                    p { span.mark { "– sealed off" } " by " (sealed.place) }
                }
                div.wide { table.rows.lines {
                    thead { tr { @for title in ["line", "source", "points", "state", "races with"] { th scope="col" { (title) } } } }
                    @let told = races::told(report);
                    tbody { @for line in &report.lines { (row(line, &told, sources)) } }
                } }
            }
        }
    }
}

fn row(line: &Line, told: &[&Race], sources: &Sources) -> Markup {
    let some = line.states.len() > 1;
    html! {
        tr {
            td { code { (sources.name(&line.at)) } }
            td { code { (source(sources, &line.at).unwrap_or_default()) } }
            td { (line.points.iter().map(|class| words(class)).collect::<Vec<_>>().join(", ")) }
            td { @for state in &line.states {
                @let (ink, text) = shown(*state);
                div class=(ink) { (text) @if some && *state == LineState::Sealed { " for some callers" } }
            } }
            td { @for (race, other) in races_at(&line.at, told) {
                div {
                    code { (race.object) } " at " (sources.name(other))
                    @if let Some(orders) = &race.would_order { "; " (orders) }
                }
            } }
        }
    }
}

/// Of the data races that are told those of a line, with the other's place.
fn races_at<'a>(place: &str, told: &[&'a Race]) -> Vec<(&'a Race, &'a str)> {
    let other = |race: &&'a Race| match (race.first == place, race.second == place) {
        (true, _) => Some((*race, race.second.as_str())),
        (_, true) => Some((*race, race.first.as_str())),
        _ => None,
    };
    told.iter().filter_map(other).collect()
}

fn shown(state: LineState) -> (&'static str, &'static str) {
    match state {
        LineState::Untested => ("bad", "! untested race"),
        LineState::Sealed => ("mark", "– sealed off"),
        LineState::Open => ("mark", "… open"),
        LineState::Covered => ("good", "✓ covered"),
    }
}

/// A class of points as one says it of a line.
fn words(class: &str) -> &str {
    match class {
        "everywhere" => "access",
        "race" => "racing access",
        "other" => "synchronisation",
        "voluntary" => "start, wait, yield, or after a create",
        "unlock" => "after an unlock or a create",
        other => other,
    }
}

/// How many lines there are of each state.
fn count(report: &Report) -> String {
    let order = [LineState::Covered, LineState::Open, LineState::Sealed, LineState::Untested];
    let with = |state: &LineState| report.lines.iter().filter(|line| line.states.contains(state)).count();
    let name = |state: &LineState| shown(*state).1.split_once(' ').map_or("", |(_, words)| words);
    let parts: Vec<String> =
        order.iter().filter(|state| with(state) > 0).map(|state| format!("{} {}", with(state), name(state))).collect();
    let lines = match report.lines.len() {
        1 => "1 line of the program has points".to_string(),
        n => format!("{n} lines of the program have points"),
    };
    format!("{lines}: {}.", parts.join(", "))
}

fn source(sources: &Sources, place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    sources.line(file, line.parse().ok()?)
}
