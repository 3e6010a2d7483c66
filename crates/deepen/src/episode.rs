//! What a stretch of search shows.

use crate::finding::Kind;
use crate::space::SavedSpace;
use crate::verdict::Facts;
use gabion_analysis::{HappensBefore, Race};
use gabion_search::Progress;
use gabion_trace::{Contended, Outcome, Plan, ThreadId, ThreadInfo, Trace};

/// A run that failed.
#[derive(Debug)]
pub(crate) struct Failing {
    pub(crate) plan: Plan,
    pub(crate) trace: Trace,
    pub(crate) kind: Kind,
}

/// A run with races that are new to its space, or new in their order.
#[derive(Debug)]
pub(crate) struct Raced {
    /// The very first run of the space.
    pub(crate) first_run: bool,
    pub(crate) plan: Plan,
    pub(crate) trace: Trace,
    pub(crate) races: Vec<(HappensBefore, Race)>,
}

/// What a run of an episode showed.
#[derive(Debug)]
pub(crate) enum Shown {
    Raced(Raced),
    Failing(Failing),
}

/// A stretch of search.
#[derive(Debug, Default)]
pub(crate) struct Episode {
    /// In the order of the runs.
    pub(crate) shown: Vec<Shown>,
    /// Runs made, of any kind.
    pub(crate) runs: u64,
    /// What they cost, with what a run costs besides.
    pub(crate) cost: u64,
    /// Nothing is left in the space.
    pub(crate) exhausted: bool,
    /// Where the search stands at its end.
    pub(crate) progress: Progress,
    /// What all runs of the space so far have in common.
    pub(crate) facts: Facts,
    /// What the runs have shown that decides where points are.
    pub(crate) learnt: Learnt,
    /// The bound, and whether it left something out.
    pub(crate) bound: (Option<u32>, bool),
    /// How to take the search up again from here, if somebody asked for that and it is possible here.
    pub(crate) saved: Option<SavedSpace>,
    /// A run of the space's first episode, to learn from where points are come to.
    pub(crate) sample: Option<(Plan, Trace)>,
    /// Something called what cannot be modelled: how that run ended, and the call sites above.
    pub(crate) unsupported: Option<(Outcome, Vec<u64>)>,
}

/// What runs show that decides where points are; another space of the same program can begin with it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Learnt {
    threads: Vec<ThreadInfo>,
    pub(crate) shared_stacks: Vec<ThreadId>,
    contended: Vec<Contended>,
}

impl Learnt {
    pub(crate) fn of(plan: &Plan) -> Self {
        let (threads, shared_stacks) = (plan.threads.clone(), plan.shared_stacks.clone());
        Learnt { threads, shared_stacks, contended: plan.contended.clone() }
    }

    /// The plan with this in it.
    pub(crate) fn put_into(&self, plan: Plan) -> Plan {
        if self.contended.is_empty() && self.shared_stacks.is_empty() {
            return plan;
        }
        let Learnt { threads, shared_stacks, contended } = self.clone();
        Plan { threads, shared_stacks, contended, ..plan }
    }
}
