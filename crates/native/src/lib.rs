//! Native programs as targets: building them, starting and driving them, naming their code.
//!
//! Absent: any knowledge of how a state space is searched.

mod ahead;
pub mod build;
mod cores;
mod debugger;
mod functions;
mod inlined;
pub mod known;
mod launch;
pub mod library;
mod locals;
mod memory;
mod process;
mod program;
mod scope;
mod symbols;
mod target;
mod types;
mod watched;

pub use ahead::Way;
pub use debugger::Debugger;
pub use launch::Launch;
pub use locals::Local;
pub use program::hash;
pub use scope::{Resolved, Rule, Scope, ScopeError};
pub use symbols::Symbols;
pub use target::{Native, Stats};
