//! Data races: pairs of accesses to common bytes by two threads, at least one a write, not both atomic, that nothing
//! orders.

mod clock;
mod detector;
mod limited;
mod objects;
mod pure;
mod relation;
mod sequences;
mod strengthen;
mod threads;

pub use detector::{Detector, Race, Side};
pub use relation::HappensBefore;
pub use strengthen::Stronger;
