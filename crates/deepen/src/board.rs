//! The jobs of a campaign: which state spaces there are, which one to search next, what follows when one ends.
//!
//! A job is a set of preemption points (thesis §4.2). Estimates order and suspend jobs; they never complete or drop one.

use crate::points::Points;

/// A job is expected to end if its estimate is below this many times what is left.
const HOPE: f64 = 2.0;
/// Runs before which an estimate says nothing.
const RUNS: u64 = 32;

/// A job, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub usize);

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Not begun.
    Pending,
    /// Begun, and not put aside.
    Running,
    /// Put aside: its estimate is beyond what is left.
    Suspended,
    /// Everything was explored, here or in a larger job.
    Complete,
    /// It found a bug.
    Bug,
    /// A part of it found a bug.
    Cancelled,
    /// Dropped to save memory.
    Dropped,
}

/// A state space to search.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its points.
    pub points: Points,
    /// It looks for bugs at one instruction and begets no further jobs.
    pub small: bool,
    /// What comes first: smaller numbers.
    pub rank: Rank,
    /// Where it stands.
    pub status: Status,
    /// Runs made.
    pub runs: u64,
    /// What is left of it, in the budget's unit; `None`: nobody knows.
    pub estimate: Option<f64>,
}

/// Order of pending jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// Points that are known without a run.
    Seed,
    /// A race that was seen in both orders.
    BothOrders,
    /// A race that was seen in one order.
    SingleOrder,
    /// The same, of what sets something up or takes it down.
    SetUp,
    /// All points that there are, at the very end.
    Last,
}

/// All jobs.
#[derive(Clone, Debug, Default)]
pub struct Board {
    jobs: Vec<Job>,
    /// A bug cancels nothing.
    pub keep_going: bool,
}

impl Board {
    /// A job.
    pub fn job(&self, id: JobId) -> &Job {
        &self.jobs[id.0]
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
        if let Some(job) = self.jobs.iter_mut().find(|job| job.points == points) {
            // What was only to look for bugs is now wanted whole.
            job.small &= small;
            job.rank = job.rank.min(rank);
            return None;
        }
        let done = self.jobs.iter().any(|job| job.status == Status::Complete && points.is_subset(&job.points));
        let hopeless = self.jobs.iter().any(|job| job.status == Status::Bug && job.points.is_subset(&points));
        let status = if done {
            Status::Complete
        } else if hopeless && !self.keep_going {
            Status::Cancelled
        } else {
            Status::Pending
        };
        self.jobs.push(Job { points, small, rank, status, runs: 0, estimate: None });
        Some(JobId(self.jobs.len() - 1))
    }

    /// A race was seen in a job: its instruction begets a big and a small job (algorithm 4).
    pub fn add_race(&mut self, reporter: JobId, pc: u64, rank: Rank) {
        let reporting = self.job(reporter);
        if reporting.small {
            return;
        }
        let big = reporting.points.clone().with_race(pc);
        if !self.jobs.iter().any(|job| !job.small && big.is_subset(&job.points)) {
            self.add(big, rank, false);
        }
        let small = Points::of(gabion_trace::PointSet::VOLUNTARY).with_race(pc);
        self.add(small, rank, true);
    }

    /// The job to go on with (algorithm 5), if any is left. `left` is what is left of the budget.
    pub fn choose(&self, current: Option<JobId>, left: f64) -> Option<JobId> {
        let current = current.filter(|id| self.job(*id).status == Status::Running);
        if let Some(id) = current.filter(|id| self.is_hopeful(*id, left)) {
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

    /// Everything in a job was explored, so everything in its parts was.
    pub fn complete(&mut self, id: JobId) {
        self.job_mut(id).status = Status::Complete;
        let points = self.job(id).points.clone();
        for job in &mut self.jobs {
            let open = matches!(job.status, Status::Pending | Status::Running | Status::Suspended);
            if open && job.points.is_subset(&points) {
                job.status = Status::Complete;
            }
        }
    }

    /// A job found a bug, which larger ones would find again.
    pub fn found_bug(&mut self, id: JobId) {
        self.job_mut(id).status = Status::Bug;
        if self.keep_going {
            return;
        }
        let points = self.job(id).points.clone();
        for job in &mut self.jobs {
            let open = matches!(job.status, Status::Pending | Status::Running | Status::Suspended);
            if open && points.is_proper_subset(&job.points) {
                job.status = Status::Cancelled;
            }
        }
    }

    /// Memory runs low: the suspended job that seems largest is dropped.
    pub fn drop_largest(&mut self) -> Option<JobId> {
        let largest = self.with(Status::Suspended).max_by(|a, b| self.estimate(*a).total_cmp(&self.estimate(*b)))?;
        self.job_mut(largest).status = Status::Dropped;
        Some(largest)
    }

    /// All points of all jobs.
    pub fn all_points(&self) -> Option<Points> {
        self.jobs.iter().map(|job| &job.points).cloned().reduce(|all, points| all.union(&points))
    }

    /// Is a job complete that has all of these points?
    pub fn is_covered(&self, points: &Points) -> bool {
        self.jobs.iter().any(|job| job.status == Status::Complete && points.is_subset(&job.points))
    }

    /// The largest sets of points whose jobs are complete: no one is part of another.
    pub fn covered(&self) -> Vec<Points> {
        let complete: Vec<&Points> = self.with(Status::Complete).map(|id| &self.job(id).points).collect();
        let largest = |points: &&Points| !complete.iter().any(|other| points.is_proper_subset(other));
        let mut largest: Vec<Points> = complete.iter().copied().filter(largest).cloned().collect();
        largest.sort();
        largest.dedup();
        largest
    }

    fn with(&self, status: Status) -> impl Iterator<Item = JobId> + '_ {
        self.jobs().filter(move |(_, job)| job.status == status).map(|(id, _)| id)
    }

    /// Pending jobs, the most promising first.
    fn by_rank(&self) -> Vec<JobId> {
        let mut pending: Vec<JobId> = self.with(Status::Pending).collect();
        pending.sort_by_key(|id| {
            let job = self.job(*id);
            (job.rank, job.points.count(), *id)
        });
        pending
    }

    /// Its estimate could only be worse.
    fn has_suspended_part(&self, id: JobId) -> bool {
        let points = &self.job(id).points;
        self.with(Status::Suspended).any(|other| self.job(other).points.is_proper_subset(points))
    }

    fn is_hopeful(&self, id: JobId, left: f64) -> bool {
        let job = self.job(id);
        job.runs < RUNS || job.estimate.is_none_or(|estimate| estimate < HOPE * left)
    }

    fn estimate(&self, id: JobId) -> f64 {
        self.job(id).estimate.unwrap_or(f64::INFINITY)
    }
}
