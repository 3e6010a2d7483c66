//! The jobs of a campaign: which state spaces there are, which one to search next, what follows when one ends.
//!
//! A job is a set of preemption points (thesis §4.2). Estimates order and suspend jobs; they never complete or drop one.

use crate::job::{Job, JobId, Rank, Status};
use crate::points::Points;
use crate::site::RaceSite;
use gabion_trace::PointSet;

/// A job is expected to end soon if its estimate is below this many times the horizon.
const HOPE: f64 = 2.0;
/// Runs before which an estimate says nothing.
const RUNS: u64 = 32;

/// All jobs.
#[derive(Clone, Debug, Default)]
pub struct Board {
    jobs: Vec<Job>,
    /// A bug cancels nothing.
    pub keep_going: bool,
    /// Code runs that nobody sees: a job says nothing about its parts.
    pub unseen: bool,
}

impl Board {
    /// A job.
    pub fn job(&self, id: JobId) -> &Job {
        &self.jobs[id.0]
    }

    /// All of them, by their number.
    pub(crate) fn all(&self) -> &[Job] {
        &self.jobs
    }

    /// Puts these in the place of all.
    pub(crate) fn set(&mut self, jobs: Vec<Job>) {
        self.jobs = jobs;
    }

    /// A job, to note how it gets on.
    pub fn job_mut(&mut self, id: JobId) -> &mut Job {
        &mut self.jobs[id.0]
    }

    /// All jobs.
    pub fn jobs(&self) -> impl Iterator<Item = (JobId, &Job)> {
        self.jobs.iter().enumerate().map(|(index, job)| (JobId(index), job))
    }

    /// Adds a job, unless one with the same points is there.
    pub fn add(&mut self, points: Points, rank: Rank, small: bool) -> Option<JobId> {
        if let Some(job) = self.jobs.iter_mut().find(|job| !job.by_bound && job.points == points) {
            // What was only to look for bugs is now wanted whole.
            job.small &= small;
            job.rank = job.rank.min(rank);
            return None;
        }
        let covered_by = self.covering(&points).map(|id| id.0);
        let done = covered_by.is_some();
        let hopeless = self.jobs.iter().any(|job| job.status == Status::Bug && job.points.is_subset(&points));
        let status = if done {
            Status::Complete
        } else if hopeless && !self.keep_going {
            Status::Cancelled
        } else {
            Status::Pending
        };
        self.jobs.push(Job {
            points,
            small,
            by_bound: false,
            rank,
            status,
            buggy: false,
            explored: done,
            covered_by,
            runs: 0,
            estimate: None,
            runs_estimate: None,
        });
        Some(JobId(self.jobs.len() - 1))
    }

    /// Adds a job beside another, to be searched with few preemptions first.
    pub fn add_by_bound(&mut self, id: JobId) -> JobId {
        let twin = Job {
            by_bound: true,
            status: Status::Pending,
            covered_by: None,
            runs: 0,
            estimate: None,
            runs_estimate: None,
            ..self.job(id).clone()
        };
        self.jobs.push(twin);
        JobId(self.jobs.len() - 1)
    }

