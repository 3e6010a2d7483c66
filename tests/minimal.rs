//! Failing interleavings made small, held against iterative preemption bounding: as few preemptions, the same bug, and
//! it replays. A sample of the programs with a bug; `MINIMAL_ALL=1` takes them all.

#![forbid(unsafe_code)]

use gabion_tests::build::build;
use gabion_tests::header::Header;
use gabion_tests::run::{Output, call, gabion};
use gabion_tests::{programs, workspace};
use gabion_trace::{Fewest, SwitchRole, TraceFile};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);
/// One program out of so many.
const SAMPLE: usize = 6;
/// Options that say which space is searched, and how: here all are searched alike.
const WITH_VALUE: [&str; 5] = ["--preempt", "--mode", "--reduction", "--bound", "--max-runs"];
const ALONE: [&str; 2] = ["--icb", "--keep-going"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let all = std::env::var_os("MINIMAL_ALL").is_some();
    let root = workspace().join("programs");
    let buggy = |path: &PathBuf| {
        let header = Header::read(path).ok()?;
        // What a program does that has overwritten everything is undefined, and Rust programs take long to build.
        let defined = !path.starts_with(root.join("abuse")) && path.extension().is_some_and(|e| e != "rs");
        let whole = header.argv.is_empty() && !path.with_file_name("gabion.toml").exists();
        (header.verdicts == ["bug"] && defined && whole).then_some((path.clone(), header))
    };
    let mut trials = Vec::new();
    for (index, (path, header)) in programs().iter().filter_map(buggy).enumerate() {
        if !all && index % SAMPLE != 0 {
            continue;
        }
        let name = path.strip_prefix(&root).expect("inside").display().to_string();
        trials.push(Trial::test(name, move || is_minimal(&path, &header)));
    }
    if !arguments.list {
        gabion();
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// Those of a header's options that are about the program.
fn options(args: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut options = args.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            name if WITH_VALUE.contains(&name) => drop(options.next()),
            name if ALONE.contains(&name) => {}
            _ => kept.push(option.clone()),
        }
    }
    kept
}

fn is_minimal(path: &Path, header: &Header) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let built = build(directory.path(), path, header, &header.compilers[0])?;
    let check = |name: &str, more: &[&str]| -> Result<(Output, Value), String> {
        let mut args: Vec<String> = ["check", "--json", "-", "--trace", "bug.trace"].map(String::from).into();
        args.extend(more.iter().map(ToString::to_string));
        args.extend(options(&built.args));
        args.push(built.program.display().to_string());
        let output = call(&directory.path().join(name), &args, LIMIT)?;
        let json = output.json()?;
        Ok((output, json))
    };
    // The deepest way first: whatever it finds has many preemptions to lose.
    let (_, small) = check("small", &["--mode", "single"])?;
    if small["verdict"] != "bug" {
        return Ok(()); // the bug is beyond the options that are left
    }
    let bug = &small["bugs"][0];
    let text = |bug: &Value, name: &str| bug[name].as_str().unwrap_or_default().to_string();
    let file = TraceFile::from_bytes(&std::fs::read(directory.path().join("small/bug.trace"))?)?;
    let minimisation = file.minimisation.as_ref().ok_or("no word about how small it is")?;
    if minimisation.runs > minimisation.allowed + 1 {
        return Err(format!("{} runs, but {} were allowed", minimisation.runs, minimisation.allowed).into());
    }
    let replay = ["replay", "bug.trace", "--times", "20"].map(String::from);
    let replayed = call(&directory.path().join("small"), &replay, LIMIT)?;
    if replayed.code()? != 1 || !replayed.stdout.contains("shows again") {
        return Err(format!("it does not replay\n{}", replayed.tail()).into());
    }
    look_at_switches(&file)?;
    // As it was found: the same bug.
    let (_, found) = check("found", &["--mode", "single", "--minimise-runs", "0"])?;
    let found = &found["bugs"][0];
    for what in ["kind", "location"] {
        if text(bug, what) != text(found, what) {
            return Err(format!("{what}: found {}, made small {}", found[what], bug[what]).into());
        }
    }
    if bug["preemptions"].as_u64() > found["preemptions"].as_u64() {
        return Err("it has more preemptions than the one that was found".into());
    }
    if minimisation.fewest == Fewest::Proven {
        // No run with fewer shows it, whoever looks.
        let bounded = ["--mode", "single", "--icb", "--keep-going", "--minimise-runs", "0", "--max-runs", "20000"];
        let (_, by_bound) = check("bound", &bounded)?;
        let least = by_bound["bugs"].as_array().into_iter().flatten();
        let same = least.filter(|other| ["kind", "location"].iter().all(|what| text(other, what) == text(bug, what)));
        let least = same.filter_map(|other| other["preemptions"].as_u64()).min();
        // Bugs of the same kind and place may differ in their stacks; theirs may be smaller.
        let several = by_bound["bugs"].as_array().is_some_and(|bugs| bugs.len() > 1);
        let made = bug["preemptions"].as_u64();
        if least.is_some() && (made > least && !several || made < least) {
            return Err(format!("{made:?} preemptions, but by bound {least:?}\n{}", replayed.tail()).into());
        }
    }
    Ok(())
}

/// What is told of the switches fits the steps.
fn look_at_switches(file: &TraceFile) -> Result<(), String> {
    let Some(small) = &file.minimisation else { return Ok(()) };
    let pairs = file.steps.windows(2).enumerate().filter(|(_, pair)| pair[0].thread != pair[1].thread);
    let expected: Vec<usize> = pairs.map(|(index, _)| index + 1).collect();
    let told: Vec<usize> = small.switches.iter().map(|switch| switch.step).collect();
    if !told.is_empty() && told != expected {
        return Err(format!("switches before {told:?}, not {expected:?}"));
    }
    let tried = small.switches.iter().filter(|switch| switch.role == SwitchRole::Untried).count();
    if small.stopped.is_none() && small.runs < small.allowed / 2 && tried > 0 && small.switches.len() <= 24 {
        return Err(format!("{tried} switches were not tried, and runs are left"));
    }
    Ok(())
}
