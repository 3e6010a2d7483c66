//! The live line: count and rate while a campaign runs. On a terminal it is redrawn; elsewhere a line now and then.

use gabion_deepen::Live;
use gabion_report::{grouped, seconds};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// Shows progress on standard error.
#[derive(Debug)]
pub(crate) enum LiveLine {
    /// Nothing.
    Quiet,
    /// A line that is redrawn.
    Terminal(ProgressBar),
    /// A line now and then.
    Plain,
}

impl LiveLine {
    pub(crate) fn new(verbosity: crate::check::Verbosity) -> Self {
        if verbosity == crate::check::Verbosity::Quiet {
            return LiveLine::Quiet;
        }
        if !std::io::stderr().is_terminal() {
            return LiveLine::Plain;
        }
        let bar = ProgressBar::new_spinner();
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}").expect("internal error: a valid template"));
        LiveLine::Terminal(bar)
    }

    /// How often it wants to hear.
    pub(crate) fn every(&self) -> Duration {
        match self {
            LiveLine::Terminal(_) => Duration::from_millis(100),
            LiveLine::Plain => Duration::from_secs(10),
            LiveLine::Quiet => Duration::MAX,
        }
    }

    pub(crate) fn show(&self, live: &Live) {
        match self {
            LiveLine::Quiet => {}
            LiveLine::Terminal(bar) => {
                bar.set_message(words(live));
                bar.tick();
            }
            LiveLine::Plain => crate::console::note(&format!("gabion: {}\n", words(live))),
        }
    }

    pub(crate) fn clear(&self) {
        if let LiveLine::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn words(live: &Live) -> String {
    let progress = &live.progress;
    let elapsed = live.elapsed.as_secs_f64();
    let rate = progress.executed() as f64 / elapsed.max(1e-9);
    let mut text = format!("{} runs", grouped(progress.runs));
    if let Some(total) = progress.estimated_runs() {
        text.push_str(&format!(" of about {}", grouped(total as u64)));
    }
    text.push_str(&format!(", {}/s", grouped(rate as u64)));
    if let Some(factor) = progress.estimated_factor() {
        text.push_str(&format!(", about {} left", seconds((factor - 1.0) * elapsed)));
    }
    if let Some(bound) = progress.completed_bound {
        text.push_str(&format!(", all with up to {bound} preemptions"));
    }
    if progress.cut > 0 {
        text.push_str(&format!(", {} cut", grouped(progress.cut)));
    }
    if live.bugs > 0 {
        text.push_str(&format!(", {} bugs", live.bugs));
    }
    text.push_str(&format!(", {} choices deep, {}", progress.depth, seconds(elapsed)));
    text
}
