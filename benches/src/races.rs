//! What looking for data races costs: runs per second with and without it, on the test that loom and shuttle run too; and
//! one run with ten million accesses beside the compiler's own thread sanitizer, whose hooks ours replace. Prints figures;
//! decides nothing.
//!
//! `cargo run --release -p gabion-benches --bin races [goes]`

#![forbid(unsafe_code)]

use gabion_analysis::{Detector, HappensBefore};
use gabion_native::{Launch, Native};
use gabion_search::{DepthFirst, Options, Search};
use gabion_tests::workspace;
use gabion_trace::{Plan, PointSet, Recording, Target, Trace};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// How long each go takes.
const GO: Duration = Duration::from_millis(500);

fn main() {
    let goes = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(6);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = directory.path().join("two_by_two");
    build(gabion().arg("cc"), "two_by_two.c", &program);
    for (name, points) in [("sync", PointSet::SYNC), ("everywhere", PointSet::EVERYWHERE)] {
        println!("2 threads x (lock, add, unlock, atomic add) x 2, points: {name}; {goes} goes each, in turn");
        rates(&program, points, goes);
    }
    println!("one run, 10 million accesses, {goes} goes each, in turn");
    accesses(directory.path(), goes);
}

fn gabion() -> Command {
    Command::new(gabion_tests::run::gabion())
}

fn build(compiler: &mut Command, file: &str, program: &Path) {
    let source = workspace().join("benches").join(file);
    let compiler = compiler.args(["-O2", "-pthread", "-o"]).args([program, &source]);
    assert!(compiler.status().expect("the compiler starts").success(), "{file} does not compile");
}

/// Runs and seconds of each way.
fn rates(program: &Path, points: PointSet, goes: u32) {
    let mut native = Native::start(Launch::new(program)).expect("the program starts");
    let ways = [
        ("no accesses recorded", Recording::Hash, None),
        ("accesses recorded", Recording::Accesses, None),
        ("and races looked for, pure", Recording::Accesses, Some(HappensBefore::Pure)),
        ("and races looked for, limited", Recording::Accesses, Some(HappensBefore::Limited)),
    ];
    let mut sums = [(0, 0.0); 4];
    for _ in 0..goes {
        for (sum, (_, recording, relation)) in sums.iter_mut().zip(ways) {
            let start = Instant::now();
            while start.elapsed() < GO {
                sum.0 += search(&mut native, points, recording, relation);
            }
            sum.1 += start.elapsed().as_secs_f64();
        }
    }
    let rate = |(runs, seconds): (u64, f64)| runs as f64 / seconds;
    for (sum, (name, ..)) in sums.into_iter().zip(ways) {
        println!("  {name:<32} {:>9.0} runs/s {:>6.2} times the first", rate(sum), rate(sum) / rate(sums[0]));
    }
}

/// One search of the whole space, every interleaving; gives the number of runs.
fn search(native: &mut Native, points: PointSet, recording: Recording, relation: Option<HappensBefore>) -> u64 {
    let mut search = DepthFirst::new(Plan { points, recording, ..Plan::default() });
    let mut detector = relation.map(Detector::new);
    let (mut plans, mut traces) = (Vec::new(), Vec::new());
    let mut runs = 0;
    loop {
        plans.clear();
        plans.extend(std::iter::from_fn(|| search.next()).take(native.batch()));
        if plans.is_empty() {
            return runs;
        }
        traces.clear();
        native.run(&plans, &mut traces).expect("the plans can be run");
        for trace in &traces {
            search.observe(trace).expect("the program follows its plans");
            judge(detector.as_mut(), trace);
        }
        runs += traces.len() as u64;
    }
}

fn judge(detector: Option<&mut Detector>, trace: &Trace) {
    if let Some(detector) = detector {
        detector.judge(trace, 0, |race| panic!("a race in the benchmark: {race:?}"));
    }
}

/// The first run of a search with its analysis, beside one of the sanitizer's.
fn accesses(directory: &Path, goes: u32) {
    let (ours, theirs) = (directory.join("ours"), directory.join("theirs"));
    build(gabion().arg("cc"), "accesses.c", &ours);
    build(Command::new("gcc").arg("-fsanitize=thread"), "accesses.c", &theirs);
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..goes {
        times[0].push(whole_run(&ours));
        // The sanitizer maps fixed addresses, which a randomised layout may have taken.
        let start = Instant::now();
        let status = Command::new("setarch").arg("-R").arg(&theirs).status().expect("setarch starts");
        assert!(status.success(), "the sanitizer's run failed");
        times[1].push(start.elapsed().as_secs_f64());
    }
    let median = |times: &mut Vec<f64>| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    };
    let [ours, theirs] = times.each_mut().map(median);
    println!("  gcc's thread sanitizer {:>9.1} ms (median)", theirs * 1e3);
    println!("  gabion                 {:>9.1} ms {:>6.2} times the first", ours * 1e3, ours / theirs);
}

/// Starts the program and runs it until a run counts. All of that counts, also the run before it that showed where threads
/// meet.
fn whole_run(program: &Path) -> f64 {
    let start = Instant::now();
    let mut native = Native::start(Launch::new(program)).expect("the program starts");
    let mut search = Search::new(Plan { recording: Recording::Accesses, ..Plan::default() }, Options::default());
    let mut detector = Detector::new(HappensBefore::Pure);
    let mut traces = Vec::new();
    while search.progress().runs == 0 {
        let plan = search.next().expect("there is a first run");
        traces.clear();
        native.run(std::slice::from_ref(&plan), &mut traces).expect("the plan can be run");
        search.observe(&traces[0]).expect("the program follows its plan");
        judge(Some(&mut detector), &traces[0]);
    }
    start.elapsed().as_secs_f64()
}
