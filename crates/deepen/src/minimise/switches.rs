//! Fewest switches, then fewest threads, among the runs with as few preemptions.
//!
//! First turns of threads are joined, and left out, as long as the same bug shows and the run gets smaller: that is quick and
//! mostly comes to the end of it. Then every run with fewer switches is made, and every one with as many and fewer threads,
//! but for those that lead to a state in which another one was, after the same thread's step and as many switches
//! (happens-before caching; decision 0017). When there is nothing left of these, there is no smaller one.

use super::effort::{Effort, Enough};
use super::schedule::{Schedule, Turn};
use super::{Shown, size};
use gabion_search::{Extent, Observed, Options, Reduction, Search};
use gabion_trace::{Fewest, Minimisation, Plan, Trace};

/// Joins turns of one thread, or leaves its last one out, as long as the bug shows and the run gets smaller.
pub(super) fn join(effort: &mut Effort<'_>, best: &mut Shown) -> Result<(), Enough> {
    'again: loop {
        let schedule = Schedule::of(&best.trace);
        for turns in joined(&schedule.turns) {
            let plan = Plan { choices: Vec::new(), ..best.plan.clone() };
            let run = match effort.follow(&plan, &best.trace, &schedule.with(turns)) {
                Err(Enough::Spent) => return Ok(()),
                run => run?,
            };
            let Some(trace) = run.filter(|run| size(run) < size(&best.trace)) else { continue };
            if effort.is_same(&plan, &trace)? {
                *best = Shown { plan, trace };
                continue 'again;
            }
        }
        return Ok(());
    }
}

/// The schedules in which a turn follows the one before it of the same thread at once, or the other way round; of a thread's
/// last turn, the one without it.
fn joined(turns: &[Turn]) -> Vec<Vec<Turn>> {
    let mut all = Vec::new();
    for (first, turn) in turns.iter().enumerate() {
        let (before, rest) = (&turns[..first], &turns[first + 1..]);
        let Some(next) = rest.iter().position(|other| other.thread == turn.thread) else {
            all.push([before, rest].concat());
            continue;
        };
        let (between, second, after) = (&rest[..next], &rest[next..=next], &rest[next + 1..]);
        all.push([before, second, between, after].concat());
        all.push([before, between, second, after].concat());
    }
    all
}

/// Makes every smaller run; the best is kept, also where that ends early. Runs that are spent are no error here. Gives the space
/// anew if runs have shown points that those before lacked: then there may be fewer preemptions, too.
pub(super) fn fewest(
    effort: &mut Effort<'_>,
    best: &mut Shown,
    space: Plan,
    told: &mut Minimisation,
) -> Result<Option<Plan>, Enough> {
    let mut smaller = Smaller { space, bound: best.trace.preemptions() as u32, restarted: false };
    // Fewer switches alone are fewer runs, so they come first.
    told.fewest_switches = smaller.search(effort, best, |known| Extent { threads: 0, ..known })?;
    if told.fewest_switches == Fewest::Proven {
        told.fewest_threads = smaller.search(effort, best, |known| known)?;
    }
    Ok((smaller.restarted && smaller.bound > 0).then_some(smaller.space))
}

/// Where smaller runs are looked for.
struct Smaller {
    space: Plan,
    bound: u32,
    /// Runs have shown points that those before lacked.
    restarted: bool,
}

impl Smaller {
    /// Makes the runs below what is known, which a smaller one replaces; until there are none, or no more may be made.
    fn search(
        &mut self,
        effort: &mut Effort<'_>,
        best: &mut Shown,
        below: fn(Extent) -> Extent,
    ) -> Result<Fewest, Enough> {
        let mut traces = Vec::new();
        'again: loop {
            let below = below(Extent::of(&best.trace));
            let bound = self.bound;
            let options =
                Options { reduction: Reduction::HbCache, bound: Some(bound), below: Some(below), ..Options::default() };
            let mut search = Search::new(Plan { choices: Vec::new(), ..self.space.clone() }, options);
            while let Some(plan) = search.next() {
                match effort.run(std::slice::from_ref(&plan), &mut traces) {
                    Err(Enough::Spent) => return Ok(Fewest::Unknown),
                    made => made?,
                }
                let trace = traces.pop().expect("internal error: a trace for every plan");
                let observed = search.observe(&trace)?;
                self.space.clone_from(search.template());
                self.restarted |= observed == Observed::Restarted;
                let small = |trace: &Trace| trace.preemptions() <= bound as usize && Extent::of(trace) < below;
                match observed {
                    _ if !small(&trace) => {}
                    // What is below is unknown.
                    Observed::Cut => return Ok(Fewest::Unknown),
                    Observed::Explored if effort.is_same(&plan, &trace)? => {
                        *best = Shown { plan, trace };
                        continue 'again;
                    }
                    Observed::Explored | Observed::Blocked | Observed::Ignored | Observed::Restarted => {}
                }
            }
            return Ok(Fewest::Proven);
        }
    }
}
