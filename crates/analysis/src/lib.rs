//! What a run did, judged from its trace alone.
//!
//! [`Order`] is the happens-before order of a run's steps, by vector clocks, with the pairs that a reduction has to
//! reverse. [`Detector`] finds data races, and [`Stronger`] memory orders that would order them.
//!
//! Absent: IO, time, randomness, any knowledge of a search or of a target.

#![forbid(unsafe_code)]

mod cells;
mod freed;
mod locks;
mod order;
mod race;
mod steps;

pub use order::{After, Order, Races};
pub use race::{Detector, HappensBefore, Race, Side, Stronger};
pub use steps::{Glance, Item, Key, Signature, Steps};
