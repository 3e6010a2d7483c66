//! Runs per second on the same test, on the same machine, in one go: gabion on unmodified C, loom and shuttle on the
//! same program written with their own types. And what a large heap costs. Prints figures; decides nothing.
//!
//! `cargo run --release -p gabion-benches [seconds for each]`

#![forbid(unsafe_code)]

use gabion_tests::run::call;
use gabion_tests::workspace;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn main() {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(5);
    let each = Duration::from_secs(seconds);
    println!("2 threads x (lock, add, unlock, atomic add) x 2, about {seconds} s each");
    let loom = on_loom(each);
    let shuttle = on_shuttle(each);
    // With points at synchronisation the whole space is 70 runs, too few to time. The same program with points
    // everywhere has enough, each with more switches; so have five rounds, each with more steps.
    let ours = on_gabion("two_by_two.c", "", "everywhere", each);
    let longer = on_gabion("two_by_two.c", "round < 5", "sync", each);
    row("loom, its own reduction", &loom, None);
    row("shuttle, depth first", &shuttle, Some(&loom));
    row("gabion, C, points everywhere", &ours, Some(&loom));
    row("gabion, C, sync, 5 rounds", &longer, Some(&loom));
    println!();
    println!("A large heap of which a run dirties five pages");
    let small = on_gabion("heap.c", "HEAP_MB 1", "sync", each);
    let large = on_gabion("heap.c", "HEAP_MB 64", "sync", each);
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

/// One search by gabion over a C file beside this crate, with one text in it replaced. The rate is that of the whole
/// search as gabion reports it: building the program is not part of it, everything else is.
fn on_gabion(file: &str, change: &str, points: &str, time: Duration) -> Rate {
    let source = std::fs::read_to_string(workspace().join("benches").join(file)).expect("the C file can be read");
    let (original, copy) = match change.split_once(' ') {
        Some(("HEAP_MB", _)) => ("#define HEAP_MB 64", format!("#define {change}")),
        Some(_) => ("round < 2", change.to_string()),
        None => ("", String::new()),
    };
    let source = if change.is_empty() { source } else { source.replace(original, &copy).replace("!= 4", "< 4") };
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join(file), source).expect("the C file can be written");
    let budget = format!("{}s", time.as_secs());
    let args =
        ["check", "--preempt", points, "--budget", &budget, "--json", "-", "--cflags", "-O2", &format!("../{file}")];
    let output = call(&directory.path().join("run"), &args.map(String::from), time * 3 + Duration::from_secs(60));
    let output = output.unwrap_or_else(|e| panic!("gabion: {e}"));
    let json: Value = output.json().unwrap_or_else(|e| panic!("gabion: {e}"));
    assert!(json["bugs"].as_array().is_none_or(Vec::is_empty), "gabion found a bug in the benchmark:\n{json:#}");
    Rate { runs: json["runs"].as_u64().unwrap_or(0), seconds: json["elapsed_s"].as_f64().unwrap_or(f64::NAN) }
}
