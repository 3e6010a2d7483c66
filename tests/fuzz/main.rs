//! A fuzzer: generated programs in C, C++ and Rust over what gabion models, each held against an interpreter that shares no code with
//! the checker.
//!
//! `cargo test --release -p gabion-tests --test fuzz -- [--programs N | --minutes N] [--from N] [--only N] [--native N] [--workers N]`. A program depends on its
//! number alone, so that `--only` shows again what `--programs` found. `--native` holds outcomes of ten thousand plain runs of so many
//! programs against those that gabion found.

#![forbid(unsafe_code)]

mod c;
mod check;
mod code;
mod declare;
mod ending;
mod generate;
mod locks;
mod machine;
mod native;
mod program;
mod rust;
mod shrink;

use check::{Case, Expected, check};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Programs without arguments: about a minute on two cores.
const PROGRAMS: u64 = 240;
/// Programs that are run natively as well.
const NATIVE: u64 = 12;
const WORKERS: u64 = 2;

struct Options {
    from: u64,
    programs: u64,
    minutes: Option<u64>,
    native: u64,
    only: Option<u64>,
    workers: u64,
}

impl Options {
    fn read() -> Options {
        let mut options =
            Options { from: 0, programs: PROGRAMS, minutes: None, native: NATIVE, only: None, workers: WORKERS };
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        let mut rest = arguments.iter();
        while let Some(word) = rest.next() {
            let mut number =
                || rest.next().and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{word} takes a number"));
            match word.as_str() {
                "--from" => options.from = number(),
                "--programs" => options.programs = number(),
                "--minutes" => (options.minutes, options.programs) = (Some(number()), u64::MAX),
                "--native" => options.native = number(),
                "--workers" => options.workers = number(),
                "--only" => options.only = Some(number()),
                _ => {} // what cargo hands to every test
            }
        }
        options
    }
}

/// What all workers have seen.
#[derive(Default)]
struct Tally {
    programs: BTreeMap<&'static str, u64>,
    partial: u64,
    large: u64,
    less: BTreeMap<String, u64>,
    native: u64,
    failures: Vec<String>,
}

fn main() {
    let options = Options::read();
    if let Some(number) = options.only {
        return only(number);
    }
    let begin = Instant::now();
    let (next, native, tally) = (AtomicU64::new(0), AtomicU64::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..options.workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Relaxed);
                    let late = options.minutes.is_some_and(|m| begin.elapsed() > Duration::from_secs(60 * m));
                    if index >= options.programs || late {
                        return;
                    }
                    one(options.from + index, options.native, &native, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().expect("no worker panics with it");
    let checked: u64 = tally.programs.values().sum();
    println!("{checked} programs: {:?}", tally.programs);
    println!(
        "{} of them not searched to their end; {} more were too large for the interpreter",
        tally.partial, tally.large
    );
    println!("verified but for: {:?}", tally.less);
    println!("{} run natively", tally.native);
    for failure in &tally.failures {
        println!("{failure}");
    }
    println!(
        "test result: {}. {checked} passed; {} failed",
        if tally.failures.is_empty() { "ok" } else { "FAILED" },
        tally.failures.len()
    );
    assert!(checked > 0, "no program was checked");
    if !tally.failures.is_empty() {
        std::process::exit(1);
    }
}

fn one(number: u64, most_native: u64, native: &AtomicU64, tally: &Mutex<Tally>) {
    let case = Case::new(number);
    let locked = || tally.lock().expect("no worker panics with it");
    let Some(expected) = Expected::of(&case.program) else {
        locked().large += 1;
        return;
    };
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let result = check(&case, &expected, directory.path()).and_then(|result| {
        let natively = expected.always_ends() && native::can(&case) && native.fetch_add(1, Relaxed) < most_native;
        if natively {
            native::compare(&case, &result, directory.path())?;
            locked().native += 1;
        }
        Ok(result)
    });
    let failure = match &result {
        Ok(_) => None,
        Err(why) => Some(shrink::told(&case, why)),
    };
    let mut tally = locked();
    *tally.programs.entry(case.compiler).or_default() += 1;
    let checked: u64 = tally.programs.values().sum();
    if checked.is_multiple_of(PROGRAMS) {
        println!("{checked} programs, {} of them failed", tally.failures.len());
    }
    if let Ok(result) = result {
        tally.partial += u64::from(result.partial);
        if let Some(less) = result.less {
            *tally.less.entry(less).or_default() += 1;
        }
    }
    if let Some(failure) = failure {
        println!("{failure}");
        tally.failures.push(format!("program {number} failed: see above"));
    }
}

/// One program, with its text.
fn only(number: u64) {
    let case = Case::new(number);
    let Some(expected) = Expected::of(&case.program) else { return println!("too large for the interpreter") };
    println!("{}\n{:?} -O{} {:?}", case.source(&expected), case.compiler, case.level, case.how);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    match check(&case, &expected, directory.path()) {
        Ok(result) => {
            println!("passed; partial: {}, less: {:?}", result.partial, result.less);
            if expected.always_ends() && native::can(&case) {
                println!("natively: {:?}", native::compare(&case, &result, directory.path()));
            }
        }
        Err(why) => println!("{}", shrink::told(&case, &why)),
    }
}
