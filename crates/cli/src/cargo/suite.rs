//! The tests of a crate, each a campaign of its own.

use super::Test;
use super::artifacts::{self, Built, Kind, Wanted};
use super::doc_tests;
use super::filter::Filter;
use super::listing::{Found, find};
use crate::check::One;
use crate::console::{Stream, complain, note};
use crate::options::CheckOptions;
use crate::values::Budget;
use crate::{interrupt, outputs};
use anyhow::{Result, anyhow, bail};
use gabion_report::{Report, SCHEMA, Verdict, counted, in_short, seconds};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// What all tests together are called.
const NAME: &str = "cargo gabion test";

/// Checks the tests. What JUnit's readers are to see is written however it ends.
pub(super) fn run(test: &Test) -> Result<Report> {
    let mut ignored = Vec::new();
    let mut done = check_all(test, &mut ignored);
    if let Some(path) = &test.junit {
        let of_error = |error| gabion_report::Test { name: NAME.into(), report: Report::of_error(error) };
        let (mut tests, error) = match &done {
            Ok(report) => (report.tests.clone(), report.error.clone()),
            Err(error) => (Vec::new(), Some(format!("{error:#}"))),
        };
        tests.extend(error.map(of_error));
        let written = outputs::write(path, &gabion_report::junit(NAME, &tests, &ignored), "--junit");
        done.iter_mut().for_each(|report| report.unwritten |= !written);
    }
    done
}

/// Checks the tests, and says which were left out because of `#[ignore]`.
fn check_all(test: &Test, ignored: &mut Vec<String>) -> Result<Report> {
    let began = Instant::now();
    let built = artifacts::build(&test.selection, &wanted(test))?;
    let failed = built.failed.as_ref().map(|what| format!("cargo could not build {what}"));
    failed.iter().for_each(|failed| complain(&format!("{failed}; its messages are above")));
    if !built.macros.is_empty() {
        let names: Vec<&str> = built.macros.iter().map(|program| program.name.as_str()).collect();
        note(&format!("gabion: left out: unit tests of procedural macros ({})\n", names.join(", ")));
    }
    if !test.has_targets() {
        leave_out_documentation(&built.programs);
    }
    let stream = test.options.stream();
    let filter = Filter::of(test);
    let (found, mut tests) = find(&built.programs, &filter)?;
    for test in &tests {
        stream.write(&format!("test {} ... {}\n", test.name, in_short(&test.report)));
    }
    if test.args.iter().any(|arg| arg == "--list") {
        found.iter().for_each(|test| stream.write(&format!("{}: test\n", test.name)));
        return Ok(together(tests, failed, began));
    }
    if found.is_empty() && tests.is_empty() {
        match filter.words() {
            Some(words) => bail!("no test matches {words}; `cargo gabion test -- --list` shows those there are"),
            None => bail!("there are no tests here"),
        }
    }
    let traces = built.directory.join("traces");
    std::fs::create_dir_all(&traces).map_err(|error| anyhow!("cannot make {}: {error}", traces.display()))?;
    if let Some(pages) = &test.html {
        std::fs::create_dir_all(pages).map_err(|error| {
            anyhow!("cannot make {}: {error}; name a directory for pages with --html", pages.display())
        })?;
    }
    let interrupted = interrupt::flag();
    let budget = Instant::now(); // building is not what it is for
    ignored.extend(found.iter().filter(|one| one.ignored).map(|one| one.name.clone()));
    let mut left = found.len() - ignored.len();
    for one in &found {
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
        if one.ignored {
            stream.write(&format!("test {} ... ignored\n", one.name));
            continue;
        }
        let mut options = test.options.clone();
        options.budget =
            test.budget_per_test.map_or(share(test.options.budget, budget.elapsed(), left), |time| Budget(Some(time)));
        options.cwd.get_or_insert_with(|| one.program.directory.clone());
        // What was asked for comes last, and counts.
        options.env.splice(0..0, one.program.environment.clone());
        tests.push(check(one, &options, &Places { traces: &traces, pages: test.html.as_deref() }, stream));
        left -= 1;
    }
    let report = together(tests, failed, began);
    stream.write(&sum(&report, left, ignored.len()));
    Ok(report)
}

/// Says of which libraries the documentation has tests. They are compiled and run by `rustdoc`.
fn leave_out_documentation(programs: &[Built]) {
    let has = |program: &&Built| program.is_documented && doc_tests::are_in(&program.source);
    let names: Vec<&str> = programs.iter().filter(has).map(|program| program.name.as_str()).collect();
    if !names.is_empty() {
        note(&format!(
            "gabion: left out: documentation tests of {} (`cargo test --doc` runs them)\n",
            names.join(", ")
        ));
    }
}

/// Which targets of the crate are built.
fn wanted(test: &Test) -> Wanted {
    let mut targets = Vec::new();
    targets.extend(test.lib.then(|| "--lib".to_string()));
    test.test.iter().for_each(|name| targets.extend(["--test".into(), name.clone()]));
    test.bin.iter().for_each(|name| targets.extend(["--bin".into(), name.clone()]));
    Wanted { kind: Kind::Tests, targets, prebuilt: test.options.prebuilt_std }
}

