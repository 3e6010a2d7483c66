//! Which tests there are, as the test programs themselves say.

use super::artifacts::Built;
use super::filter::{Filter, Name};
use crate::console::note;
use anyhow::{Result, anyhow};
use gabion_report::Report;
use std::process::{Command, Stdio};

/// Arguments that are for one run of all tests, and mean nothing here.
const DROPPED: [&str; 4] = ["--nocapture", "--no-capture", "--show-output", "--quiet"];

/// A test that was found in a program.
pub(super) struct Found<'a> {
    pub(super) program: &'a Built,
    /// With the program in front, where there are several.
    pub(super) name: String,
    pub(super) args: Vec<String>,
    /// By `#[ignore]`, and nobody asked for it.
    pub(super) ignored: bool,
}

/// What a program says when it is asked for its tests.
enum Listing {
    Tests(Vec<String>),
    /// It ran, and nothing that it said is of libtest.
    OwnHarness,
    Failed(String),
}

/// The tests of all programs that are asked for, and a report for each program that does not list them.
pub(super) fn find<'a>(programs: &'a [Built], filter: &Filter) -> Result<(Vec<Found<'a>>, Vec<gabion_report::Test>)> {
    let with_program = programs.len() > 1;
    let all = filter.rest.iter().any(|arg| ["--ignored", "--include-ignored"].contains(&arg.as_str()));
    let (mut found, mut failed) = (Vec::new(), Vec::new());
    for program in programs {
        let name = &program.name;
        let names = match list(program, filter, None)? {
            Listing::Tests(names) => names,
            Listing::OwnHarness => {
                let option = if program.is_test { "--test" } else { "--bin" };
                note(&format!(
                    "gabion: left out: {name}, which has a harness of its own (`cargo gabion check {option} {name}`)\n"
                ));
                continue;
            }
            Listing::Failed(why) => {
                let error = format!("{} does not list its tests: {why}", program.source.display());
                failed.push(gabion_report::Test { name: name.clone(), report: Report::of_error(error) });
                continue;
            }
        };
        // Without being asked for some, libtest lists all.
        let ignored = match all {
            true => Vec::new(),
            false => match list(program, filter, Some("--ignored"))? {
                Listing::Tests(names) => names,
                Listing::OwnHarness | Listing::Failed(_) => Vec::new(),
            },
        };
        for name in names {
            let full = Name { program: &program.name, own: &name, with_program };
            if !filter.takes(full) {
                continue;
            }
            let shown = full.shown();
            let args = ["--exact", &name, "--include-ignored", "--test-threads=1", "--nocapture"];
            let ignored = ignored.contains(&name);
            found.push(Found { program, name: shown, args: args.map(String::from).into(), ignored });
        }
    }
    Ok((found, failed))
}

fn list(program: &Built, filter: &Filter, more: Option<&str>) -> Result<Listing> {
    let mut command = Command::new(&program.path);
    command.args(filter.rest.iter().filter(|arg| !DROPPED.contains(&arg.as_str()) && *arg != "--list"));
    command.args(more).arg("--list").current_dir(&program.directory).stdin(Stdio::null());
    command.envs(program.environment.iter().map(|(name, value)| (name, value)));
    let answer = command.output().map_err(|error| anyhow!("cannot start {}: {error}", program.path.display()))?;
    if !answer.status.success() {
        let said = String::from_utf8_lossy(&answer.stderr).into_owned();
        return Ok(Listing::Failed(said.lines().next().unwrap_or("it says nothing").to_string()));
    }
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let names: Vec<String> = text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect();
    // The last line of libtest counts them.
    let is_libtest = text.lines().last().is_some_and(|last| last.contains(" test") && last.contains(" benchmark"));
    Ok(if is_libtest || !names.is_empty() { Listing::Tests(names) } else { Listing::OwnHarness })
}
