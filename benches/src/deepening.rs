//! What Iterative Deepening is worth on every program under `programs/`: runs until everything is verified, runs until the
//! first bug, and how many bugs are found within a number of runs, beside the largest space, one space with points
//! everywhere, and that one with few preemptions first. Prints figures; decides nothing.
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
        let came = WAYS.map(|(_, way)| check(directory.path(), &path, &header, way));
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
}

fn check(directory: &Path, path: &Path, header: &Header, way: &[&str]) -> Came {
    let mut args: Vec<String> = ["check", "-v", "--json", "-"].map(String::from).into();
    args.extend(way.iter().map(ToString::to_string));
    args.extend(["--budget", "30s", "--jobs", "1", "--max-runs", &MOST.to_string()].map(String::from));
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
    }
}
