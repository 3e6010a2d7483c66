//! A job: a set of preemption points, which defines a state space (thesis §4.2).

use crate::points::Points;

/// A job, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub usize);

/// Where a job stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Status {
    /// Not begun.
    Pending,
    /// Begun, and not put aside.
    Running,
    /// Put aside: it seems to need more than the campaign looks ahead.
    Suspended,
    /// Everything was explored, here or in a larger job.
    Complete,
    /// Nothing is left, but runs were cut.
    Cut,
    /// It found a bug.
    Bug,
    /// A part of it found a bug.
    Cancelled,
    /// Dropped to save memory.
    Dropped,
    /// A larger job takes its place.
    Superseded,
}

impl Status {
    /// Will it be searched, or searched on?
    pub fn is_open(self) -> bool {
        matches!(self, Status::Pending | Status::Running | Status::Suspended)
    }
}

/// A state space to search.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Job {
    /// Its points.
    pub points: Points,
    /// It looks for bugs at one instruction and begets no further jobs.
    pub small: bool,
    /// It is searched with few preemptions first, beside another with the same points (thesis §8.3).
    pub by_bound: bool,
    /// What comes first: smaller numbers.
    pub rank: Rank,
    /// Where it stands.
    pub status: Status,
    /// It found a bug, and goes on.
    pub buggy: bool,
    /// Everything in it was explored, whatever that showed.
    pub explored: bool,
    /// That was done by the search of another job, which holds this one.
    pub covered_by: Option<usize>,
    /// Runs made.
    pub runs: u64,
    /// What it still costs; `None`: nobody knows.
    pub estimate: Option<f64>,
    /// Runs in all, as far as is known.
    pub runs_estimate: Option<f64>,
}

/// Order of pending jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
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
