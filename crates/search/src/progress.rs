//! What a search says of itself.

use gabion_trace::Plan;

/// The target did not do what a plan says. Never the fault of the program's schedule: either the program does not
/// depend on its schedule alone, or the target is broken.
#[derive(Debug, thiserror::Error)]
pub enum SearchError {
    /// A plan's choice was not possible, or another was made.
    #[error("run {} left its plan at choice {at} of {}: {what}", plan.id.0, plan.choices.len())]
    Diverged {
        /// The plan.
        plan: Box<Plan>,
        /// Index of the first choice that was not followed.
        at: usize,
        /// What happened instead.
        what: String,
    },
    /// A trace came back that answers no plan.
    #[error("internal error: a trace answers plan {0}, which is not out")]
    Unasked(u64),
}

/// What a trace meant to the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observed {
    /// The run reached an end of the program's own.
    Explored,
    /// A limit cut the run: what comes after it is unknown, and the space stays partial.
    Cut,
    /// The reduction cut the run: everything below it is explored elsewhere.
    Blocked,
    /// The run showed that earlier ones lacked preemption points (a stack is shared, memory is
    /// contended): the space begins again.
    Restarted,
    /// The plan was made before the space began again.
    Ignored,
}

/// Where the search stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Progress {
    /// Runs that reached an end of the program's own.
    pub runs: u64,
    /// Runs that a limit cut.
    pub cut: u64,
    /// Runs that the reduction cut: what they would have shown is shown by others.
    pub blocked: u64,
    /// Runs made before the space began again, and those then ignored. They are no part of the numbers above: the space
    /// that counts visits their interleavings again, with more preemption points.
    pub abandoned: u64,
    /// Runs of smaller bounds that were completed before this one was begun.
    pub earlier: u64,
    /// Most choices of any run.
    pub depth: usize,
    /// Choices that are open: known and not yet taken.
    pub frontier: usize,
    /// Plans that are out.
    pub out: usize,
    /// Share of the space that was explored, as far as is known; 0: no guess.
    pub share: f64,
    /// Cost of all runs so far, in the traces' units.
    pub cost: f64,
    /// Cost of the whole space, as far as is known.
    pub total_cost: f64,
    /// The largest number of preemptions of which every run was made: none with so few was cut, and no loop in one was taken to
    /// wait.
    pub completed_bound: Option<u32>,
}

impl Progress {
    /// All runs ever made, whether they count or not.
    pub fn executed(&self) -> u64 {
        self.runs + self.cut + self.blocked + self.abandoned + self.earlier
    }

    /// How many runs the whole space will take, as far as is known (weighted backtrack estimate), with those that were made before it
    /// began again.
    pub fn estimated_runs(&self) -> Option<f64> {
        let made = (self.runs + self.cut + self.blocked) as f64;
        (self.share > 0.0 && made > 0.0).then(|| made / self.share + (self.abandoned + self.earlier) as f64)
    }

    /// How many times the cost so far the whole space will cost, as far as is known (recursive estimate).
    pub fn estimated_factor(&self) -> Option<f64> {
        (self.share > 0.0 && self.cost > 0.0).then(|| (self.total_cost / self.cost).max(1.0))
    }
}
