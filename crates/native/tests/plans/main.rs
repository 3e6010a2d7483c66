//! Real programs under single plans: what a plan says is what happens, whatever was run before.

mod choices;
mod common;
mod quiet;
mod seals;
mod sleep_sets;
mod sleepers;