/// A test's part of the budget: what is left, divided by the tests that are left.
fn share(all: Budget, spent: Duration, left: usize) -> Budget {
    Budget(all.0.map(|all| all.saturating_sub(spent).max(Duration::from_millis(100)) / left.max(1) as u32))
}

/// Directories for what is written of each test.
struct Places<'a> {
    traces: &'a Path,
    pages: Option<&'a Path>,
}

fn check(test: &Found<'_>, options: &CheckOptions, places: &Places<'_>, stream: Stream) -> gabion_report::Test {
    // Beside a name that waits for its verdict, progress would go into the same line of a file.
    let begin = format!("test {} ... ", test.name);
    let waits = stream.is_terminal();
    if waits {
        stream.write(&begin);
    }
    let begin = if waits { "" } else { &begin };
    let file = file_name(&test.name);
    let trace = options.trace.clone().unwrap_or_else(|| shown(&places.traces.join(format!("{file}.trace"))));
    let html = places.pages.map(|pages| pages.join(format!("{file}.html")));
    let name = test.name.clone();
    let one = One { program: &test.program.path, name, args: &test.args, options, trace, html };
    let report = match one.check() {
        Ok((report, text)) => {
            stream.write(&format!("{begin}{}\n", in_short(&report)));
            if report.verdict == Verdict::Bug || options.is_verbose() {
                let indented: String =
                    text.lines().map(|line| format!("  {line}").trim_end().to_string() + "\n").collect();
                stream.write(&format!("\n{indented}\n"));
            }
            report
        }
        Err(error) => {
            let message = format!("{error:#}");
            stream.write(&format!("{begin}error: {message}\n"));
            Report::of_error(message)
        }
    };
    gabion_report::Test { name: test.name.clone(), report }
}

/// A test's name as that of a file. No name of Rust has a dot, so two tests have two files.
fn file_name(test: &str) -> String {
    let fits = |c: char| if c.is_alphanumeric() || "_-.".contains(c) { c } else { '_' };
    test.replace("::", ".").chars().map(fits).collect()
}

/// A path as it is seen from here.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().ok();
    here.and_then(|here| path.strip_prefix(here).ok().map(Path::to_path_buf)).unwrap_or_else(|| path.to_path_buf())
}

/// The report of all. What could not be built is worse than any bug: nobody knows what is in it.
fn together(tests: Vec<gabion_report::Test>, error: Option<String>, began: Instant) -> Report {
    let elapsed = began.elapsed().as_secs_f64();
    let sum = |number: fn(&Report) -> u64| tests.iter().map(|test| number(&test.report)).sum();
    let runs: u64 = sum(|report| report.runs);
    let has = |verdict| tests.iter().any(|test| test.report.verdict == verdict);
    let order = [Verdict::Bug, Verdict::Error, Verdict::Partial, Verdict::Complete, Verdict::Verified];
    let verdict = match &error {
        Some(_) => Verdict::Error,
        None => order.into_iter().find(|verdict| has(*verdict)).unwrap_or(Verdict::Complete),
    };
    Report {
        schema: SCHEMA,
        verdict,
        runs,
        complete_runs: sum(|report| report.complete_runs),
        blocked_runs: sum(|report| report.blocked_runs),
        cut_runs: sum(|report| report.cut_runs),
        abandoned_runs: sum(|report| report.abandoned_runs),
        elapsed_s: (elapsed * 1e6).round() / 1e6,
        runs_per_s: (runs as f64 / elapsed.max(1e-6) * 10.0).round() / 10.0,
        error,
        tests,
        ..Report::of_error("")
    }
}

fn sum(report: &Report, left: usize, ignored: usize) -> String {
    let count = |verdict| report.tests.iter().filter(|test| test.report.verdict == verdict).count();
    let named = [
        (count(Verdict::Verified), "verified"),
        (count(Verdict::Complete), "complete"),
        (count(Verdict::Bug), "with a bug"),
        (count(Verdict::Partial), "partial"),
        (count(Verdict::Error), "that could not be checked"),
        (left, "not begun"),
        (ignored, "ignored"),
    ];
    let parts: Vec<String> = named.iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}")).collect();
    let all = counted((report.tests.len() + left + ignored) as u64, "test");
    let error = report.error.as_ref().map_or(String::new(), |error| format!("; {error}"));
    format!("\n{all}: {}, in {}{error}\n", parts.join(", "), seconds(report.elapsed_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_test_leaves_is_shared_by_the_others() {
        let seconds = |all: Option<u64>, spent, left| {
            let share = share(Budget(all.map(Duration::from_secs)), Duration::from_secs(spent), left);
            share.0.map(|time| time.as_secs_f64())
        };
        assert_eq!(seconds(Some(60), 0, 3), Some(20.0));
        assert_eq!(seconds(Some(60), 2, 2), Some(29.0));
        assert_eq!(seconds(Some(60), 2, 1), Some(58.0));
        assert_eq!(seconds(Some(60), 61, 2), Some(0.05));
        assert_eq!(seconds(None, 5, 2), None);
    }
}
