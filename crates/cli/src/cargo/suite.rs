//! The tests of a crate, each a campaign of its own.

use super::Test;
use super::artifacts::{self, Built, Wanted};
use crate::check::One;
use crate::console::{Stream, complain};
use crate::interrupt;
use crate::options::CheckOptions;
use crate::values::Budget;
use anyhow::{Result, anyhow, bail};
use gabion_report::{Report, SCHEMA, Verdict, grouped, seconds};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Arguments that are for one run of all tests, and mean nothing here.
const DROPPED: [&str; 4] = ["--nocapture", "--no-capture", "--show-output", "--quiet"];

/// A test that was found in a program.
struct Found<'a> {
    program: &'a Built,
    /// With the program in front, where there are several.
    name: String,
    args: Vec<String>,
}

pub(super) fn run(test: Test) -> Result<Report> {
    let began = Instant::now();
    let built = artifacts::build(&test.selection, &wanted(&test))?;
    let stream = test.options.stream();
    let several = built.programs.len() > 1;
    let mut found = Vec::new();
    for program in &built.programs {
        for name in list(program, &test)? {
            let shown = if several { format!("{}::{name}", program.name) } else { name.clone() };
            let args = ["--exact", &name, "--include-ignored", "--test-threads=1", "--nocapture"];
            found.push(Found { program, name: shown, args: args.map(String::from).into() });
        }
    }
    if test.args.iter().any(|arg| arg == "--list") {
        found.iter().for_each(|test| stream.write(&format!("{}: test\n", test.name)));
        return Ok(together(Vec::new(), began));
    }
    if found.is_empty() {
        let what =
            test.filter.as_ref().map_or("there are no tests".into(), |filter| format!("no test matches {filter}"));
        bail!("{what}; `cargo gabion test -- --list` shows those there are");
    }
    let traces = built.directory.join("traces");
    std::fs::create_dir_all(&traces).map_err(|error| anyhow!("cannot make {}: {error}", traces.display()))?;
    let mut tests: Vec<gabion_report::Test> = Vec::new();
    let interrupted = interrupt::flag();
    for (index, one) in found.iter().enumerate() {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        let mut options = test.options.clone();
        options.budget = share(&test, began, found.len() - index);
        options.cwd.get_or_insert_with(|| one.program.directory.clone());
        tests.push(check(one, &options, &traces, stream));
    }
    let left = found.len() - tests.len();
    let report = together(tests, began);
    stream.write(&sum(&report, left));
    if let Some(path) = &test.junit {
        let text = gabion_report::junit("cargo gabion test", &report.tests);
        if let Err(error) = std::fs::write(path, text) {
            complain(&format!(
                "cannot write {}: {error}; name a file that can be written with --junit",
                path.display()
            ));
        }
    }
    Ok(report)
}

/// Which targets of the crate are built.
fn wanted(test: &Test) -> Wanted {
    let mut targets = Vec::new();
    targets.extend(test.lib.then(|| "--lib".to_string()));
    test.test.iter().for_each(|name| targets.extend(["--test".into(), name.clone()]));
    test.bin.iter().for_each(|name| targets.extend(["--bin".into(), name.clone()]));
    if targets.is_empty() {
        targets.push("--tests".to_string()); // the library's and the programs' own among them
    }
    Wanted { command: "test", targets }
}

/// The tests that a program says it has.
fn list(program: &Built, test: &Test) -> Result<Vec<String>> {
    let mut command = Command::new(&program.path);
    command
        .args(&test.filter)
        .args(test.args.iter().filter(|arg| !DROPPED.contains(&arg.as_str()) && *arg != "--list"));
    command.args(["--list", "--format", "terse"]).current_dir(&program.directory).stdin(Stdio::null());
    let answer = command.output().map_err(|error| anyhow!("cannot start {}: {error}", program.path.display()))?;
    if !answer.status.success() {
        bail!(
            "{} does not list its tests: {}",
            program.source.display(),
            String::from_utf8_lossy(&answer.stderr).lines().next().unwrap_or("it says nothing")
        );
    }
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    Ok(text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_string).collect())
}

/// A test's part of the budget: what is left, divided by the tests that are left.
fn share(test: &Test, began: Instant, left: usize) -> Budget {
    if let Some(time) = test.budget_per_test {
        return Budget(Some(time));
    }
    let all = test.options.budget.0;
    Budget(all.map(|all| all.saturating_sub(began.elapsed()).max(Duration::from_millis(100)) / left.max(1) as u32))
}

fn check(test: &Found<'_>, options: &CheckOptions, traces: &Path, stream: Stream) -> gabion_report::Test {
    stream.write(&format!("test {} ... ", test.name));
    let file: String =
        test.name.chars().map(|c| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' }).collect();
    let trace = options.trace.clone().unwrap_or_else(|| shown(&traces.join(format!("{file}.trace"))));
    let one = One { program: &test.program.path, args: &test.args, options, trace, html: None };
    let report = match one.check() {
        Ok((report, text)) => {
            stream.write(&format!("{}\n", in_short(&report)));
            if report.verdict == Verdict::Bug || options.is_verbose() {
                let indented: String =
                    text.lines().map(|line| format!("  {line}").trim_end().to_string() + "\n").collect();
                stream.write(&format!("\n{indented}\n"));
            }
            report
        }
        Err(error) => {
            let message = format!("{error:#}");
            stream.write(&format!("error: {message}\n"));
            Report::of_error(message)
        }
    };
    gabion_report::Test { name: test.name.clone(), report }
}

/// A path as it is seen from here.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf)).unwrap_or_else(|| path.to_path_buf())
}

fn in_short(report: &Report) -> String {
    let runs = format!(
        "{} run{} in {}",
        grouped(report.runs),
        if report.runs == 1 { "" } else { "s" },
        seconds(report.elapsed_s)
    );
    match (&report.error, report.verdict) {
        (Some(error), _) => format!("error: {error}"),
        (None, Verdict::Bug) => format!("BUG, {runs}"),
        (None, verdict) => format!("{}, {runs}", verdict.name()),
    }
}

/// The report of all.
fn together(tests: Vec<gabion_report::Test>, began: Instant) -> Report {
    let elapsed = began.elapsed().as_secs_f64();
    let runs = tests.iter().map(|test| test.report.runs).sum::<u64>();
    let has = |verdict| tests.iter().any(|test| test.report.verdict == verdict);
    let order = [Verdict::Bug, Verdict::Error, Verdict::Partial, Verdict::Complete];
    let verdict = order.into_iter().find(|verdict| has(*verdict)).unwrap_or(Verdict::Verified);
    Report {
        schema: SCHEMA,
        verdict,
        runs,
        blocked_runs: tests.iter().map(|test| test.report.blocked_runs).sum(),
        elapsed_s: (elapsed * 1e6).round() / 1e6,
        runs_per_s: (runs as f64 / elapsed.max(1e-6) * 10.0).round() / 10.0,
        error: None,
        tests,
        ..Report::of_error("")
    }
}

fn sum(report: &Report, left: usize) -> String {
    let count = |verdict| report.tests.iter().filter(|test| test.report.verdict == verdict).count();
    let named = [
        (count(Verdict::Verified), "verified"),
        (count(Verdict::Complete), "complete"),
        (count(Verdict::Bug), "with a bug"),
        (count(Verdict::Partial), "partial"),
        (count(Verdict::Error), "that could not be checked"),
        (left, "not begun"),
    ];
    let parts: Vec<String> = named.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    format!("\n{} tests: {}, in {}\n", report.tests.len() + left, parts.join(", "), seconds(report.elapsed_s))
}
