//! What reduction is worth: the time to verify a test beside loom's, runs per second of a program from the literature,
//! what a run costs the search as runs get longer, and its memory after a million runs. Prints figures; decides nothing.
//!
//! `cargo run --release -p gabion-benches --bin reduction`

#![forbid(unsafe_code)]

use gabion_model::{Model, Program, Statement, Value, examples};
use gabion_native::{Launch, Native};
use gabion_search::{Options, Search};
use gabion_tests::workspace;
use gabion_trace::{Limits, Plan, Recording, Target};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What other programs on the machine do shows in every go.
const GOES: usize = 5;

fn main() {
    println!("3 threads x (lock, add, unlock, atomic add), verified");
    let (loom_runs, loom) = on_loom();
    let (runs, ours) = verify("rounds_3_1.c");
    println!("  loom      {loom_runs:>9} executions {:>12.3} ms", millis(loom));
    println!("  gabion    {runs:>9} runs       {:>12.3} ms", millis(ours));
    println!("  ratio     {:>9.1}", loom.as_secs_f64() / ours.as_secs_f64());
    let (runs, ours) = verify("rounds_3_2.c");
    println!("  times 2   {runs:>9} runs       {:>12.3} ms (loom does not finish in two minutes)", millis(ours));
    println!("last zero, 15 writers");
    for _ in 0..GOES {
        let (runs, ours) = verify("last_zero_15.c");
        println!("  gabion    {runs:>9} runs       {:>12.0} runs/s", runs as f64 / ours.as_secs_f64());
    }
    println!("memory of the search (resident set)");
    memory();
    println!("what a run costs the search, by its length");
    for steps in [100, 1_000, 10_000, 100_000] {
        let per_run = length(steps);
        println!("  {steps:>9} steps {:>12.1} us a run {:>9.1} ns a step", per_run * 1e6, per_run * 1e9 / steps as f64);
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// loom's exploration of the test.
fn on_loom() -> (u64, Duration) {
    let runs = Arc::new(AtomicU64::new(0));
    let counted = runs.clone();
    let start = Instant::now();
    loom::model(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        let shared = loom::sync::Arc::new((loom::sync::Mutex::new(0), loom::sync::atomic::AtomicUsize::new(0)));
        let work = |shared: &(loom::sync::Mutex<i32>, loom::sync::atomic::AtomicUsize)| {
            *shared.0.lock().unwrap() += 1;
            shared.1.fetch_add(1, Ordering::SeqCst);
        };
        let spawn = || {
            let other = shared.clone();
            loom::thread::spawn(move || work(&other))
        };
        let threads = [spawn(), spawn()];
        work(&shared);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(*shared.0.lock().unwrap(), 3);
    });
    (runs.load(Ordering::Relaxed), start.elapsed())
}

/// A search of a program under `programs/orders`; building and starting it does not count.
fn verify(file: &str) -> (u64, Duration) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = directory.path().join("program");
    let source = workspace().join("programs/orders").join(file);
    let compiled = Command::new(gabion_tests::run::gabion())
        .args(["cc", "-O2", "-pthread", "-o"])
        .args([&program, &source])
        .status()
        .expect("gabion cc starts");
    assert!(compiled.success(), "{file} does not compile");
    let mut native = Native::start(Launch::new(&program)).expect("the program starts");
    let mut traces = Vec::new();
    let mut search = Search::new(Plan::default(), Options::default());
    let start = Instant::now();
    while let Some(plan) = search.next() {
        let plans = std::slice::from_ref(&plan);
        native.run_beside(plans, &mut traces, &mut || search.catch_up()).expect("the plan can be run");
        search.observe(&traces[0]).expect("the program follows its plan");
    }
    (search.progress().runs, start.elapsed())
}

/// Seconds that the search takes for a run of about so many steps: two threads that each write a variable of their own
/// again and again, and meet at a lock a few times.
fn length(steps: usize) -> f64 {
    let part = steps / 8;
    let body: Vec<Statement> = (0..4)
        .flat_map(|n| {
            let own = (0..part.saturating_sub(2)).map(move |_| Statement::Write(1 + n, Value::Const(1)));
            own.chain([Statement::Lock(0), Statement::Unlock(0)])
        })
        .collect();
    let other = body.iter().map(|s| match s {
        Statement::Write(n, value) => Statement::Write(n + 4, *value),
        other => *other,
    });
    let main = [vec![Statement::Create(1)], body.clone(), vec![Statement::Join(0)]].concat();
    let model = Model::new(Program::new(vec![main, other.collect()]), 1);
    let limits = Limits { steps: 10_000_000, ..Limits::default() };
    let template = Plan { recording: Recording::Accesses, limits, ..Plan::default() };
    let mut search = Search::new(template, Options::default());
    let (mut runs, mut spent) = (0u32, Duration::ZERO);
    while runs < 70 && spent < Duration::from_secs(5) {
        let start = Instant::now();
        let Some(plan) = search.next() else { break };
        let planned = start.elapsed();
        let trace = model.run_one(&plan);
        let start = Instant::now();
        search.observe(&trace).expect("the model follows its plan");
        spent += planned + start.elapsed();
        runs += 1;
    }
    spent.as_secs_f64() / f64::from(runs)
}

/// The resident set while a large space is searched.
fn memory() {
    let model = Model::new(examples::one_lock(10), 1);
    let template = Plan { recording: Recording::Accesses, ..Plan::default() };
    let mut search = Search::new(template, Options::default());
    let mut next = 1_000;
    while let Some(plan) = search.next() {
        search.observe(&model.run_one(&plan)).expect("the model follows its plan");
        let runs = search.progress().runs;
        if runs == next {
            println!("  after {runs:>9} runs {:>8} KB", resident());
            next *= 10;
        }
        if runs >= 1_000_000 {
            break;
        }
    }
}

/// Kilobytes of memory that this process uses.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
