//! A campaign without a bug as a page: what was verified, where points were, what is left.

use super::page;
use crate::text::{counted, grouped, seconds};
use crate::words::caveat_words;
use crate::{Race, RaceStatus, Report, Sources, SpaceStatus, Verdict, spaces};
use gabion_trace::CaveatKind;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Where a campaign stood at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// Seconds since it began.
    pub seconds: f64,
    /// Runs made.
    pub runs: u64,
    /// Runs in all, as was thought then.
    pub estimate: f64,
}

/// What a campaign came to, as a page. `history` are moments of it, in order.
pub fn campaign_page(program: &str, report: &Report, history: &[Moment], sources: &Sources) -> String {
    let (ink, statement) = match report.verdict {
        Verdict::Verified => ("good", "no interleaving of this program's threads fails on this input"),
        Verdict::Complete => ("good", "everything that was asked for was explored and passed"),
        Verdict::Partial => ("mark", "no bug so far, but the search is not over"),
        Verdict::Bug => ("bad", "an interleaving fails"),
        Verdict::Error => ("bad", report.error.as_deref().unwrap_or("something went wrong")),
    };
    let body = html! {
        header {
            h1 { span class=(ink) { (report.verdict.name()) } " " (sources.name(program)) }
            p { (statement) "." }
            p.faint { (counted(report.runs, "run")) " in " (seconds(report.elapsed_s)) ", preempting at: " (spaces::names(&report.scope.preempt)) "." }
        }
        main {
            (covered(report))
            (caveats(report))
            (jobs(report))
            (lines(report, sources))
            (plot(history))
        }
        footer { p { "gabion " (env!("CARGO_PKG_VERSION")) } }
    };
    page(&format!("{}: {program}", report.verdict.name()), &body)
}

