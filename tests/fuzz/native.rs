//! Outcomes of plain runs: whatever hardware shows of a program in ten thousand runs, gabion must have found. Stores are followed by
//! a fence, and atomics are sequentially consistent, since gabion's memory is.

use crate::check::{Case, Result};
use crate::program::{Dialect, ENVIRONMENT, Statement};
use std::path::Path;
use std::process::{Command, Stdio};

/// Can the program be run again and again in one process?
pub fn can(case: &Case) -> bool {
    let once = |s: &Statement| {
        matches!(s, Statement::Once(_) | Statement::Send(_) | Statement::Receive | Statement::TryReceive)
    };
    // The environment is no place for threads without gabion.
    let environment = |s: &Statement| matches!(s, Statement::Set(ENVIRONMENT, _) | Statement::See(ENVIRONMENT));
    if case.program.any(environment) {
        return false;
    }
    let again = case.program.dialect != Dialect::Rust || !case.program.any(once);
    again && !case.program.any(|s| matches!(s, Statement::Await(..)))
}

/// Compiles it without gabion and runs it.
pub fn compare(case: &Case, found: &Result, directory: &Path) -> std::result::Result<(), String> {
    let native = directory.join("native");
    let (source, level) = (|name: &str| directory.join(name), format!("-O{}", case.level));
    let rust = case.program.dialect == Dialect::Rust;
    let mut command = Command::new(if rust { "rustc" } else { case.compiler });
    match case.program.dialect {
        Dialect::Rust => {
            let level = format!("-Copt-level={}", case.level);
            command.args(["--edition=2024", "-Awarnings", "--cfg", "native", &level]).arg(source("p.rs"))
        }
        Dialect::Cxx => command.args(["-std=c++20", "-w", "-DNATIVE", "-pthread", &level]).arg(source("p.cpp")),
        _ => command.args(["-w", "-DNATIVE", "-pthread", &level]).arg(source("p.c")),
    };
    let built = command.arg("-o").arg(&native).output().map_err(|e| e.to_string())?;
    if !built.status.success() {
        return Err(format!("it does not compile natively\n{}", String::from_utf8_lossy(&built.stderr)));
    }
    let run = Command::new("timeout").args(["--signal=KILL", "300"]).arg(&native).stdin(Stdio::null()).output();
    let run = run.map_err(|e| e.to_string())?;
    let text = String::from_utf8_lossy(&run.stdout);
    if !run.status.success() || text.contains("unknown") {
        return Err(format!("natively: {:?}\n{text}\n{}", run.status, String::from_utf8_lossy(&run.stderr)));
    }
    let seen: Vec<usize> = text.lines().filter_map(|line| line.parse().ok()).collect();
    if seen.is_empty() {
        return Err("no outcome was seen natively".into());
    }
    // All outcomes of whole copies were found, or the case would have failed. Others need the verdict's caveat.
    let missed: Vec<_> = seen.iter().filter(|k| !found.found.contains(k)).collect();
    let told = found.less.as_deref().is_some_and(|less| less.contains("whole-copies"));
    if missed.is_empty() || found.partial || told {
        return Ok(());
    }
    Err(format!("outcomes {missed:?} were seen natively"))
}
