//! A search of one state space, whatever its reduction.

use crate::reduced::Reduced;
use crate::usual::Usual;
use crate::{DepthFirst, Observed, Options, Progress, Reduction, Saved, SearchError};
use gabion_trace::{Coverage, Plan, Trace};

/// A search of one state space.
#[derive(Clone, Debug)]
pub struct Search {
    kind: Kind,
    options: Options,
    earlier: Earlier,
    usual: Usual,
}

#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Earlier {
    /// Runs of the bounds before the present one.
    runs: u64,
    /// The largest of these whose runs were all made, to their ends.
    completed: Option<u32>,
    /// A run with the present bound was cut, or a loop in one was taken to wait: not every run with so few preemptions is made.
    lossy: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    All(Box<DepthFirst>),
    Reduced(Box<Reduced>),
}

impl Search {
    /// A search of the space that the template defines. Its choices, which must be none, and id are filled in.
    pub fn new(template: Plan, options: Options) -> Self {
        assert!(
            options.below.is_none() || options.reduction == Reduction::HbCache && options.bound.is_some(),
            "internal error: a reduction that does not know how large runs are"
        );
        let kind = match (options.reduction, options.bound) {
            (Reduction::None, None) => Kind::All(Box::new(DepthFirst::new(template))),
            _ => Kind::Reduced(Box::new(Reduced::new(template, options))),
        };
        Search { kind, options, earlier: Earlier::default(), usual: Usual::default() }
    }

    /// The search put aside, right after a whole run was observed. `None`: nobody can take it up again from here; a search
    /// without reduction begins anew.
    pub fn save(&mut self, last: &Trace) -> Option<Saved> {
        self.catch_up();
        match &self.kind {
            Kind::Reduced(search) if search.is_at(last) => {
                Some(Saved::new(self.options, self.earlier, self.usual, search))
            }
            _ => None,
        }
    }

    /// A search that was put aside. `last` is the run after which that was.
    pub fn restore(saved: Saved, last: &Trace) -> Self {
        let (options, earlier, usual, search) = saved.restore(last);
        Search { kind: Kind::Reduced(Box::new(search)), options, earlier, usual }
    }

    /// Iterative preemption bounding: everything within the bound is explored, and something was left out for its sake. A bound
    /// with a run that did not come to its end is none of which every run was made.
    fn raise_bound(&mut self) -> bool {
        let Kind::Reduced(search) = &mut self.kind else { return false };
        let Some(bound) = self.options.bound.filter(|_| self.options.icb && search.bounded && search.is_exhausted())
        else {
            return false;
        };
        let Earlier { runs, completed, lossy } = self.earlier;
        let completed = if lossy { completed } else { Some(bound) };
        self.earlier = Earlier { runs: runs + search.progress().executed(), completed, lossy: false };
        self.options.bound = Some(bound + 1);
        **search = search.again(self.options);
        true
    }

    /// The next plan; `None` while everything known is explored or out, and for good once nothing is out.
    #[allow(clippy::should_implement_trait)] // not an iterator: what comes next depends on what is observed in between
    pub fn next(&mut self) -> Option<Plan> {
        let mut plan = match &mut self.kind {
            Kind::All(search) => search.next(),
            Kind::Reduced(search) => search.next(),
        };
        if let Some(plan) = plan.as_mut().filter(|_| self.options.usual) {
            self.usual.limit(plan);
        }
        if plan.is_none() && self.raise_bound() { self.next() } else { plan }
    }

    /// Takes a trace in, in any order.
    pub fn observe(&mut self, trace: &Trace) -> Result<Observed, SearchError> {
        let observed = match &mut self.kind {
            Kind::All(search) => search.observe(trace)?,
            Kind::Reduced(search) => search.observe(trace)?,
        };
        if observed == Observed::Restarted {
            // Runs have shown more points than the lower bounds were explored with.
            (self.earlier.completed, self.earlier.lossy) = (None, false);
        } else {
            self.earlier.lossy |= observed == Observed::Cut || trace.coverage.has(Coverage::ASSUMED_WAIT);
        }
        self.usual.add(trace, observed);
        Ok(observed)
    }

    /// Does what is left to do after the last run and makes no difference to the plan that is out: a good moment is while
    /// that is run. Whoever does not ask for it gets it done when the next trace comes.
    pub fn catch_up(&mut self) {
        if let Kind::Reduced(search) = &mut self.kind {
            search.catch_up();
        }
    }

    /// How many first steps the last trace taken in shares with the one before it, at least.
    pub fn shared(&self) -> usize {
        match &self.kind {
            Kind::All(_) => 0,
            Kind::Reduced(search) => search.shared,
        }
    }

    /// Where the search stands.
    pub fn progress(&mut self) -> Progress {
        self.catch_up();
        let progress = match &self.kind {
            Kind::All(search) => search.progress(),
            Kind::Reduced(search) => search.progress(),
        };
        let done = self.options.bound.filter(|_| !self.earlier.lossy && self.is_exhausted());
        Progress { earlier: self.earlier.runs, completed_bound: done.or(self.earlier.completed), ..progress }
    }

    /// Is nothing left to do, and nothing out?
    pub fn is_exhausted(&self) -> bool {
        match &self.kind {
            Kind::All(search) => search.is_exhausted(),
            Kind::Reduced(search) => search.is_exhausted() && !(self.options.icb && search.bounded),
        }
    }

    /// The bound now in force.
    pub fn bound(&self) -> Option<u32> {
        self.options.bound
    }

    /// Was something left out because of the bound?
    pub fn was_bounded(&self) -> bool {
        match &self.kind {
            Kind::All(_) => false,
            Kind::Reduced(search) => search.bounded,
        }
    }

    /// What every plan has in common, with what the runs have shown of it: shared stacks, contended memory.
    pub fn template(&self) -> &Plan {
        match &self.kind {
            Kind::All(search) => search.template(),
            Kind::Reduced(search) => search.template(),
        }
    }
}
