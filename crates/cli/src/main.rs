//! The command line: flags become configuration, results become exit statuses. One file per subcommand.
//!
//! The same executable is also the assembler and linker that compiler drivers call while `gabion cc` runs; it knows by
//! the name it was started under.

#![forbid(unsafe_code)]

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

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    if let Some(status) = as_tool(&args).or_else(|| cargo::wrapped(&args)).or_else(|| cc::before_clap(&args)) {
        return status;
    }
    let command = match Command::try_parse_from(&args) {
        Ok(command) => command,
        Err(error) => return usage(&error, &args),
    };
    let exit = match command.subcommand {
        Sub::Check(check) => check.run(),
        Sub::Replay(replay) => replay.run(),
        Sub::Show(show) => show.run(),
        Sub::Cc(_) | Sub::Cxx(_) | Sub::Rustc(_) => unreachable!("internal error: compilers are handled before clap"),
        Sub::Cargo(cargo) => cargo.run(),
        Sub::Doctor(doctor) => doctor.run(),
    };
    exit.into()
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
    let _ = error.print();
    if !error.use_stderr() {
        return ExitCode::SUCCESS; // --help, --version
    }
    let json =
        args.windows(2).any(|pair| pair[0] == "--json" && pair[1] == "-") || args.iter().any(|a| a == "--json=-");
    if json {
        let text = error.to_string();
        let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_string();
        console::say(&format!("{}\n", Report::of_error(first).to_json()));
    }
    Exit::Error.into()
}
