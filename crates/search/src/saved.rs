//! A search put aside, and taken up again in another process.
//!
//! What is saved is the path with what is left on it; the order of the last run's steps is found again from that run.

use crate::cache::Cache;
use crate::estimate::Cost;
use crate::learnt::Learnt;
use crate::path::Path;
use crate::reduced::Reduced;
use crate::reversal::Open;
use crate::search::Earlier;
use crate::usual::Usual;
use crate::{Options, Progress};
use gabion_trace::{Plan, Trace};
use serde::{Deserialize, Serialize};

/// A search that was put aside.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    pub(crate) options: Options,
    pub(crate) earlier: Earlier,
    pub(crate) usual: Usual,
    reduced: SavedReduced,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct SavedReduced {
    template: Plan,
    learnt: Learnt,
    options: Options,
    path: Path,
    open: Vec<(u32, u32)>,
    looked_at: usize,
    by_source: bool,
    fine: bool,
    begun: bool,
    exhausted: bool,
    next_id: u64,
    progress: Progress,
    bounded: bool,
    cost: Cost,
    cache: Cache,
}

impl Saved {
    pub(crate) fn new(options: Options, earlier: Earlier, usual: Usual, search: &Reduced) -> Self {
        Saved { options, earlier, usual, reduced: search.save() }
    }

    /// The search again. `last` is the last run that it observed.
    pub(crate) fn restore(self, last: &Trace) -> (Options, Earlier, Usual, Reduced) {
        (self.options, self.earlier, self.usual, Reduced::restore(self.reduced, last))
    }
}

impl Reduced {
    fn save(&self) -> SavedReduced {
        assert!(self.due.is_empty(), "internal error: a search is put aside with races to reverse");
        SavedReduced {
            template: self.template.clone(),
            learnt: self.learnt,
            options: self.options,
            path: self.path.clone(),
            open: self.open.iter().map(|open| (open.first, open.second)).collect(),
            looked_at: self.looked_at,
            by_source: self.by_source,
            fine: self.fine,
            begun: self.begun,
            exhausted: self.exhausted,
            next_id: self.next_id,
            progress: self.progress,
            bounded: self.bounded,
            cost: self.cost,
            cache: self.cache.clone(),
        }
    }

    fn restore(saved: SavedReduced, last: &Trace) -> Self {
        let mut search = Reduced::new(saved.template, saved.options);
        (search.learnt, search.path) = (saved.learnt, saved.path);
        (search.by_source, search.fine) = (saved.by_source, saved.fine);
        (search.begun, search.exhausted, search.next_id) = (saved.begun, saved.exhausted, saved.next_id);
        search.open = saved.open.into_iter().map(Open::new).collect();
        search.looked_at = saved.looked_at;
        (search.progress, search.bounded) = (saved.progress, saved.bounded);
        (search.cost, search.cache) = (saved.cost, saved.cache);
        if !search.path.nodes.is_empty() {
            search.order.read(last, 0);
        }
        search
    }
}
