//! Compiler wrappers: `gabion cc`, `gabion c++`, and what they leave in the programs they build.
//!
//! The real compiler driver does all the work; it is started once, with flags added (`flags`). The two things flags
//! cannot do are done by an assembler and a linker of ours (`tools`), which the driver finds through `-B`:
//!
//! * `as` (`assembler`) stamps what the compiler instrumented, lists inline assembly and functions that escape the
//!   instrumentation, joins announcements that belong to one statement (`announcements`), and takes apart updates that
//!   are announced as writes (`split`);
//! * `ld` (`linker`) puts our runtime first in the link, sees exactly which objects were loaded, and writes the caveats
//!   of all of them into the program, where [`inspect`] finds them.
//!
//! Some accesses are announced by no compiler. `unannounced` judges every access of every function, by what `flow` finds
//! out about its control flow (`graph`) and the values in registers and stack slots (`values`, `state`, `follow`), and by
//! the announcements right before it (`groups`), and makes caveats of them; `results` does so for what depends on another
//! unit, `escapes` finds the variables on the stack that others may know. Test frameworks are trusted (`frameworks`), and with
//! them what only they reach (`reach`). Rust code has no assembler of ours: `unseen` asks for its assembly where that may matter.

mod access;
mod announced;
mod announcements;
mod assembler;
mod assembly;
mod channels;
mod compiler;
mod elf;
mod escapes;
mod exempt;
mod flags;
mod flow;
mod follow;
mod frame;
mod frameworks;
mod graph;
mod groups;
mod inline;
mod inline_hooks;
mod inputs;
mod inspection;
mod linker;
mod location;
mod painted;
mod reach;
mod results;
mod rust;
mod source;
mod split;
mod stamp;
mod standard;
mod state;
mod sysroot;
mod tools;
mod transactions;
mod unannounced;
mod unseen;
mod unwind;
mod values;
mod walk;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

pub use assembler::run_as;
pub use compiler::Language;
pub use frameworks::of_library as framework_of;
pub use inspection::{InStandard, Inspection, inspect, is_trusted_library};
pub use linker::run_ld;
pub use rust::{Rustc, StandardLibrary, run_rustc, with_prebuilt_library};
pub use source::{BuildOptions, Built, build_source};
pub use stamp::RECORD_FORMAT;
pub use sysroot::Network;
pub use tools::{Shim, shim_role};

/// Why a program could not be built or cannot be examined.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No compiler by that name.
    #[error("compiler not found: {0}")]
    CompilerNotFound(String),
    /// A driver that is neither gcc nor clang.
    #[error("{} is neither gcc nor clang", .0.display())]
    UnknownCompiler(PathBuf),
    /// Another sanitizer wants the same hooks.
    #[error("-fsanitize={0} cannot be combined with gabion, which uses the hooks of -fsanitize=thread")]
    SanitizerConflict(String),
    /// The runtime has to be loaded dynamically.
    #[error("{0}: gabion's runtime is a shared library, so programs under test cannot be linked statically")]
    Static(String),
    /// Stacks in pieces.
    #[error(
        "-fsplit-stack: gabion gives every thread one stack of a fixed size; build without it (pthread_attr_setstacksize asks for larger ones)"
    )]
    SplitStack,
    /// A timer that interrupts the program.
    #[error("{0}: the profiler interrupts the program by a timer, which gabion does not model; build without it")]
    Profiler(String),
    /// Only 64-bit x86 is modelled.
    #[error("{0}: only x86-64 programs can be checked")]
    Architecture(String),
    /// The real assembler or linker is missing.
    #[error("cannot find the real `{0}` (is binutils installed?)")]
    ToolNotFound(String),
    /// The compiler refused the source; it has said why.
    #[error("{} does not compile", .0.display())]
    DoesNotCompile(PathBuf),
    /// Not a program.
    #[error("{}: not an ELF executable or shared library", .0.display())]
    NotElf(PathBuf),
    /// A program for another machine.
    #[error("{}: not an x86-64 program", .0.display())]
    WrongArchitecture(PathBuf),
    /// A program without a dynamic section.
    #[error("{}: statically linked, so gabion's runtime cannot be loaded into it", .0.display())]
    StaticExecutable(PathBuf),
    /// Damaged, or written by another version of gabion.
    #[error("{}: {why}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The system refused something.
    #[error("{doing} {}: {error}", .path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}

impl BuildError {
    fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> BuildError {
        let path = path.to_owned();
        move |error| BuildError::Io { doing, path, error }
    }
}

/// Runs the compiler with gabion's flags added and hands back its exit status.
///
/// `compiler` overrides the environment's `CC` or `CXX`, which override `gcc` or `g++`, else clang.
pub fn run_compiler(language: Language, compiler: Option<&Path>, args: &[OsString]) -> Result<i32, BuildError> {
    let compiler = compiler::Compiler::find(language, compiler)?;
    let command = flags::command(&compiler, args)?;
    run(command)
}

/// Runs a command to its end, with our standard streams.
fn run(mut command: Command) -> Result<i32, BuildError> {
    let status = command.status().map_err(BuildError::io("cannot start", Path::new(command.get_program())))?;
    Ok(exit_code(status))
}

/// Exit status as a shell would give it: 128+n after signal n.
fn exit_code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}
