//! The command line: flags become configuration, results become exit statuses. One file per subcommand.
//!
//! The same executable is also the assembler and linker that compiler drivers call while `gabion cc` runs; it knows by
//! the name it was started under.

#![forbid(unsafe_code)]

mod allow;
mod cargo;
mod cc;
mod check;
mod config;
mod console;
mod doctor;
mod exit;
mod history;
mod interrupt;
mod live;
mod options;
mod outputs;
mod program;
mod replay;
mod scope;
mod show;
mod summary;
mod values;

use clap::{Parser, Subcommand};
use exit::Exit;
use gabion_native::build::{self, Shim};
use gabion_report::Report;
use std::ffi::OsString;
use std::process::ExitCode;

/// A search frees most of what it allocates within a run or two; the C library's allocator would hand it back to the kernel and ask for it again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A stateless model checker: runs a concurrent program under every interleaving of its threads.
#[derive(Debug, Parser)]
#[command(name = "gabion", version, after_help = EXAMPLES, propagate_version = false)]
struct Command {
    #[command(subcommand)]
    subcommand: Sub,
}

const EXAMPLES: &str = "\
Examples:
  gabion check counter.c               compile it, run every interleaving, say what was found
  gabion check --preempt sync big.c    switch threads only at locks, atomics and their like
  gabion replay counter.trace          run the failing interleaving again
  make CC=\"gabion cc\" && gabion check ./server -- --port 0

Exit status: 0 nothing fails, 1 a bug, 2 an error, 3 stopped before the end.";

#[derive(Debug, Subcommand)]
enum Sub {
    /// Check a program: a .c, .cpp or .rs file, or an executable
    Check(Box<check::Check>),
    /// Run one recorded interleaving again
    Replay(replay::Replay),
    /// Print a recorded interleaving
    Show(show::Show),
    /// Compile C as gcc or clang would, ready to be checked
    Cc(cc::Cc),
    /// Compile C++ as g++ or clang++ would, ready to be checked
    #[command(name = "c++")]
    Cxx(cc::Cc),
    /// Compile Rust as rustc would, ready to be checked
    Rustc(cc::Cc),
    /// Check the tests, programs and examples of a crate: `cargo gabion test`
    Cargo(cargo::Cargo),
    /// Look whether everything that gabion needs is here
    Doctor(doctor::Doctor),
}

impl Sub {
    fn runs_programs(&self) -> bool {
        matches!(self, Sub::Check(_) | Sub::Replay(_) | Sub::Cargo(_) | Sub::Doctor(_))
    }
}

fn main() -> ExitCode {
    // First of all: what follows needs more stack than a shell may allow.
    let limits = gabion_native::limits::raise();
    called(limits)
}

#[inline(never)]
fn called(limits: Result<(), String>) -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(status) = as_tool(&args).or_else(|| cargo::wrapped(&args)).or_else(|| cc::before_clap(&args)) {
        return status;
    }
    let command = match Command::try_parse_from(&args) {
        Ok(command) => command,
        Err(error) => return usage(&error, &args),
    };
    if command.subcommand.runs_programs() {
        if let Err(why) = limits {
            return refused(&why, &args);
        }
        gabion_native::tidy();
    }
    let exit = match command.subcommand {
        Sub::Check(check) => check.run(),
        Sub::Replay(replay) => replay.run(),
        Sub::Show(show) => show.run(),
        Sub::Cc(_) | Sub::Cxx(_) | Sub::Rustc(_) => unreachable!("internal error: compilers are handled before clap"),
        Sub::Cargo(cargo) => cargo.run(),
        Sub::Doctor(doctor) => doctor.run(),
    };
    exit.unless_lost().into()
}

/// Started by a compiler driver as `as` or `ld`?
fn as_tool(args: &[OsString]) -> Option<ExitCode> {
    let result = match build::shim_role(args.first()?)? {
        Shim::Assembler => build::run_as(args),
        Shim::Linker => build::run_ld(args),
    };
    Some(exit::of_tool(result))
}

/// Clap's own message, and the JSON object for those who asked for one.
fn usage(error: &clap::Error, args: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        console::printed(error.print()); // --help, --version
        return Exit::Passed.unless_lost().into();
    }
    let text = error.to_string();
    if gabion_report::visible(&text) == text {
        let _ = error.print(); // with colours
    } else {
        console::note(&text);
    }
    as_json(text.lines().next().unwrap_or_default().trim_start_matches("error: "), args);
    Exit::Error.into()
}

/// Nothing can be run here.
fn refused(why: &str, args: &[OsString]) -> ExitCode {
    console::complain(why);
    as_json(why, args);
    Exit::Error.into()
}

/// An error as an object, if the arguments ask for one on standard output.
fn as_json(error: &str, args: &[OsString]) {
    let json =
        args.windows(2).any(|pair| pair[0] == "--json" && pair[1] == "-") || args.iter().any(|a| a == "--json=-");
    if json {
        console::say(&format!("{}\n", Report::of_error(error).to_json()));
    }
}
