//! Rust programs on the types of std, unchanged, beside loom and shuttle, which need their own types: the time to verify three
//! threads, and runs per second of two threads with two rounds each: shuttle's random scheduler, gabion enumerating interleavings, and gabion
//! with reduction, which has to think between any two runs; with the standard library as it came, and rebuilt if it can be, so that
//! what happens inside it is seen too. Prints figures; decides nothing.
//!
//! `cargo run --release -p gabion-benches --bin rust`

#![forbid(unsafe_code)]

use gabion_native::{Launch, Native};
use gabion_search::{DepthFirst, Options, Search};
use gabion_tests::workspace;
use gabion_trace::{Plan, PointSet, Target};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Runs per second are measured for so long at a time, in turn: what else the machine does then comes to all.
const WINDOW: Duration = Duration::from_millis(250);
const TURNS: usize = 15;
/// Times that the short searches are made, in turn.
const GOES: usize = 9;

/// The test, on the types of a library.
macro_rules! rounds {
    ($library:ident, $threads:expr, $rounds:expr) => {{
        let shared =
            $library::sync::Arc::new(($library::sync::Mutex::new(0), $library::sync::atomic::AtomicUsize::new(0)));
        let work = |shared: &($library::sync::Mutex<i32>, $library::sync::atomic::AtomicUsize)| {
            for _ in 0..$rounds {
                *shared.0.lock().unwrap() += 1;
                shared.1.fetch_add(1, Ordering::SeqCst);
            }
        };
        let spawn = |_| {
            let other = shared.clone();
            $library::thread::spawn(move || work(&other))
        };
        let others: Vec<_> = (1..$threads).map(spawn).collect();
        work(&shared);
        for other in others {
            other.join().unwrap();
        }
        assert_eq!(*shared.0.lock().unwrap(), ($threads * $rounds) as i32);
    }};
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let libraries = [("standard library as it came", true), ("standard library rebuilt where that is possible", false)];
    for (library, prebuilt) in libraries {
        println!("{library}:");
        let program = directory.path().join(if prebuilt { "prebuilt" } else { "rebuilt" });
        compile(&program, prebuilt);
        compare(&program);
    }
}

fn compile(program: &Path, prebuilt: bool) {
    let mut compiler = Command::new(gabion_tests::run::gabion());
    compiler.args(["rustc", "--edition", "2024", "-O", "-o"]).arg(program).arg(workspace().join("benches/rounds.rs"));
    if prebuilt {
        compiler.env("GABION_PREBUILT_STD", "1");
    }
    assert!(compiler.status().expect("gabion rustc starts").success(), "the test does not compile");
}

fn compare(program: &Path) {
    println!("3 threads x (lock, add, unlock, atomic add) on std's types, verified");
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    let mut counts = (0, 0);
    for _ in 0..GOES {
        let (loom_runs, loom) = on_loom();
        let (runs, ours) = explore(program, 3, 1, None);
        counts = (loom_runs, runs);
        let [loom, ours] = [loom, ours].map(|time| time.as_secs_f64() * 1e3);
        times.iter_mut().zip([loom, ours, loom / ours]).for_each(|(all, value)| all.push(value));
    }
    let [[_, loom, _], [_, ours, _], [low, ratio, high]] = times.map(quartiles);
    println!("  loom      {:>9} executions {loom:>12.3} ms, median of {GOES}", counts.0);
    println!("  gabion    {:>9} runs       {ours:>12.3} ms", counts.1);
    println!("  ratio     {ratio:>9.1} ({low:.1} to {high:.1}; goal: 20)");

    println!(
        "2 threads x 2 rounds, runs per second: medians of {TURNS} windows, and quartiles of how many times shuttle's"
    );
    let mut ours = [("sync", PointSet::SYNC), ("everywhere", PointSet::EVERYWHERE)]
        .map(|(name, points)| (name, Enumeration::start(program, points), Vec::new()));
    let mut shuttle = Vec::new();
    for _ in 0..TURNS {
        shuttle.push(on_shuttle());
        ours.iter_mut().for_each(|(_, enumeration, rates)| rates.push(enumeration.rate()));
    }
    println!("  shuttle, random               {:>9.0}", quartiles(shuttle.clone())[1]);
    for (name, _, rates) in ours {
        let [low, middle, high] = quartiles(rates.iter().zip(&shuttle).map(|(ours, shuttle)| ours / shuttle).collect());
        let rate = quartiles(rates)[1];
        println!("  gabion, points {name:<15}{rate:>9.0}, {middle:.2} times ({low:.2} to {high:.2}; goal: 0.5)");
    }
    let (runs, time) = explore(program, 2, 2, Some(WINDOW * TURNS as u32));
    println!("  gabion, optimal reduction     {:>9.0}", runs as f64 / time.as_secs_f64());
}

