//! One state space: which run to make next.
//!
//! Today there is one search, [`DepthFirst`], without reduction: every value of every decision is taken once. Reduction,
//! bounds and other orders come behind the same two calls, `next` and `observe`.
//!
//! Absent: any knowledge of a target, IO, time, randomness.

#![forbid(unsafe_code)]

mod depth_first;
mod frontier;
mod table;
mod tree;

pub use depth_first::{DepthFirst, Observed, Progress, SearchError};
