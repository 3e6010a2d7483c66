//! What can run plans.

use crate::{Plan, Trace};

/// A run that could not be made at all. What the program under test does wrong is an outcome, not this.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The target could not be started.
    #[error("cannot start the program: {0}")]
    Start(String),
    /// It broke in a way that is neither a finding nor a limit.
    #[error("{0}")]
    Broken(String),
    /// The plan does not fit into the memory that is shared with the target.
    #[error("{0}")]
    TooLong(String),
    /// Two runs of one plan differed.
    #[error("internal error: {0}")]
    Nondeterministic(String),
    /// The caller asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The caller's time was over before the run was.
    #[error("the time was over before a run was")]
    OutOfTime,
}

/// Something that runs plans: a native program, an in-memory model, an emulated machine.
pub trait Target {
    /// Runs the plans in order and gives their traces in the same order. Several at once cost less than one by one. What
    /// `traces` holds before is memory to use again.
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError>;

    /// The same. `meanwhile` is called once, when the plans are on their way if they can be left alone.
    fn run_beside(
        &mut self,
        plans: &[Plan],
        traces: &mut Vec<Trace>,
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        meanwhile();
        self.run(plans, traces)
    }

    /// How many plans it likes to get at once.
    fn batch(&self) -> usize {
        1
    }
}
