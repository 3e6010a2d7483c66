//! Which part of a state space is searched, and how.

use gabion_trace::Trace;
use std::collections::BTreeSet;

/// Which interleavings are left out because another one shows the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Reduction {
    /// None is left out.
    None,
    /// Dynamic partial-order reduction with sleep sets (Flanagan and Godefroid 2005; thesis §3.4.2).
    Dpor,
    /// One run for each Mazurkiewicz trace (Abdulla et al. 2014).
    #[default]
    Optimal,
    /// Happens-before caching (CHESS §4.4.2): a state reached by an equivalent prefix is not entered again.
    HbCache,
}

impl Reduction {
    /// Every reduction with its name on the command line.
    pub const NAMES: &'static [(&'static str, Reduction)] = &[
        ("none", Reduction::None),
        ("dpor", Reduction::Dpor),
        ("optimal", Reduction::Optimal),
        ("hbcache", Reduction::HbCache),
    ];
}

/// How large a run is, for those who look for a smaller one: in order of what matters more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub struct Extent {
    /// Steps that another thread made than the one before.
    pub switches: u32,
    /// Threads that made a step.
    pub threads: u32,
}

impl Extent {
    /// Of a run.
    pub fn of(trace: &Trace) -> Self {
        let switches = trace.steps.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count();
        let threads: BTreeSet<_> = trace.steps.iter().map(|step| step.thread).collect();
        Extent { switches: switches as u32, threads: threads.len() as u32 }
    }
}

/// Options of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Options {
    /// The reduction.
    pub reduction: Reduction,
    /// Most preemptions of a run. Not together with [`Reduction::Optimal`].
    pub bound: Option<u32>,
    /// When nothing is left within the bound and something was left out, go on with one more.
    pub icb: bool,
    /// Only runs that are smaller than this. With [`Reduction::HbCache`] and a bound: reductions that show one run of each
    /// order may show a larger one.
    #[serde(default)]
    pub below: Option<Extent>,
    /// A step that makes far more accesses than steps did in the runs before is stuck.
    pub usual: bool,
    /// Reduction without sleep sets, as the thesis' worked example has it. For tests.
    pub no_sleep: bool,
    /// The recursive estimate charges each step once, as if prefixes were not run again. For tests.
    pub by_step: bool,
}
