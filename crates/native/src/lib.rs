//! Native programs as targets: building them, starting and driving them, naming their code.
//!
//! Absent: any knowledge of how a state space is searched.

mod ahead;
pub mod build;
mod cores;
mod debugger;
mod functions;
pub mod ignored;
mod inlined;
pub mod launch;
pub mod library;
pub mod limits;
mod locals;
mod lock;
mod memory;
mod private;
mod process;
mod program;
mod scope;
mod scratch;
pub mod standard_output;
pub mod surroundings;
mod symbols;
mod target;
mod types;
mod watched;

pub use ahead::Way;
pub use debugger::Debugger;
pub use launch::Launch;
pub use library::FINGERPRINT;
pub use locals::Local;
pub use lock::try_lock;
pub use program::hash;
pub use scope::{Resolved, Rule, Scope, ScopeError};
pub use scratch::{Scratch, tidy};
pub use symbols::Symbols;
pub use target::{Native, Stats};
