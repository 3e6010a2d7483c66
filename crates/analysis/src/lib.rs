//! What a run did, judged from its trace alone.
//!
//! [`Order`] is the happens-before order of a run's steps, by vector clocks, with the pairs that a reduction has to
//! reverse.
//!
//! Absent: IO, time, randomness, any knowledge of a search or of a target.

#![forbid(unsafe_code)]

mod cells;
mod locks;
mod order;
mod steps;

pub use order::{Order, Races};
pub use steps::{Item, Signature, Steps};
