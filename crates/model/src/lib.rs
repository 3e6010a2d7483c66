//! An in-memory target: tiny programs, interpreted, for tests and benches of the search.
//!
//! [`Model`] runs plans as the native target does: the same preemption points, decisions, step numbers, endings and
//! events, so that what a search does with its traces it does with those of a real program. [`Exhaustive`] visits every
//! interleaving of a program without plans or traces, and so says what a search must find: which final states, which
//! findings, how many runs, how many [orders](order()).
//!
//! Where it deviates from the native target: operations of the main thread before the first thread is created are
//! recorded like all others; unlocking a reader-writer lock that the thread does not hold does nothing; tails other than
//! `Default` and `Fair` run as `Default`.
//!
//! Absent: any crate of ours but `trace`; IO; time; randomness outside the generators.

#![forbid(unsafe_code)]

pub mod examples;
mod explore;
#[cfg(feature = "generate")]
pub mod generate;
mod order;
mod perform;
mod program;
mod run;
mod state;
mod target;

pub use explore::{Exhaustive, Explored, Final, Finding, explore};
pub use order::{Order, order};
pub use program::{Program, REGISTERS, Register, Statement, Value};
pub use target::{Model, Run};