    /// The job that is searched with few preemptions first; of several, the one in which loops go round most often.
    pub fn by_bound(&self) -> Option<JobId> {
        self.jobs().filter(|(_, job)| job.by_bound && job.status.is_open()).map(|(id, _)| id).last()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// A race was seen in a job: the points of the big and the small job that its instruction begets (algorithm 4),
    /// and whether it is the small one.
    pub fn of_race(&self, reporter: JobId, site: impl Into<RaceSite>) -> Vec<(Points, bool)> {
        let site = site.into();
        let reporting = self.job(reporter);
        if reporting.small {
            return Vec::new();
        }
        let mut begotten = Vec::new();
        let all = reporting.points.holds(PointSet::EVERYWHERE);
        let known = Points::of(PointSet::KNOWN).as_deep_as(&reporting.points);
        let small = Points::of(PointSet::VOLUNTARY).as_deep_as(&reporting.points).with_race(site.clone());
        let big = if all { known } else { reporting.points.clone() }.with_race(site);
        if !self.jobs.iter().any(|job| !job.small && job.rank != Rank::Last && big.is_subset(&job.points)) {
            begotten.push((big, false));
        }
        begotten.push((small, true));
        begotten
    }

    /// The job to go on with (algorithm 5), if any is left. `horizon` is the cost that the campaign looks ahead, where the algorithm has the time left.
    pub fn choose(&self, current: Option<JobId>, horizon: f64) -> Option<JobId> {
        let current = current.filter(|id| self.job(*id).status == Status::Running);
        if let Some(id) = current.filter(|id| self.is_hopeful(*id, horizon)) {
            return Some(id);
        }
        if let Some(pending) = self.by_rank().into_iter().find(|id| !self.has_suspended_part(*id)) {
            return Some(pending);
        }
        let mut suspended: Vec<JobId> = self.with(Status::Suspended).collect();
        suspended.sort_by(|a, b| self.estimate(*a).total_cmp(&self.estimate(*b)).then(a.cmp(b)));
        let better = |id: &JobId| match current {
            Some(now) => {
                !self.job(now).points.is_proper_subset(&self.job(*id).points) && self.estimate(now) > self.estimate(*id)
            }
            None => true,
        };
        let other = suspended.into_iter().filter(better).find(|id| !self.has_suspended_part(*id));
        // Nothing better: on with it. Or with whatever is left.
        other.or(current).or_else(|| self.by_rank().first().copied())
    }

    /// A job is put aside for another.
    pub fn switch(&mut self, from: Option<JobId>, to: JobId) {
        if let Some(from) = from.filter(|from| *from != to) {
            let job = self.job_mut(from);
            if job.status == Status::Running {
                job.status = Status::Suspended;
            }
        }
        self.job_mut(to).status = Status::Running;
    }

    /// Is a job open that has all of these points?
    pub fn is_open(&self, points: &Points) -> bool {
        self.jobs.iter().any(|job| job.status.is_open() && points.is_subset(&job.points))
    }

    /// All jobs that are open make way for a larger one.
    pub fn supersede(&mut self) {
        self.jobs.iter_mut().filter(|job| job.status.is_open()).for_each(|job| job.status = Status::Superseded);
    }

    /// This job holds whatever those do that are open and in which loops go round no more often: they need not be searched.
    pub fn settle(&mut self, id: JobId) {
        let doublings = self.job(id).points.doublings();
        let settled = |job: &&mut Job| job.status.is_open() && job.points.doublings() <= doublings;
        for job in self.jobs.iter_mut().filter(settled) {
            (job.status, job.covered_by) = (Status::Complete, Some(id.0));
        }
    }

    /// Nothing is left of a job. `whole`: nothing was cut, so its parts are at their end too; unless a bound left something
    /// out, everything in them was explored.
    pub fn end(&mut self, id: JobId, whole: bool, bounded: bool) {
        let unseen = self.unseen;
        let job = self.job_mut(id);
        if job.status != Status::Bug {
            job.status = if whole { Status::Complete } else { Status::Cut };
        }
        job.explored = whole && !bounded;
        if !whole || unseen {
            return;
        }
        let points = job.points.clone();
        for job in self.jobs.iter_mut().filter(|job| job.points.is_subset(&points)) {
            job.explored |= !bounded;
            if job.status.is_open() {
                (job.status, job.covered_by) = (Status::Complete, Some(id.0));
            }
        }
    }

    /// A job found a bug, which larger ones would find again.
    pub fn found_bug(&mut self, id: JobId) {
        if self.keep_going {
            self.job_mut(id).buggy = true;
            return;
        }
        self.job_mut(id).status = Status::Bug;
        let points = self.job(id).points.clone();
        for job in &mut self.jobs {
            if job.status.is_open() && points.is_proper_subset(&job.points) {
                job.status = Status::Cancelled;
            }
        }
    }

    /// Is a job put aside?
    pub fn has_suspended(&self) -> bool {
        self.with(Status::Suspended).next().is_some()
    }

    /// Memory runs low: the suspended job that seems largest is dropped.
    pub fn drop_largest(&mut self) -> Option<JobId> {
        let largest = self.with(Status::Suspended).max_by(|a, b| self.estimate(*a).total_cmp(&self.estimate(*b)))?;
        self.job_mut(largest).status = Status::Dropped;
        Some(largest)
    }

    /// Is a job complete that has all of these points?
    pub fn is_covered(&self, points: &Points) -> bool {
        self.covering(points).is_some()
    }

    /// The job that is complete and has all of these points, if there is one: one that was searched to its end itself, if possible.
    fn covering(&self, points: &Points) -> Option<JobId> {
        let all = self.jobs().filter(|(_, job)| !self.unseen && job.explored && points.is_subset(&job.points));
        all.min_by_key(|(id, job)| (job.covered_by.is_some(), *id)).map(|(id, _)| id)
    }

    /// The largest sets of points whose jobs are complete: no one is part of another.
    pub fn covered(&self) -> Vec<Points> {
        let complete: Vec<&Points> = self.jobs.iter().filter(|job| job.explored).map(|job| &job.points).collect();
        let largest = |points: &&Points| !complete.iter().any(|other| points.is_proper_subset(other));
        let mut largest: Vec<Points> = complete.iter().copied().filter(largest).cloned().collect();
        largest.sort();
        largest.dedup();
        largest
    }

    /// The job with points everywhere, whatever became of it; of several, the one in which loops go round most often.
    pub fn everywhere(&self) -> Option<JobId> {
        let everywhere = |job: &Job| !job.by_bound && job.points.holds(PointSet::EVERYWHERE);
        self.jobs().filter(|(_, job)| everywhere(job)).map(|(id, _)| id).last()
    }

    /// The job with points everywhere, if it is open.
    pub fn largest(&self) -> Option<JobId> {
        self.everywhere().filter(|id| self.job(*id).status.is_open())
    }

    /// Jobs that will be searched, or searched on.
    pub fn open(&self) -> Vec<JobId> {
        self.jobs().filter(|(_, job)| job.status.is_open()).map(|(id, _)| id).collect()
    }

    /// Jobs that will not.
    pub fn ended(&self) -> Vec<JobId> {
        self.jobs().filter(|(_, job)| !job.status.is_open()).map(|(id, _)| id).collect()
    }

    /// Jobs in the order in which they will probably be wanted after this one: those that are searched in turn with it,
    /// then what is pending.
    pub fn expected(&self, now: JobId, current: Option<JobId>) -> Vec<JobId> {
        let running = current.filter(|id| self.job(*id).status.is_open());
        let mut expected: Vec<JobId> = Vec::new();
        for id in [self.by_bound(), self.largest(), running].into_iter().flatten().chain(self.by_rank()) {
            if id != now && !expected.contains(&id) {
                expected.push(id);
            }
        }
        expected
    }

    fn with(&self, status: Status) -> impl Iterator<Item = JobId> + '_ {
        self.jobs().filter(move |(_, job)| job.status == status && !job.by_bound).map(|(id, _)| id)
    }

