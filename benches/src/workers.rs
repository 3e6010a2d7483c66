//! Two workers beside one, on a campaign whose state spaces take turns: the same runs, whoever makes them. Prints figures;
//! decides nothing.
//!
//! `cargo run --release -p gabion-benches --bin workers`
//!
//! One worker may use two cores by itself, search and target at the same time. So there are three: one worker on one core, one that
//! may use all, and two.

#![forbid(unsafe_code)]

use gabion_tests::run::call;
use gabion_tests::workspace;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);
const GOES: usize = 5;
const RUNS: u32 = 100_000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    OneOnOneCore,
    One,
    Two,
}

fn main() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = directory.path().join("hopeless");
    let source = workspace().join("programs/deepening/hopeless.c");
    let build = ["cc", &source.display().to_string(), "-pthread", "-o", &program.display().to_string()];
    let built = call(directory.path(), &build.map(String::from), LIMIT).expect("the compiler ends");
    assert_eq!(built.code(), Ok(0), "{}", built.tail());
    let whos = [Who::OneOnOneCore, Who::One, Who::Two];
    let goes: Vec<[f64; 3]> = (0..GOES).map(|_| whos.map(|who| seconds(directory.path(), &program, who))).collect();
    let median = |each: &dyn Fn(&[f64; 3]) -> f64| {
        let mut all: Vec<f64> = goes.iter().map(each).collect();
        all.sort_by(f64::total_cmp);
        all[GOES / 2]
    };
    println!("{RUNS} runs in state spaces that take turns, medians of {GOES} goes in turn:");
    for (index, name) in ["one worker, one core", "one worker, all cores", "two workers"].into_iter().enumerate() {
        println!("  {name:<24}{:>8.2} s", median(&|go| go[index]));
    }
    println!("two workers against one on one core:      {:.2} times", median(&|go| go[0] / go[2]));
    println!("two workers against one that has them all: {:.2} times", median(&|go| go[1] / go[2]));
}

/// What the campaign takes, compiling and starting left out.
fn seconds(directory: &Path, program: &Path, who: Who) -> f64 {
    let jobs = if who == Who::Two { "2" } else { "1" };
    let runs = RUNS.to_string();
    let args = ["check", "--json", "-", "--budget", "none", "--max-runs", &runs, "--jobs", jobs];
    let mut args: Vec<String> = args.map(String::from).into();
    args.push(program.display().to_string());
    // A process stays on the cores of the thread that starts it.
    let made = std::thread::scope(|scope| {
        let made = scope.spawn(|| {
            if who == Who::OneOnOneCore {
                let core = core_affinity::get_core_ids().and_then(|cores| cores.into_iter().next());
                core.into_iter().for_each(|core| assert!(core_affinity::set_for_current(core), "a core can be had"));
            }
            call(directory, &args, LIMIT).expect("it ends")
        });
        made.join().expect("nobody panics")
    });
    made.json().expect("a report")["elapsed_s"].as_f64().expect("how long it took")
}
