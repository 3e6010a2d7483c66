//! Where a campaign stood at which time, for the plot of a page.

use gabion_deepen::{Job, Live, SpaceSummary, Summary};
use gabion_report::Moment;
use gabion_search::Progress;
use std::time::Duration;

/// How often the plot has a point.
pub(crate) const EVERY: Duration = Duration::from_millis(100);

/// Points that it has at most.
const MOMENTS: usize = 1000;

/// Moments of a campaign, in order.
#[derive(Debug, Default)]
pub(crate) struct History(Vec<Moment>);

impl History {
    /// Adds a moment. Of a long campaign only every second, fourth and so on is kept.
    fn remember(&mut self, now: Moment) {
        if self.0.len() == MOMENTS {
            let mut keep = false;
            self.0.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.0.push(now);
    }

    /// Where a campaign stands.
    pub(crate) fn add(&mut self, now: &Live<'_>) {
        let of_job = |job: &&Job| {
            let all = job.runs_estimate.filter(|_| job.status.is_open() && !job.by_bound);
            left(all, job.runs)
        };
        self.remember(stands(now.elapsed, &now.progress, now.jobs.iter().map(of_job).sum()));
    }

    /// Where it stood at its end.
    pub(crate) fn end(&mut self, summary: &Summary) {
        let of_space = |space: &SpaceSummary| {
            let all = space.estimate.filter(|_| space.status.is_open() && !space.by_bound);
            left(all, space.runs)
        };
        let searching = summary.elapsed.saturating_sub(summary.minimising);
        self.remember(stands(searching, &summary.progress, summary.spaces.iter().map(of_space).sum()));
    }

    pub(crate) fn moments(&self) -> &[Moment] {
        &self.0
    }
}

fn left(all: Option<f64>, made: u64) -> f64 {
    all.map_or(0.0, |all| (all - made as f64).max(0.0))
}

/// Runs of any kind, and how many are left: each state space has its own estimate. One that is searched with few
/// preemptions first is left out: it stands beside another with the same runs.
fn stands(elapsed: Duration, progress: &Progress, left: f64) -> Moment {
    let runs = progress.executed();
    Moment { seconds: elapsed.as_secs_f64(), runs, estimate: runs as f64 + left }
}