    /// Pending jobs, the most promising first.
    fn by_rank(&self) -> Vec<JobId> {
        let mut pending: Vec<JobId> = self.with(Status::Pending).collect();
        pending.sort_by_key(|id| {
            let job = self.job(*id);
            (self.has_larger(*id), job.rank, job.points.count(), *id)
        });
        pending
    }

    /// Is there a larger job for the sake of a race, to be searched before it? If that comes to its end, so does this one.
    fn has_larger(&self, id: JobId) -> bool {
        let job = self.job(id);
        let larger = |other: &Job| {
            !other.small
                && !other.by_bound
                && other.rank != Rank::Last
                && matches!(other.status, Status::Pending | Status::Running)
                && job.points.is_proper_subset(&other.points)
        };
        !job.small && job.rank != Rank::Seed && self.jobs.iter().any(larger)
    }

    /// Its estimate could only be worse.
    fn has_suspended_part(&self, id: JobId) -> bool {
        let points = &self.job(id).points;
        self.with(Status::Suspended).any(|other| self.job(other).points.is_proper_subset(points))
    }

    /// Will it probably end within the horizon?
    pub fn is_hopeful(&self, id: JobId, horizon: f64) -> bool {
        let job = self.job(id);
        job.runs < RUNS || job.estimate.is_none_or(|estimate| estimate < HOPE * horizon)
    }

    fn estimate(&self, id: JobId) -> f64 {
        self.job(id).estimate.unwrap_or(f64::INFINITY)
    }
}
