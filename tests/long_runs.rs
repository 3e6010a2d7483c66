//! What takes a while: one plan ten thousand times, and a search that is interrupted.

#![forbid(unsafe_code)]

use gabion_native::{Launch, Native};
use gabion_tests::run::{LIMIT, call, gabion, start};
use gabion_tests::workspace;
use gabion_trace::{Ending, Plan, Recording, Tail, Target, Trace};
use std::process::Command;
use std::time::Duration;

fn program(name: &str) -> String {
    workspace().join("programs").join(name).display().to_string()
}

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|a| a.to_string()).collect()
}

#[test]
fn one_plan_ten_thousand_times() {
    for name in ["basics/lost_update.c", "cond/signal_any.c", "random/shared_seed.c"] {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let check = words(&["check", "--trace", "bug.trace", &program(name)]);
        let output = call(directory.path(), &check, LIMIT).expect("check ends");
        assert_eq!(output.code(), Ok(1), "{name}\n{}", output.tail());
        let replay = words(&["replay", "bug.trace", "--times", "10000"]);
        let output = call(directory.path(), &replay, LIMIT).expect("replay ends");
        assert_eq!(output.code(), Ok(1), "{name}\n{}", output.tail());
        assert!(output.stdout.contains("10,000 times out of 10,000"), "{name}\n{}", output.tail());
    }
}

/// Where two traces differ first, in words.
fn difference(a: &Trace, b: &Trace) -> String {
    let steps = a.steps.iter().zip(&b.steps).find(|(a, b)| a != b);
    let events = a.events.iter().zip(&b.events).find(|(a, b)| a != b);
    match (steps, events) {
        (Some((a, b)), _) => format!("steps differ:\n{a:?}\n{b:?}"),
        (None, Some((a, b))) => format!("events differ:\n{a:?}\n{b:?}"),
        (None, None) => {
            let rest = |t: &Trace| Trace { steps: Vec::new(), events: Vec::new(), ..t.clone() };
            format!("the rest differs:\n{:?}\n{:?}", rest(a), rest(b))
        }
    }
}

/// Not only bugs: a plan that passes, and everything that can be recorded of its run, not only the hash.
#[test]
fn a_passing_plan_gives_equal_traces_ten_thousand_times() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for name in ["basics/locked_update.c", "cond/consumers.c", "heap/published_late.c"] {
        let built = directory.path().join("program");
        let compiled = Command::new(gabion())
            .args(["cc", "-pthread", &program(name), "-o"])
            .arg(&built)
            .status()
            .expect("gabion cc starts");
        assert!(compiled.success(), "{name}");
        let mut native = Native::start(Launch::new(&built)).expect("the program starts");
        let plan = Plan { recording: Recording::Values, tail: Tail::Random { seed: 7 }, ..Plan::default() };
        let (first, _) = native.confirm(&plan).expect("a run in a new process");
        assert_eq!(first.outcome.ending, Ending::Passed, "{name}: {:?}", first.outcome);
        assert!(first.steps.len() > 5, "{name}");
        let plans = vec![plan; 10];
        for _ in 0..1000 {
            let mut traces = Vec::new();
            native.run(&plans, &mut traces).expect("ten runs in place");
            if let Some(other) = traces.iter().find(|t| **t != first) {
                panic!("{name}: {}", difference(&first, other));
            }
        }
    }
}

/// Two threads that go over an array, one after the other.
const OVER_AN_ARRAY: &str = "#include <pthread.h>
static int data[N];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg) {
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < N; i++)
        data[i]++;
    pthread_mutex_unlock(&mutex);
    return arg;
}
int main(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, NULL);
    work(NULL);
    pthread_join(other, NULL);
    return 0;
}
";

/// Millions of accesses fit in the record of a run; if there are more, that is said, with what can be done about it.
#[test]
fn runs_with_millions_of_accesses() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let source = directory.path().join("array.c");
    std::fs::write(&source, OVER_AN_ARRAY).expect("a file can be written");
    for (size, status, verdict) in [("700000", 0, "complete"), ("2200000", 3, "partial")] {
        let flags = format!("-DN={size}");
        let source = source.display().to_string();
        let args = words(&["check", "--preempt", "sync", "--json", "-", "--cflags", &flags, &source]);
        let output = call(&directory.path().join("run"), &args, LIMIT).expect("it ends");
        assert_eq!(output.code(), Ok(status), "{size}\n{}", output.tail());
        let json = output.json().expect("JSON");
        assert_eq!(json["verdict"], verdict, "{size}: {json:#}");
        let caveats = json["scope"]["caveats"].to_string();
        assert_eq!(caveats.contains("go round less often"), verdict == "partial", "{size}: {caveats}");
    }
}

/// Does a kept campaign say that runs were made?
fn has_runs(kept: &str) -> bool {
    let kept: serde_json::Value = serde_json::from_str(kept).expect("it is replaced as a whole");
    kept["campaign"]["jobs"][0]["runs"].as_u64().is_some_and(|runs| runs > 0)
}

#[test]
fn ctrl_c_says_what_was_covered() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let source = directory.path().join("long.c");
    let limited = std::fs::read_to_string(program("basics/limited.c")).expect("the program can be read");
    std::fs::write(&source, limited.replace("i < 10", "i < 40")).expect("a file can be written");
    let args = words(&[
        "check",
        "--reduction",
        "none",
        "--preempt",
        "sync",
        "--json",
        "-",
        "--budget",
        "none",
        "--resume",
        "kept",
        "--keep-every",
        "0s",
        &source.display().to_string(),
    ]);
    let running = start(&directory.path().join("run"), &args);
    // What is kept is written before the first run, and then after more and more.
    running.wait_for("kept/campaign.json");
    let kept = directory.path().join("run/kept/campaign.json");
    while !std::fs::read_to_string(&kept).is_ok_and(|text| has_runs(&text)) {
        assert!(running.is_running(), "gabion ends before it is told to");
        std::thread::sleep(Duration::from_millis(5));
    }
    running.signal("INT");
    let output = running.wait(LIMIT).expect("gabion ends soon after Ctrl-C");
    assert_eq!(output.code(), Ok(3), "{}", output.tail());
    assert!(output.left_behind.is_empty(), "{:?}", output.left_behind);
    let json = output.json().expect("the JSON object is there");
    assert_eq!(json["verdict"], "partial");
    assert!(json["runs"].as_u64().is_some_and(|runs| runs > 0), "{json:#}");
}

#[test]
fn a_budget_ends_the_search() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let source = directory.path().join("long.c");
    let limited = std::fs::read_to_string(program("basics/limited.c")).expect("the program can be read");
    std::fs::write(&source, limited.replace("i < 10", "i < 40")).expect("a file can be written");
    let args = words(&[
        "check",
        "--reduction",
        "none",
        "--preempt",
        "sync",
        "--json",
        "-",
        "--budget",
        "2s",
        &source.display().to_string(),
    ]);
    let output = call(&directory.path().join("run"), &args, LIMIT).expect("the budget is kept");
    assert_eq!(output.code(), Ok(3), "{}", output.tail());
    assert_eq!(output.json().expect("JSON")["verdict"], "partial");
}
