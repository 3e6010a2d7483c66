//! Failing interleavings made small, of every program with a bug: the fewest preemptions by iterative preemption bounding
//! (`--icb`), the fewest switches and threads by looking at all interleavings where these are few, the same bug as the one that
//! was found, it replays, and what it cost is bounded and told.

#![forbid(unsafe_code)]

use gabion_native::Launch;
use gabion_tests::build::{Built, REBUILT, build, why_not_rebuilt};
use gabion_tests::header::Header;
use gabion_tests::run::{LIMIT, call, gabion};
use gabion_tests::smallest::smallest;
use gabion_tests::{programs, slow, threads, workspace};
use gabion_trace::{Fewest, Switch, SwitchRole, TraceFile};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// Options that say which space is searched, and how: here all are searched alike.
const WITH_VALUE: [&str; 7] =
    ["--preempt", "--mode", "--reduction", "--bound", "--max-runs", "--budget", "--budget-runs"];
const ALONE: [&str; 2] = ["--icb", "--keep-going"];
/// Where that does not find the bug, it is looked for as the header says.
const DEEPEST: [&str; 2] = ["--budget-runs", "5000"];
/// Runs for those that need more than they are given.
const MORE_RUNS: [&str; 2] = ["--minimise-runs", "40000"];

/// Interleavings of a program all of which are looked at, and how many programs have no more.
const MOST_RUNS: u64 = 20_000;
const FEWEST_COMPARED: u64 = 100;
static COMPARED: AtomicU64 = AtomicU64::new(0);

/// Programs of which it is not told that there are no fewer preemptions, and why not. There are none all the same.
const UNPROVEN: [(&str, &str); 1] =
    [("rust/spin_readers_often.rs", "150,000 runs have fewer than its 20, more than may be made")];

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert_with(threads);
    let mut rebuilt = Vec::new();
    let mut trials = Vec::new();
    for path in programs() {
        let Some(header) = Header::read(&path).ok().filter(|header| header.verdicts == ["bug"]) else { continue };
        let name = path.strip_prefix(workspace().join("programs")).expect("inside").display().to_string();
        let trials = if header.compilers[0] == REBUILT { &mut rebuilt } else { &mut trials };
        let case = Case { name: name.clone(), path, header };
        trials.push(Trial::test(name, move || slow::timed(&case.name, || case.run())));
    }
    if !arguments.list {
        gabion();
        if let Some(why) = why_not_rebuilt() {
            println!("{} programs are not checked with a rebuilt standard library of Rust: {why}", rebuilt.len());
            rebuilt.clear();
        }
    }
    trials.extend(rebuilt);
    let all = trials.len() as u64;
    let conclusion = libtest_mimic::run(&arguments, trials);
    slow::tell();
    let compared = COMPARED.load(Ordering::Relaxed);
    println!("{compared} compared with all of their interleavings");
    if conclusion.num_passed == all && compared < FEWEST_COMPARED {
        println!("FAILED: these are too few");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// One program with a bug.
struct Case {
    name: String,
    path: PathBuf,
    header: Header,
}

impl Case {
    fn run(&self) -> Result<(), Failed> {
        let directory = tempfile::tempdir()?;
        let checks = Checks {
            built: build(directory.path(), &self.path, &self.header, &self.header.compilers[0])?,
            argv: &self.header.argv,
            directory: directory.path(),
        };
        // Runs that do not end by themselves are long, so there are fewer of them.
        let abuse = self.name.starts_with("abuse");
        let (points, times) = if abuse { ("sync", "1") } else { ("everywhere", "20") };
        let mut space = about_the_program(&checks.built.args);
        if abuse {
            space.extend(["--max-accesses", "100000"].map(String::from));
        }
        space.extend(["--mode", "single", "--preempt", points].map(String::from));
        // The deepest way first: whatever it finds has many preemptions to lose.
        let mut options = [&space[..], &DEEPEST.map(String::from)].concat();
        let mut small = checks.check("small", &options, &[])?;
        if small["verdict"] != "bug" {
            options = checks.built.args.clone();
            small = checks.check("small", &options, &[])?;
        }
        if small["bugs"][0]["minimised"]["fewest"] == false && !abuse {
            small = checks.check("small", &options, &MORE_RUNS)?;
        }
        let bug = &small["bugs"][0];
        let trace = bug["trace"].as_str().ok_or_else(|| format!("no bug, or none with a trace: {small:#}"))?;
        let file = TraceFile::from_bytes(&std::fs::read(directory.path().join("small").join(trace))?)?;
        let replay = ["replay", trace, "--times", times].map(String::from);
        let replayed = call(&directory.path().join("small"), &replay, LIMIT)?;
        if replayed.code()? != 1 || !replayed.stdout.contains("shows again") {
            return Err(format!("it does not replay\n{}", replayed.tail()).into());
        }
        cost(&small, &file)?;
        switches(&file)?;
        let found = checks.check("found", &options, &["--minimise-runs", "0"])?;
        let found = &found["bugs"][0];
        if !is_same(bug, found) {
            return Err(format!("another bug than the one that was found: {bug:#}\n{found:#}").into());
        }
        if bug["preemptions"].as_u64() > found["preemptions"].as_u64() {
            return Err("it has more preemptions than the one that was found".into());
        }
        self.fewest(&checks, &file, bug, &space)?;
        if !abuse {
            self.smallest(&checks, &file)?;
        }
        Ok(())
    }

    /// No interleaving is smaller, where there are few enough to look at all of them.
    fn smallest(&self, checks: &Checks<'_>, file: &TraceFile) -> Result<(), Failed> {
        let small = file.minimisation.as_ref().ok_or("no word about how small it is")?;
        let launch = Launch {
            args: self.header.argv.iter().map(Into::into).collect(),
            cwd: Some(checks.directory.to_path_buf()),
            ..Launch::new(&checks.built.program)
        };
        let compiled = checks.built.program != self.path && !file.steps.is_empty();
        let Some((preemptions, extent)) = compiled.then(|| smallest(launch, file, MOST_RUNS)).transpose()?.flatten()
        else {
            return Ok(());
        };
        COMPARED.fetch_add(1, Ordering::Relaxed);
        let threads = file.steps.iter().map(|step| step.thread).collect::<BTreeSet<_>>().len();
        let told = (file.preemptions, file.switches(), threads);
        let least = (preemptions, extent.switches as usize, extent.threads as usize);
        let proven = [small.fewest, small.fewest_switches, small.fewest_threads];
        if told != least || proven != [Fewest::Proven; 3] {
            return Err(format!("{told:?} ({proven:?}), but of all interleavings {least:?}").into());
        }
        Ok(())
    }

    /// No run with fewer preemptions shows it, whoever looks.
    fn fewest(&self, checks: &Checks<'_>, file: &TraceFile, bug: &Value, space: &[String]) -> Result<(), Failed> {
        let listed = UNPROVEN.iter().find(|(name, _)| *name == self.name);
        let proven = file.minimisation.as_ref().is_some_and(|small| small.fewest == Fewest::Proven);
        match listed {
            Some((_, why)) if proven => return Err(format!("it is proven: {why}").into()),
            None if !proven => return Err(format!("not proven, nor said why: {:?}", file.minimisation).into()),
            _ => {}
        }
        let made = bug["preemptions"].as_u64().ok_or("no number of preemptions")?;
        if made == 0 {
            return Ok(());
        }
        if proven {
            let least = checks.check("bound", space, &["--icb", "--minimise-runs", "0"])?;
            let first = &least["bugs"][0];
            if is_same(first, bug) {
                return if first["preemptions"] == made {
                    Ok(())
                } else {
                    Err(format!("{made}, but {first:#}").into())
                };
            }
        }
        // Another bug has fewer, or all bounds one after the other take too long.
        let fewer = (made - 1).to_string();
        let least = checks.check("bound", space, &["--bound", &fewer, "--keep-going", "--minimise-runs", "0"])?;
        let mut all = least["bugs"].as_array().into_iter().flatten();
        match all.find(|other| is_same(other, bug)) {
            Some(other) => Err(format!("{made}, but {other:#}").into()),
            None if least["verdict"] == "partial" => Err("those with fewer are too many".into()),
            None => Ok(()),
        }
    }
}

/// Calls of `gabion check` for one program.
struct Checks<'a> {
    built: Built,
    argv: &'a [String],
    directory: &'a Path,
}

