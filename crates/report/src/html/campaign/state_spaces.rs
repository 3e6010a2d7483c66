//! The state spaces of a campaign as a table.

use crate::text::{about, grouped};
use crate::{Report, SpaceStatus, StateSpace, spaces};
use maud::{Markup, html};

/// All of them, by their numbers. Those for different instructions of the same lines stand together.
pub(super) fn table(report: &Report) -> Markup {
    let mut rows: Vec<(String, Vec<(usize, &StateSpace)>)> = Vec::new();
    for (index, space) in report.state_spaces.iter().enumerate() {
        let name = spaces::title(space);
        match rows.iter_mut().find(|(known, _)| *known == name) {
            Some((_, alike)) => alike.push((index, space)),
            None => rows.push((name, vec![(index, space)])),
        }
    }
    html! {
        section aria-labelledby="jobs" {
            h2 #jobs { "State spaces" }
            div.wide { table.rows {
                thead { tr { @for title in ["no.", "points", "how far", "runs", "in all"] { th scope="col" { (title) } } } }
                tbody { @for (name, alike) in &rows { @for (nth, (index, space)) in alike.iter().enumerate() {
                    @let (ink, text) = how_far(space);
                    tr {
                        td data-of="no." { (index + 1) }
                        @if nth == 0 { td rowspan=(alike.len()) {
                            (name)
                            @if alike.len() > 1 { " (for " (alike.len()) " instructions there, each its own)" }
                        } }
                        td class=(ink) { (text) }
                        td data-of="runs" { @if space.runs > 0 { (grouped(space.runs)) } @else { "–" } }
                        td data-of="in all" { (in_all(space)) }
                    }
                } } }
            } }
        }
    }
}

/// Where its search stands, and how to show that.
fn how_far(space: &StateSpace) -> (&'static str, String) {
    let so_far = space.completed_bound.map_or(String::new(), |bound| format!(", all with {}", spaces::at_most(bound)));
    match (space.status, space.covered_by) {
        (SpaceStatus::Bug, _) => ("bad", "✗ bug".into()),
        (_, Some(other)) => ("good", format!("✓ covered by {}", other + 1)),
        (SpaceStatus::Complete, None) => ("good", "✓ complete".into()),
        (SpaceStatus::Suspended, None) => ("mark", format!("… put aside{so_far}")),
        (SpaceStatus::Cancelled, None) => ("faint", "– cancelled".into()),
        (SpaceStatus::Pending, None) if space.runs > 0 => ("mark", format!("… begun{so_far}")),
        (SpaceStatus::Pending, None) => ("faint", "· not begun".into()),
    }
}

/// How many runs it has: known of what is complete, a guess of what is not.
fn in_all(space: &StateSpace) -> String {
    match space.estimate {
        Some(all) if space.status == SpaceStatus::Complete => grouped(all.round() as u64),
        Some(all) => format!("about {}", about(all, space.runs)),
        None => "–".into(),
    }
}
