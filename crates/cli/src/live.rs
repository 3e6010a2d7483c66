//! What is seen while a campaign runs: count and rate, and a small table of its state spaces. On a terminal it is redrawn;
//! elsewhere a line now and then.

use gabion_deepen::{Job, Live, Status};
use gabion_report::{about, grouped, seconds};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::time::Duration;

/// State spaces that are shown.
const ROWS: usize = 8;

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
    pub(crate) fn new(verbosity: crate::options::Verbosity) -> Self {
        if verbosity == crate::options::Verbosity::Quiet {
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

    pub(crate) fn show(&self, live: &Live<'_>) {
        match self {
            LiveLine::Quiet => {}
            LiveLine::Terminal(bar) => {
                bar.set_message(words(live) + &table(live));
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

/// Seconds that nobody waits for.
const CENTURY: f64 = 100.0 * 365.25 * 86_400.0;

fn words(live: &Live<'_>) -> String {
    let progress = &live.progress;
    let elapsed = live.elapsed.as_secs_f64();
    let made = progress.executed();
    let rate = made as f64 / elapsed.max(1e-9);
    let mut text = format!("{} runs", grouped(made));
    // Of several state spaces each has its own estimate.
    let alone = live.jobs.len() == 1;
    if let Some(total) = progress.estimated_runs().filter(|_| alone) {
        text.push_str(&format!(" of about {}", about(total, made)));
    }
    text.push_str(&format!(", {}/s", grouped(rate as u64)));
    if let Some(factor) = progress.estimated_factor().filter(|_| alone) {
        let left = (factor - 1.0) * elapsed;
        match left < CENTURY {
            true => text.push_str(&format!(", about {} left", seconds(left))),
            false => text.push_str(", more than a century left"),
        }
    }
    if let Some(bound) = progress.completed_bound {
        text.push_str(&format!(", all with up to {bound} preemptions"));
    }
    if progress.cut > 0 {
        text.push_str(&format!(", {} cut", grouped(progress.cut)));
    }
    if live.jobs.len() > 1 {
        let done = live.jobs.iter().filter(|job| !job.status.is_open()).count();
        text.push_str(&format!(", {done} of {} state spaces done", live.jobs.len()));
    }
    if live.races > 0 {
        text.push_str(&format!(", {} data race{}", live.races, if live.races == 1 { "" } else { "s" }));
    }
    if live.bugs > 0 {
        text.push_str(&format!(", {} bug{}", live.bugs, if live.bugs == 1 { "" } else { "s" }));
    }
    if alone {
        text.push_str(&format!(", {} choices deep", progress.depth));
    }
    text.push_str(&format!(", {}", seconds(elapsed)));
    text
}

/// The state spaces that matter now, a line for each: those at work, then what is put aside, then what is to come.
fn table(live: &Live<'_>) -> String {
    if live.jobs.len() < 2 {
        return String::new();
    }
    let mut jobs: Vec<(usize, &Job)> = live.jobs.iter().copied().enumerate().filter(|(_, job)| shows(job)).collect();
    jobs.sort_by_key(|(index, job)| (Some(*index) != live.current, job.runs == 0, *index));
    let lines = jobs.iter().take(ROWS).map(|(index, job)| row(job, Some(*index) == live.current));
    let more = jobs.len().saturating_sub(ROWS);
    let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
    lines.collect::<String>() + &more
}

fn shows(job: &Job) -> bool {
    job.status.is_open() || job.status == Status::Bug
}

fn row(job: &Job, current: bool) -> String {
    let state = match job.status {
        Status::Bug => "bug",
        Status::Suspended => "put aside",
        _ if current || job.by_bound => "running",
        _ if job.runs > 0 => "begun",
        _ => "to come",
    };
    let mut points = job.points.classes().names().join(", ");
    match job.points.races().count() {
        0 => {}
        1 => points.push_str(", 1 access"),
        n => points.push_str(&format!(", {n} accesses")),
    }
    if job.by_bound {
        points.push_str(", preemptions one by one");
    }
    let all = job
        .runs_estimate
        .filter(|all| !job.by_bound && *all < 1e15)
        .map_or(String::new(), |all| format!(" of about {}", about(all, job.runs)));
    let runs = if job.runs == 0 { String::new() } else { format!("{}{all}", grouped(job.runs)) };
    format!("\n  {state:9}  {points:36} {runs}")
}
