//! How long steps usually are: one that is far longer is stuck (thesis §3.4.6).

use crate::Observed;
use gabion_trace::{Plan, Trace};

/// Runs before which nothing is usual.
const RUNS: u64 = 10;
/// A step may cost this many times the average.
const FACTOR: u64 = 4_000;
/// An average below this counts as this: steps between two points may be of one access each.
const LEAST: u64 = 1_000;

/// What whole runs were like.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Usual {
    runs: u64,
    steps: u64,
    cost: u64,
}

impl Usual {
    /// Takes a run in.
    pub(crate) fn add(&mut self, trace: &Trace, observed: Observed) {
        if observed == Observed::Explored {
            self.runs += 1;
            self.steps += trace.length;
            self.cost = self.cost.saturating_add(trace.cost);
        }
    }

    /// Lowers a plan's limit of accesses in a step to what is not usual at all.
    pub(crate) fn limit(&self, plan: &mut Plan) {
        if self.runs >= RUNS {
            let average = (self.cost / self.steps.max(1)).max(LEAST);
            plan.limits.accesses = plan.limits.accesses.min(average.saturating_mul(FACTOR));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::{Ending, Limits, Outcome, PlanId, ThreadId};

    fn limit(usual: Usual) -> u64 {
        let mut plan = Plan::default();
        usual.limit(&mut plan);
        plan.limits.accesses
    }

    #[test]
    fn ten_runs_make_a_habit() {
        let most = Limits::default().accesses;
        let mut usual = Usual::default();
        let run = |cost| {
            let passed = Ending::Passed;
            let outcome =
                Outcome { ending: passed, code: 0, thread: ThreadId(0), pc: 0, address: 0, message: "".into() };
            let mut trace = Trace::new(PlanId(1), outcome);
            (trace.length, trace.cost) = (10, cost);
            trace
        };
        (0..9).for_each(|_| usual.add(&run(50), Observed::Explored));
        usual.add(&run(50), Observed::Blocked);
        assert_eq!(limit(usual), most);
        usual.add(&run(50), Observed::Explored);
        assert_eq!(limit(usual), 4_000_000);
        // 110 steps of 2,000 on average, less what the first hundred had.
        usual.add(&run(215_000), Observed::Explored);
        assert_eq!(limit(usual), 4_000 * (215_500 / 110));
        usual.add(&run(u64::MAX), Observed::Explored);
        assert_eq!(limit(usual), most);
    }
}
