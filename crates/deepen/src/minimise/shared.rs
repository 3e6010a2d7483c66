//! The same interleaving with more of its accesses.
//!
//! Memory at which no run has seen two threads meet is neither a point nor recorded (decision 0007). A failure that shows in the very
//! first run may come of such memory: the thread that should have written it has not run yet. The closest run that passes shows
//! that they meet there. So the failing one is looked for once more where that is known.

use super::effort::{Effort, Enough};
use super::{Shown, size};
use gabion_search::{Observed, Options, Reduction, Search, met_at};
use gabion_trace::{Coverage, Plan, Trace};

/// Runs that are made for it at most.
const MOST_RUNS: usize = 200;

/// A run with the same bug that is as small as `best`, with what threads share in `passing`; none if nothing is new there, or none
/// is found soon.
pub(super) fn with_accesses(effort: &mut Effort<'_>, best: &Shown, passing: &Trace) -> Result<Option<Shown>, Enough> {
    let contended = met_at(&best.plan.contended, &passing.contended);
    if !passing.coverage.has(Coverage::NEW_CONTENDED) || contended == best.plan.contended {
        return Ok(None);
    }
    let options = Options { reduction: Reduction::Dpor, bound: Some(0), icb: true, ..Options::default() };
    let template = Plan { choices: Vec::new(), contended, ..best.plan.clone() };
    let mut search = Search::new(template, options);
    let (mut traces, least) = (Vec::new(), size(&best.trace));
    for _ in 0..MOST_RUNS {
        let Some(plan) = search.next().filter(|_| search.bound() <= Some(least.0 as u32)) else { return Ok(None) };
        effort.run(std::slice::from_ref(&plan), &mut traces)?;
        let trace = traces.pop().expect("internal error: a trace for every plan");
        match search.observe(&trace)? {
            Observed::Restarted => search = Search::new(search.template().clone(), options),
            Observed::Cut => return Ok(None),
            Observed::Explored => {
                let (preemptions, extent, _) = size(&trace);
                if (preemptions, extent) <= (least.0, least.1) && effort.is_same(&plan, &trace)? {
                    return Ok(Some(Shown { plan, trace }));
                }
            }
            Observed::Blocked | Observed::Ignored => {}
        }
    }
    Ok(None)
}
