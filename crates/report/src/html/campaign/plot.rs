//! How many runs there were, and how many there were thought to be, over time.

use crate::text::{about, grouped, seconds};
use maud::{Markup, html};

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

/// Runs made and runs expected over time, as a drawing; the same as a table for who cannot see it.
pub(super) fn drawing(history: &[Moment]) -> Markup {
    const WIDTH: f64 = 640.0;
    const HEIGHT: f64 = 240.0;
    const EDGE: f64 = 40.0;
    let Some(last) = history.last() else { return html! {} };
    if history.len() == 1 {
        return html! {
            section aria-labelledby="plot" {
                h2 #plot { "Estimates over time" }
                p { "It took " (seconds(last.seconds)) ": too short for estimates along the way." }
            }
        };
    }
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
                aria-label=(format!("runs made grew to {}, the estimate was at most {}", grouped(last.runs), about(most, 0))) {
                line.axis x1=(EDGE) y1=(HEIGHT - EDGE) x2=(WIDTH - EDGE) y2=(HEIGHT - EDGE) {}
                line.axis x1=(EDGE) y1=(EDGE) x2=(EDGE) y2=(HEIGHT - EDGE) {}
                polyline.made points=(points(|m| m.runs as f64)) {}
                polyline.thought points=(points(|m| m.estimate)) {}
                text x=(EDGE) y=(EDGE - 8.0) { (about(most, 0)) " runs (logarithmic)" }
                text x=(WIDTH - EDGE) y=(HEIGHT - EDGE + 18.0) text-anchor="end" { (seconds(last.seconds)) }
                text x=(WIDTH / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { "solid: runs made; dashed: estimated in all" }
            }
            details { summary { "as a table" } table {
                thead { tr { th scope="col" { "after" } th scope="col" { "runs" } th scope="col" { "estimated" } } }
                tbody { @for m in few { tr { td { (seconds(m.seconds)) } td { (grouped(m.runs)) } td { (estimate(m)) } } } }
            } }
        }
    }
}

/// What was thought to be there at a moment; all of it once everything is.
fn estimate(moment: &Moment) -> String {
    if moment.estimate <= moment.runs as f64 { grouped(moment.runs) } else { about(moment.estimate, moment.runs) }
}
