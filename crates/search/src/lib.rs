//! One state space: which run to make next.
//!
//! [`Search`] is behind two calls, `next` and `observe`: without reduction every value of every decision is taken once
//! ([`DepthFirst`]); with one, a run for each order of what depends on each other.
//!
//! Absent: any knowledge of a target, IO, time, randomness.

#![forbid(unsafe_code)]

mod bounds;
mod cache;
mod depth_first;
mod estimate;
mod event;
mod frontier;
mod learnt;
mod made;
mod nodes;
mod options;
mod path;
mod progress;
mod reduced;
mod reversal;
mod saved;
mod search;
mod table;
mod tree;
mod usual;
mod wakeup;

pub use depth_first::DepthFirst;
pub use learnt::met_at;
pub use options::{Extent, Options, Reduction};
pub use progress::{Observed, Progress, SearchError};
pub use saved::Saved;
pub use search::Search;
