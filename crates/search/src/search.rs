//! A search of one state space, whatever its reduction.

use crate::reduced::Reduced;
use crate::{DepthFirst, Observed, Options, Progress, Reduction, SearchError};
use gabion_trace::{Plan, ThreadId, Trace};

/// A search of one state space.
#[derive(Debug)]
pub struct Search(Kind);

#[derive(Debug)]
enum Kind {
    All(Box<DepthFirst>),
    Reduced(Box<Reduced>),
}

impl Search {
    /// A search of the space that the template defines. Its choices, which must be none, and id are filled in.
    pub fn new(template: Plan, options: Options) -> Self {
        Search(match (options.reduction, options.bound) {
            (Reduction::None, None) => Kind::All(Box::new(DepthFirst::new(template))),
            _ => Kind::Reduced(Box::new(Reduced::new(template, options))),
        })
    }

    /// The next plan; `None` while everything known is explored or out, and for good once nothing is out.
    #[allow(clippy::should_implement_trait)] // not an iterator: what comes next depends on what is observed in between
    pub fn next(&mut self) -> Option<Plan> {
        match &mut self.0 {
            Kind::All(search) => search.next(),
            Kind::Reduced(search) => search.next(),
        }
    }

    /// Takes a trace in, in any order.
    pub fn observe(&mut self, trace: &Trace) -> Result<Observed, SearchError> {
        match &mut self.0 {
            Kind::All(search) => search.observe(trace),
            Kind::Reduced(search) => search.observe(trace),
        }
    }

    /// Where the search stands.
    pub fn progress(&self) -> Progress {
        match &self.0 {
            Kind::All(search) => search.progress(),
            Kind::Reduced(search) => search.progress(),
        }
    }

    /// Is nothing left to do, and nothing out?
    pub fn is_exhausted(&self) -> bool {
        match &self.0 {
            Kind::All(search) => search.is_exhausted(),
            Kind::Reduced(search) => search.is_exhausted(),
        }
    }

    /// Was something left out because of the bound?
    pub fn was_bounded(&self) -> bool {
        match &self.0 {
            Kind::All(_) => false,
            Kind::Reduced(search) => search.bounded,
        }
    }

    /// Threads whose stack is known to be shared.
    pub fn shared_stacks(&self) -> &[ThreadId] {
        match &self.0 {
            Kind::All(search) => search.shared_stacks(),
            Kind::Reduced(search) => search.shared_stacks(),
        }
    }
}
