//! The compiler's side: every entry point that instrumented code calls.

pub mod access;
mod annotations;
mod assembly;
pub mod atomic;
mod calls;
mod hooks;
pub mod own;
mod split;
pub mod wide;