/// What a campaign that is not over has shown.
fn covered(report: &Report) -> Markup {
    const WIDTH: usize = 100;
    let mut text = String::new();
    if report.verdict == Verdict::Partial {
        spaces::partial(report, WIDTH, &mut text);
    }
    html! {
        @if !text.is_empty() { section aria-labelledby="covered" { h2 #covered { "What was covered" } pre { (text.trim_end()) } } }
    }
}

/// A number of runs that nobody counted.
fn about(runs: f64) -> String {
    if runs < 1e12 { grouped(runs.round() as u64) } else { format!("about 10^{:.0}", runs.log10()) }
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

fn jobs(report: &Report) -> Markup {
    let word = |status: SpaceStatus, runs: u64| match status {
        SpaceStatus::Complete => ("good", "✓ complete"),
        SpaceStatus::Bug => ("bad", "✗ bug"),
        SpaceStatus::Suspended => ("mark", "… suspended"),
        SpaceStatus::Cancelled => ("faint", "– cancelled"),
        SpaceStatus::Pending if runs > 0 => ("mark", "… begun"),
        SpaceStatus::Pending => ("faint", "· not begun"),
    };
    html! {
        section aria-labelledby="jobs" {
            h2 #jobs { "State spaces" }
            div.wide { table {
                thead { tr { th scope="col" { "points" } th scope="col" { "how far" } th scope="col" { "runs" } th scope="col" { "estimated" } } }
                tbody {
                    @for space in &report.state_spaces {
                        @let (ink, text) = word(space.status, space.runs);
                        tr {
                            td {
                                (spaces::names(&space.preempt))
                                @if space.by_bound { ", few preemptions first" }
                                @if let Some(bound) = space.completed_bound { " (complete up to " (bound) " preemptions)" }
                            }
                            td class=(ink) { (text) }
                            td { (grouped(space.runs)) }
                            td { @if let Some(all) = space.estimate { (about(all)) } }
                        }
                    }
                }
            } }
        }
    }
}

/// Lines at which threads meet without synchronisation, and whether every order was tried there.
fn lines(report: &Report, sources: &Sources) -> Markup {
    let mut by_line: BTreeMap<&str, Vec<(&Race, &str)>> = BTreeMap::new();
    for race in &report.races {
        by_line.entry(&race.first).or_default().push((race, &race.second));
        if race.second != race.first {
            by_line.entry(&race.second).or_default().push((race, &race.first));
        }
    }
    let state = |races: &[(&Race, &str)]| {
        let untested = races.iter().any(|(race, _)| race.status == RaceStatus::Untested);
        if untested { ("mark", "… untested race") } else { ("good", "✓ covered") }
    };
    html! {
        section aria-labelledby="lines" {
            h2 #lines { "Points on source lines" }
            @for sealed in report.scope.caveats.iter().filter(|c| c.kind == CaveatKind::Sealed) {
                p { span.mark { "– sealed off" } " " (sealed.place) }
            }
            @if by_line.is_empty() { p { "No line takes part in a data race: points at synchronisation are all there are." } }
            @else { div.wide { table {
                thead { tr { th scope="col" { "line" } th scope="col" { "source" } th scope="col" { "state" } th scope="col" { "races with" } } }
                tbody {
                    @for (place, races) in &by_line {
                        @let (ink, text) = state(races);
                        tr {
                            td { code { (sources.name(place)) } }
                            td { code { (source(sources, place).unwrap_or_default()) } }
                            td class=(ink) { (text) }
                            td { @for (race, other) in races { div {
                                code { (race.object) } " at " (sources.name(other))
                                @if let Some(orders) = &race.would_order { "; " (orders) }
                            } } }
                        }
                    }
                }
            } } }
        }
    }
}

fn source(sources: &Sources, place: &str) -> Option<String> {
    let (file, line) = place.rsplit_once(':')?;
    sources.line(file, line.parse().ok()?)
}

/// Runs made and runs expected over time, as a drawing; the same as a table for who cannot see it.
fn plot(history: &[Moment]) -> Markup {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 240.0;
    const EDGE: f64 = 40.0;
    let (Some(last), true) = (history.last(), history.len() > 1) else { return html! {} };
    let most = history.iter().map(|m| m.estimate.max(m.runs as f64)).fold(1.0, f64::max);
    let at = |time: f64, value: f64| {
        let x = EDGE + time / last.seconds.max(1e-9) * (WIDTH - 2.0 * EDGE);
        // Estimates differ by orders of magnitude.
        let y = HEIGHT - EDGE - (1.0 + value).ln() / (1.0 + most).ln() * (HEIGHT - 2.0 * EDGE);
        format!("{x:.1},{y:.1}")
    };
    let points =
        |value: fn(&Moment) -> f64| history.iter().map(|m| at(m.seconds, value(m))).collect::<Vec<_>>().join(" ");
    let few: Vec<&Moment> = history.iter().step_by(history.len().div_ceil(12)).chain([last]).collect();
    html! {
        section aria-labelledby="plot" {
            h2 #plot { "Estimates over time" }
            svg.plot viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img"
                aria-label=(format!("runs made grew to {}, the estimate was at most {most:.0}", last.runs)) {
                line.axis x1=(EDGE) y1=(HEIGHT - EDGE) x2=(WIDTH - EDGE) y2=(HEIGHT - EDGE) {}
                line.axis x1=(EDGE) y1=(EDGE) x2=(EDGE) y2=(HEIGHT - EDGE) {}
                polyline.made points=(points(|m| m.runs as f64)) {}
                polyline.thought points=(points(|m| m.estimate)) {}
                text x=(EDGE) y=(EDGE - 8.0) { (about(most)) " runs (logarithmic)" }
                text x=(WIDTH - EDGE) y=(HEIGHT - EDGE + 18.0) text-anchor="end" { (seconds(last.seconds)) }
                text x=(WIDTH / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { "solid: runs made; dashed: estimated in all" }
            }
            details { summary { "as a table" } table {
                thead { tr { th scope="col" { "after" } th scope="col" { "runs" } th scope="col" { "estimated" } } }
                tbody { @for m in few { tr { td { (seconds(m.seconds)) } td { (grouped(m.runs)) } td { (about(m.estimate)) } } } }
            } }
        }
    }
}