/// The lower quartile, the median and the upper quartile.
fn quartiles(mut all: Vec<f64>) -> [f64; 3] {
    all.sort_by(f64::total_cmp);
    [1, 2, 3].map(|quarter| all[(all.len() - 1) * quarter / 4])
}

fn on_loom() -> (u64, Duration) {
    let runs = Arc::new(AtomicU64::new(0));
    let counted = runs.clone();
    let start = Instant::now();
    loom::model(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        rounds!(loom, 3, 1);
    });
    (runs.load(Ordering::Relaxed), start.elapsed())
}

fn on_shuttle() -> f64 {
    let (mut runs, start) = (0usize, Instant::now());
    while start.elapsed() < WINDOW {
        shuttle::check_random(|| rounds!(shuttle, 2, 2), 1_000);
        runs += 1_000;
    }
    runs as f64 / start.elapsed().as_secs_f64()
}

fn start(program: &Path, threads: usize, rounds: usize) -> Native {
    let mut launch = Launch::new(program);
    launch.args = [threads, rounds].map(|n| n.to_string().into()).into();
    Native::start(launch).expect("the program starts")
}

/// One interleaving of two threads with two rounds after another, again and again.
struct Enumeration {
    native: Native,
    points: PointSet,
    search: DepthFirst,
}

impl Enumeration {
    fn start(program: &Path, points: PointSet) -> Self {
        Enumeration { native: start(program, 2, 2), points, search: Self::search(points) }
    }

    fn search(points: PointSet) -> DepthFirst {
        DepthFirst::new(Plan { points, ..Plan::default() })
    }

    /// Runs per second in the next window.
    fn rate(&mut self) -> f64 {
        let (mut plans, mut traces) = (Vec::new(), Vec::new());
        let (mut runs, begin) = (0, Instant::now());
        while begin.elapsed() < WINDOW {
            plans.clear();
            plans.extend(std::iter::from_fn(|| self.search.next()).take(self.native.batch()));
            if plans.is_empty() {
                self.search = Self::search(self.points);
                continue;
            }
            self.native.run(&plans, &mut traces).expect("the plans can be run");
            for trace in &traces {
                self.search.observe(trace).expect("the program follows its plans");
            }
            runs += traces.len();
        }
        runs as f64 / begin.elapsed().as_secs_f64()
    }
}

/// Runs and time of a search with points everywhere; again and again for so long, if a time is given. Building and starting
/// the program does not count.
fn explore(program: &Path, threads: usize, rounds: usize, again: Option<Duration>) -> (u64, Duration) {
    let mut native = start(program, threads, rounds);
    let mut traces = Vec::new();
    let (mut runs, begin) = (0, Instant::now());
    loop {
        let mut search = Search::new(Plan::default(), Options::default());
        while let Some(plan) = search.next() {
            native.run(std::slice::from_ref(&plan), &mut traces).expect("the plan can be run");
            search.observe(&traces[0]).expect("the program follows its plan");
        }
        runs += search.progress().runs;
        if again.is_none_or(|time| begin.elapsed() >= time) {
            return (runs, begin.elapsed());
        }
    }
}