impl Checks<'_> {
    fn check(&self, name: &str, options: &[String], more: &[&str]) -> Result<Value, String> {
        let mut args: Vec<String> = ["check", "--json", "-", "--trace", "bug.trace"].map(String::from).into();
        args.extend(more.iter().map(ToString::to_string));
        args.extend(options.iter().cloned());
        args.push(self.built.program.display().to_string());
        args.push("--".into());
        args.extend(self.argv.iter().cloned());
        call(&self.directory.join(name), &args, LIMIT)?.json()
    }
}

/// Those of a header's options that are about the program.
fn about_the_program(args: &[String]) -> Vec<String> {
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

/// As `--keep-going` tells bugs apart, as far as it is told.
fn is_same(one: &Value, other: &Value) -> bool {
    ["kind", "location"].iter().all(|what| one[what] == other[what])
}

/// What it took is bounded and told.
fn cost(report: &Value, file: &TraceFile) -> Result<(), String> {
    let small = file.minimisation.as_ref().ok_or("no word about how small it is")?;
    // The last one may be looked at once more, to see whose bug it shows.
    if small.runs > small.allowed + 1 {
        return Err(format!("{} runs, but {} were allowed", small.runs, small.allowed));
    }
    let told = &report["bugs"][0]["minimised"];
    if told["runs"] != small.runs || told["allowed"] != small.allowed {
        return Err(format!("{} and {} runs, but told is {told}", small.runs, small.allowed));
    }
    match report["minimise_s"].as_f64().zip(report["elapsed_s"].as_f64()) {
        Some((time, all)) if time > 0.0 && time <= all => Ok(()),
        times => Err(format!("time to make it small, and all time: {times:?}")),
    }
}

/// What is told of the switches fits the steps.
fn switches(file: &TraceFile) -> Result<(), String> {
    let Some(small) = &file.minimisation else { return Ok(()) };
    let pairs = file.steps.windows(2).enumerate().filter(|(_, pair)| pair[0].thread != pair[1].thread);
    let expected: Vec<usize> = pairs.map(|(index, _)| index + 1).collect();
    let told: Vec<usize> = small.switches.iter().map(|switch| switch.step).collect();
    if !told.is_empty() && told != expected {
        return Err(format!("switches before {told:?}, not {expected:?}"));
    }
    let left = |switch: &&Switch| file.left_in_loops.contains(&switch.step);
    if small.switches.iter().filter(left).any(|switch| switch.role == SwitchRole::Forced) {
        return Err("a thread that was only taken to wait is said to be unable to go on".into());
    }
    let tried = small.switches.iter().filter(|switch| switch.role == SwitchRole::Untried).count();
    if small.stopped.is_none() && small.runs < small.allowed / 2 && tried > 0 && small.switches.len() <= 24 {
        return Err(format!("{tried} switches were not tried, and runs are left"));
    }
    Ok(())
}
