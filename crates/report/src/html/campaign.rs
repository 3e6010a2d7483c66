//! A campaign without a bug as a page: what was verified, where points were, what is left.

mod lines;
mod plot;
mod state_spaces;

use super::page;
use crate::text::{counted, seconds};
use crate::words::caveat_words;
use crate::{Report, Sources, Verdict, spaces};
use maud::{Markup, html};

pub use plot::Moment;

/// What a campaign came to, as a page. `stopped_by` says what ended a search that is not over; `history` are moments of it, in order.
pub fn campaign_page(
    program: &str,
    report: &Report,
    stopped_by: Option<&str>,
    history: &[Moment],
    sources: &Sources,
) -> String {
    let (ink, statement) = match report.verdict {
        Verdict::Verified => ("good", "no interleaving of this program's threads fails on this input"),
        Verdict::Complete => ("good", "everything that was asked for was explored and passed"),
        Verdict::Partial => ("mark", spaces::partial_statement(report)),
        Verdict::Bug => ("bad", "an interleaving fails"),
        Verdict::Error => ("bad", report.error.as_deref().unwrap_or("something went wrong")),
    };
    let body = html! {
        header {
            h1 { span class=(ink) { (report.verdict.name()) } " " (sources.name(program)) }
            p { (statement) "." }
            @if let Some(reason) = stopped_by { p { "Stopped: " (reason) "." } }
            p.faint { (counted(report.runs, "run")) " in " (seconds(report.elapsed_s)) ", " (spaces::searched(report)) @if let Some(kinds) = spaces::kinds_of_runs(report) { " (" (kinds) ")" } "." }
        }
        main {
            (covered(report))
            (caveats(report))
            (state_spaces::table(report))
            (lines::table(report, sources))
            (plot::drawing(history))
        }
        footer { p { "gabion " (env!("CARGO_PKG_VERSION")) } }
    };
    page(&format!("{}: {program}", report.verdict.name()), &body)
}

/// What a campaign that is not over has shown.
fn covered(report: &Report) -> Markup {
    let parts = if report.verdict == Verdict::Partial { spaces::partial(report) } else { Vec::new() };
    html! {
        @if !parts.is_empty() {
            section aria-labelledby="covered" {
                h2 #covered { "What was covered" }
                @for part in parts {
                    p { (part.heading) }
                    @if !part.spaces.is_empty() { ul { @for space in part.spaces { li { (space) } } } }
                }
            }
        }
    }
}

fn caveats(report: &Report) -> Markup {
    let (limits, stated): (Vec<_>, Vec<_>) = report.scope.caveats.iter().partition(|c| c.kind.limits());
    html! {
        @for (id, title, list) in [("limits", "What this does not say", limits), ("stated", "Part of the statement", stated)] {
            @if !list.is_empty() {
                section aria-labelledby=(id) { h2 id=(id) { (title) } ul { @for c in list { li { (caveat_words(c)) } } } }
            }
        }
    }
}
