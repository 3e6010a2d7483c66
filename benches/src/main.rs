//! Runs per second on the same test, on the same machine, in one go: gabion on unmodified C, loom and shuttle on the
//! same program written with their own types. And what a large heap costs. Prints figures; decides nothing.
//!
//! `cargo run --release -p gabion-benches [seconds for each]`

#![forbid(unsafe_code)]

use gabion_native::{Launch, Native};
use gabion_search::DepthFirst;
use gabion_tests::workspace;
use gabion_trace::{Plan, PointSet, Target, Trace};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(5);
    let each = Duration::from_secs(seconds);
    println!("2 threads x (lock, add, unlock, atomic add) x 2, about {seconds} s each");
    let loom = on_loom(each);
    let shuttle = on_shuttle(each);
    let sync = on_gabion("two_by_two.c", "-O2", PointSet::SYNC, each);
    let everywhere = on_gabion("two_by_two.c", "-O2", PointSet::EVERYWHERE, each);
    row("loom, its own reduction", &loom, None);
    row("shuttle, depth first", &shuttle, Some(&loom));
    row("gabion, unmodified C, sync", &sync, Some(&loom));
    row("gabion, unmodified C, everywhere", &everywhere, Some(&loom));
    println!();
    println!("A large heap of which a run dirties five pages");
    let small = on_gabion("heap.c", "-DHEAP_MB=1", PointSet::SYNC, each);
    let large = on_gabion("heap.c", "-DHEAP_MB=64", PointSet::SYNC, each);
    row("gabion, 1 MB heap", &small, None);
    row("gabion, 64 MB heap", &large, Some(&small));
    println!("{:<34} {:>10.1} µs more per run", "", large.micros() - small.micros());
}

/// How many runs in how long.
struct Rate {
    runs: u64,
    seconds: f64,
}

impl Rate {
    fn per_second(&self) -> f64 {
        self.runs as f64 / self.seconds
    }

    fn micros(&self) -> f64 {
        1e6 / self.per_second()
    }
}

fn row(name: &str, rate: &Rate, base: Option<&Rate>) {
    let ratio = base.map_or(String::new(), |b| format!("{:>8.2} times the first", rate.per_second() / b.per_second()));
    println!(
        "{name:<34} {:>10.0} runs/s {:>8.2} µs/run {:>9} runs{ratio}",
        rate.per_second(),
        rate.micros(),
        rate.runs
    );
}

/// Whole explorations of loom, again and again until the time is over.
fn on_loom(time: Duration) -> Rate {
    let runs = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    while start.elapsed() < time {
        let runs = runs.clone();
        loom::model(move || {
            runs.fetch_add(1, Ordering::Relaxed);
            let shared = loom::sync::Arc::new((loom::sync::Mutex::new(0), loom::sync::atomic::AtomicUsize::new(0)));
            let work = |shared: &(loom::sync::Mutex<i32>, loom::sync::atomic::AtomicUsize)| {
                for _ in 0..2 {
                    *shared.0.lock().unwrap() += 1;
                    shared.1.fetch_add(1, Ordering::SeqCst);
                }
            };
            let other = shared.clone();
            let thread = loom::thread::spawn(move || work(&other));
            work(&shared);
            thread.join().unwrap();
            assert_eq!(*shared.0.lock().unwrap(), 4);
        });
    }
    Rate { runs: runs.load(Ordering::Relaxed), seconds: start.elapsed().as_secs_f64() }
}

/// Shuttle's depth-first search, again and again until the time is over.
fn on_shuttle(time: Duration) -> Rate {
    let runs = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    while start.elapsed() < time {
        let runs = runs.clone();
        shuttle::check_dfs(
            move || {
                runs.fetch_add(1, Ordering::Relaxed);
                let shared =
                    shuttle::sync::Arc::new((shuttle::sync::Mutex::new(0), shuttle::sync::atomic::AtomicUsize::new(0)));
                let work = |shared: &(shuttle::sync::Mutex<i32>, shuttle::sync::atomic::AtomicUsize)| {
                    for _ in 0..2 {
                        *shared.0.lock().unwrap() += 1;
                        shared.1.fetch_add(1, Ordering::SeqCst);
                    }
                };
                let other = shared.clone();
                let thread = shuttle::thread::spawn(move || work(&other));
                work(&shared);
                thread.join().unwrap();
                assert_eq!(*shared.0.lock().unwrap(), 4);
            },
            Some(20_000),
        );
    }
    Rate { runs: runs.load(Ordering::Relaxed), seconds: start.elapsed().as_secs_f64() }
}

/// Whole searches by gabion over a C file beside this crate, again and again until the time is over, as for the others:
/// everything that is done per run counts, building and starting the program does not.
fn on_gabion(file: &str, definition: &str, points: PointSet, time: Duration) -> Rate {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = directory.path().join("program");
    let source = workspace().join("benches").join(file);
    let compiled = Command::new(gabion_tests::run::gabion())
        .args(["cc", "-O2", "-pthread", definition, "-o"])
        .args([&program, &source])
        .status()
        .expect("gabion cc starts");
    assert!(compiled.success(), "{file} does not compile");
    let mut native = Native::start(Launch::new(&program)).expect("the program starts");
    let mut traces = Vec::new();
    let mut rate = Rate { runs: 0, seconds: 0.0 };
    search(&mut native, points, &mut traces); // start-up and the first, slower runs
    let start = Instant::now();
    while start.elapsed() < time {
        rate.runs += search(&mut native, points, &mut traces);
    }
    rate.seconds = start.elapsed().as_secs_f64();
    rate
}

/// One search of the whole space; gives the number of runs.
fn search(native: &mut Native, points: PointSet, traces: &mut Vec<Trace>) -> u64 {
    let mut search = DepthFirst::new(Plan { points, ..Plan::default() });
    let mut plans = Vec::new();
    let mut runs = 0;
    loop {
        plans.clear();
        plans.extend(std::iter::from_fn(|| search.next()).take(native.batch()));
        if plans.is_empty() {
            return runs;
        }
        traces.clear();
        native.run(&plans, traces).expect("the plans can be run");
        for trace in &*traces {
            assert!(!trace.outcome.is_failure(), "a bug in the benchmark: {:?}", trace.outcome);
            search.observe(trace).expect("the program follows its plans");
        }
        runs += traces.len() as u64;
    }
}
