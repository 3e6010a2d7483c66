//! `cargo gabion`: hands everything to the `gabion` beside it.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|first| first == "gabion") {
        args.remove(0); // so cargo calls its subcommands
    }
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name("gabion")).filter(|path| path.exists());
    let program = beside.unwrap_or_else(|| "gabion".into());
    let error = Command::new(&program).arg("cargo").args(args).exec();
    eprintln!("cargo-gabion: cannot start {}: {error}; install gabion beside it", program.display());
    ExitCode::from(2)
}
