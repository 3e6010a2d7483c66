//! What Iterative Deepening is worth on every program under `programs/`: runs until everything is verified, runs until the
//! first bug, and how many bugs are found within a number of runs, beside the largest space, one space with points
//! everywhere, and that one with few preemptions first. Then two workers beside one. Prints figures; decides nothing.
//!
//! `cargo run --release -p gabion-benches --bin deepening [part of a program's name]`

#![forbid(unsafe_code)]

use gabion_tests::header::Header;
use gabion_tests::run::call;
use gabion_tests::{programs, workspace};
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

/// Beyond so many runs nothing is waited for.
const MOST: u64 = 20_000;
const LIMIT: Duration = Duration::from_secs(60);
const WAYS: [(&str, &[&str]); 4] = [
    ("everywhere", &["--mode", "single"]),
    ("icb", &["--mode", "single", "--icb"]),
    ("maximal", &["--mode", "maximal"]),
    ("deepen", &["--mode", "deepen"]),
];
/// Options that a way decides.
const DECIDED: [&str; 8] =
    ["--preempt", "--mode", "--bound", "--icb", "--reduction", "--max-runs", "--budget-runs", "--keep-going"];

/// What a check came to: the verdict, and all runs made, whatever for.
struct Came {
    verdict: String,
    runs: u64,
    seconds: f64,
}

fn main() {
    let part = std::env::args().nth(1).unwrap_or_default();
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let mut verified = [0u64; 4];
    let mut bugs: Vec<(String, [Option<u64>; 4])> = Vec::new();
    let mut both = 0;
    for path in programs() {
        let name = path.strip_prefix(workspace().join("programs")).expect("inside").display().to_string();
        let Ok(header) = Header::read(&path) else { continue };
        let wild = name.starts_with("abuse") || name.starts_with("unsupported");
        if !name.contains(&part) || wild {
            continue;
        }
        let came = WAYS.map(|(_, way)| check(directory.path(), &path, &header, way, &[]));
        if came.iter().all(|c| c.verdict == "verified" || c.verdict == "complete") {
            both += 1;
            verified.iter_mut().zip(&came).for_each(|(sum, came)| *sum += came.runs);
        } else if came.iter().any(|c| c.verdict == "bug") {
            bugs.push((name, came.map(|c| (c.verdict == "bug").then_some(c.runs))));
        }
    }
    let heads = WAYS.map(|(name, _)| format!("{name:>12}")).concat();
    println!("{:<44}{heads}", "runs");
    println!("{:<44}{}", format!("until {both} programs are verified"), verified.map(|n| format!("{n:>12}")).concat());
    for most in [10, 100, 1_000, 10_000] {
        let within = |way: usize| bugs.iter().filter(|(_, runs)| runs[way].is_some_and(|n| n <= most)).count();
        let found = [0, 1, 2, 3].map(|way| format!("{:>12}", within(way))).concat();
        println!("{:<44}{found}", format!("bugs of {} found within {most} runs", bugs.len()));
    }
    println!("bugs that take more than 30 runs in some way:");
    for (name, runs) in bugs.iter().filter(|(_, runs)| runs.iter().any(|n| n.is_none_or(|n| n > 30))) {
        println!("  {name:<42}{}", runs.map(|n| format!("{:>12}", n.map_or("-".into(), |n| n.to_string()))).concat());
    }
    workers(directory.path());
}

fn check(directory: &Path, path: &Path, header: &Header, way: &[&str], more: &[&str]) -> Came {
    let mut args: Vec<String> = ["check", "-v", "--json", "-"].map(String::from).into();
    args.extend(way.iter().chain(more).map(ToString::to_string));
    if more.is_empty() {
        args.extend([
            "--budget".into(),
            "30s".into(),
            "--jobs".into(),
            "1".into(),
            "--max-runs".into(),
            MOST.to_string(),
        ]);
    }
    let mut options = header.args.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--icb" | "--keep-going" => {}
            decided if DECIDED.contains(&decided) => drop(options.next()),
            _ => args.push(option.clone()),
        }
    }
    args.push(path.display().to_string());
    if !header.argv.is_empty() {
        args.push("--".into());
        args.extend(header.argv.iter().cloned());
    }
    let output = call(directory, &args, LIMIT).expect("it ends");
    let json = output.json().unwrap_or(Value::Null);
    let made = output.stderr.split(" runs made").next().and_then(|text| text.rsplit(' ').next());
    Came {
        verdict: json["verdict"].as_str().unwrap_or("error").to_string(),
        runs: made.and_then(|number| number.replace(',', "").parse().ok()).unwrap_or(0),
        seconds: json["elapsed_s"].as_f64().unwrap_or(f64::NAN),
    }
}

/// Seconds that a campaign took.
struct Took {
    elapsed: f64,
    processor: f64,
}

/// The same campaign, of the same runs, with one worker and with two. One worker may use two cores by itself, search and target at
/// the same time, and both wait for each other on a busy machine: what processor time they took is told beside.
fn workers(directory: &Path) {
    let path = workspace().join("programs/deepening/hopeless.c");
    let header = Header { args: Vec::new(), ..Header::read(&path).expect("a header") };
    let of = |jobs: &str| {
        let before = processor_time();
        let more = ["--budget", "none", "--max-runs", "30000", "--jobs", jobs];
        let came = check(directory, &path, &header, &[], &more);
        Took { elapsed: came.seconds, processor: processor_time() - before }
    };
    let goes: Vec<_> = (0..5).map(|_| (of("1"), of("2"))).collect();
    let median = |each: &dyn Fn(&(Took, Took)) -> f64| {
        let mut all: Vec<f64> = goes.iter().map(each).collect();
        all.sort_by(f64::total_cmp);
        all[all.len() / 2]
    };
    println!("30,000 runs in several state spaces, medians of five goes in turn:");
    for (name, seconds, processor) in [
        ("one worker", median(&|(one, _)| one.elapsed), median(&|(one, _)| one.processor)),
        ("two workers", median(&|(_, two)| two.elapsed), median(&|(_, two)| two.processor)),
    ] {
        println!(
            "  {name:<12}{seconds:>8.2} s elapsed{processor:>8.2} s of processors{:>8.2} cores",
            processor / seconds
        );
    }
    println!("  by elapsed time two are {:.2} times as fast", median(&|(one, two)| one.elapsed / two.elapsed));
    println!(
        "  against one that never waits, on one core: {:.2} times",
        median(&|(one, two)| one.processor / two.elapsed)
    );
}

/// Processor time of all processes that this one has started and that are over, the compiler's too.
fn processor_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("Linux says what it knows of a process");
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // Fields 16 and 17, in hundredths of a second; the first after the name is the third.
    fields.skip(13).take(2).filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}
