//! The target: plans in, traces out.

use crate::explore::{Final, Finding};
use crate::program::{self, Program};
use crate::run::Running;
use crate::state::{Life, State, Thread};
use gabion_trace::{Ending, Outcome, Plan, RunError, Target, ThreadId, ThreadInfo, Trace};

/// What a run came to, beside its trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The state at its end.
    pub end: Final,
    /// What was wrong, if anything.
    pub finding: Option<Finding>,
}

/// A program that runs plans.
#[derive(Clone, Debug)]
pub struct Model {
    program: Program,
    batch: usize,
    /// The state before anything ran, with no thread but main.
    initial: State,
}

impl Model {
    /// A target that likes to get this many plans at once.
    pub fn new(program: Program, batch: usize) -> Self {
        let initial = State::new(&program, &[], false);
        Model { program, batch, initial }
    }

    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Runs one plan.
    pub fn run_one(&self, plan: &Plan) -> Trace {
        self.execute(plan).0
    }

    /// Runs one plan and says what it came to.
    pub fn run_fully(&self, plan: &Plan) -> (Trace, Run) {
        let (trace, state) = self.execute(plan);
        let end = Final::of(&state, trace.outcome.ending);
        let finding = Finding::of(&self.program, &state).filter(|_| trace.outcome.is_failure());
        (trace, Run { end, finding })
    }

    fn execute(&self, plan: &Plan) -> (Trace, State) {
        let state = match plan.threads.len() {
            0 | 1 => State { spurious: plan.spurious, ..self.initial.clone() },
            _ => State::new(&self.program, &plan.threads, plan.spurious),
        };
        let mut state = state.recycling(plan.recycle);
        let outcome = Outcome {
            ending: Ending::Running,
            code: 0,
            thread: ThreadId::MAIN,
            pc: 0,
            address: 0,
            message: String::new(),
        };
        let trace = Trace::new(plan.id, outcome);
        let mut trace = Running::new(plan, &self.program, trace).run(&mut state);
        trace.threads = table(&state);
        trace.shared_stacks.clone_from(&plan.shared_stacks);
        (trace, state)
    }
}

/// The thread table as far as the last thread that was created.
fn table(state: &State) -> Vec<ThreadInfo> {
    let created = |t: &Thread| t.life != Life::Unborn;
    let length = state.threads.iter().rposition(created).map_or(0, |last| last + 1);
    let info = |t: &Thread| ThreadInfo {
        parent: ThreadId(t.parent),
        nth: t.nth,
        start: if created(t) { program::pc(t.body, 0) } else { 0 },
    };
    state.threads[..length].iter().map(info).collect()
}

impl Target for Model {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        traces.extend(plans.iter().map(|plan| self.run_one(plan)));
        Ok(())
    }

    fn batch(&self) -> usize {
        self.batch
    }
}
