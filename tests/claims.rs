//! What a report claims is true: limits on runs are exact, counts agree, a bound is completed only where nothing was cut.

#![forbid(unsafe_code)]

use gabion_tests::claims::runs_add_up;
use gabion_tests::run::call;
use gabion_tests::workspace;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(120);

/// Ways to search.
const MODES: [&[&str]; 5] = [
    &["--mode", "deepen"],
    &["--mode", "maximal"],
    &["--mode", "single", "--reduction", "dpor"],
    &["--mode", "single", "--icb"],
    &["--mode", "single", "--reduction", "none"],
];

fn program(name: &str) -> String {
    workspace().join("programs").join(name).display().to_string()
}

fn report(directory: &Path, args: &[&str], program: &str) -> Value {
    let fixed = ["check", "--minimise-runs", "0", "--json", "-"];
    let args: Vec<String> = [&fixed[..], args, &[program]].concat().into_iter().map(str::to_string).collect();
    let json = call(directory, &args, LIMIT).expect("it ends").json().expect("a report");
    runs_add_up(&json).unwrap_or_else(|why| panic!("{args:?}: {why}\n{json:#}"));
    json
}

#[test]
fn a_limit_on_runs_is_exact_in_every_mode_for_any_number_of_workers() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = program("deepening/hopeless.c");
    for mode in MODES {
        for (option, all) in [("--max-runs", &["1", "3", "333"][..]), ("--budget-runs", &["57"][..])] {
            for &most in all {
                let with = |jobs| report(directory.path(), &[mode, &[option, most, "--jobs", jobs]].concat(), &program);
                let (alone, together) = (with("1"), with("3"));
                assert_eq!(alone["runs"].to_string(), most, "{mode:?} {option}: {alone:#}");
                assert_eq!(alone["verdict"], "partial", "{mode:?} {option} {most}");
                for part in ["runs", "complete_runs", "blocked_runs", "abandoned_runs", "state_spaces", "lines"] {
                    assert_eq!(alone[part], together[part], "{mode:?} {option} {most}: {part}");
                }
            }
        }
    }
}

#[test]
fn the_first_runs_are_the_same_whatever_the_limit() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, mode) in [
        ("deepening/hopeless_bug.c", MODES[0]),
        ("deepening/hopeless_bug.c", MODES[3]),
        ("deepening/hopeless_check_then_act.c", MODES[0]),
        ("deepening/hopeless_bug.c", MODES[1]),
    ] {
        let program = program(name);
        let within = |most: u64, jobs| {
            let most = most.to_string();
            report(directory.path(), &[mode, &["--max-runs", &most, "--jobs", jobs]].concat(), &program)
        };
        let found = within(20_000, "1");
        assert_eq!(found["verdict"], "bug", "{name} {mode:?}: {found:#}");
        let last = found["runs"].as_u64().expect("a number");
        for jobs in ["1", "3"] {
            assert_eq!(within(last, jobs)["verdict"], "bug", "{name} {mode:?}: run {last} fails");
            let before = within(last - 1, jobs);
            assert_eq!(
                (&before["verdict"], &before["runs"]),
                (&"partial".into(), &(last - 1).into()),
                "{name} {mode:?}"
            );
        }
    }
}

/// The runs that a text lists: `lock: 150 runs of about 5,200`, `voluntary (60 runs)`.
fn listed(text: &str) -> u64 {
    let words: Vec<&str> = text.split_whitespace().collect();
    let counted = |pair: &[&str]| {
        let runs = pair[1].trim_matches(|c: char| !c.is_alphabetic());
        let digits: String = pair[0].chars().filter(char::is_ascii_digit).collect();
        ["run", "runs"].contains(&runs).then(|| digits.parse::<u64>().unwrap_or(0))
    };
    words.windows(2).filter_map(counted).sum()
}

#[test]
fn the_runs_that_are_listed_are_those_that_were_made() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    for (name, mode) in [
        ("deepening/hopeless.c", MODES[0]),
        ("scope/log_whole.c", MODES[0]),
        ("deepening/hopeless.c", MODES[1]),
        ("deepening/hopeless.c", MODES[3]),
    ] {
        let program = program(name);
        let fixed = ["check", "-q", "--max-runs", "2500"];
        let args: Vec<String> = [&fixed[..], mode, &[&program]].concat().into_iter().map(str::to_string).collect();
        let output = call(directory.path(), &args, LIMIT).expect("it ends");
        assert_eq!(output.code(), Ok(3), "{}", output.tail());
        let (_, list) = output.stdout.split_once("(--max-runs)").expect("what ended it");
        let (list, _) = list.split_once("Assumed:").expect("caveats");
        assert_eq!(listed(list), 2500, "{name} {mode:?}: {}", output.stdout);
    }
}

/// A thread fails at once, whoever runs first; another makes more steps than a run may have.
const LONG: &str = r"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int steps;
static void *work(void *arg) {
    for (int i = 0; i < 100; i++) atomic_fetch_add(&steps, 1);
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(steps != 200);
    return 0;
}
";

/// A loop that counts how often it has looked: it is taken to wait, unless nobody comes between.
const WAITS: &str = r"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int ready;
static void *work(void *arg) {
    long looked = 0;
    while (!atomic_load(&ready)) looked++;
    return (char *)arg + (looked > 100000);
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    atomic_store(&ready, 1);
    pthread_join(a, 0);
    return 0;
}
";

/// The first thread ends the process before the second, which is too long, has begun, unless it is preempted.
const HALF: &str = r"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int steps;
static void *work(void *arg) {
    for (int i = 0; i < 100; i++) atomic_fetch_add(&steps, 1);
    return arg;
}
int main(void) {
    pthread_t a;
    pthread_create(&a, 0, work, 0);
    atomic_fetch_add(&steps, 1);
    exit(0);
}
";

#[test]
fn a_bound_is_completed_only_where_no_run_with_so_few_preemptions_was_cut() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let check = |name: &str, text: &str, args: &[&str]| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).expect("a file can be written");
        report(&directory.path().join("run"), args, &path.display().to_string())
    };
    let ways: [&[&str]; 3] =
        [&["--mode", "single", "--icb"], &["--mode", "single", "--bound", "1"], &["--mode", "deepen"]];
    for way in ways {
        let few = ["--max-steps", "60", "--max-runs", "300"];
        let cut = check("long.c", LONG, &[way, &few].concat());
        assert!(cut["cut_runs"].as_u64() > Some(0), "{way:?}: {cut:#}");
        assert_eq!(cut["scope"]["completed_bound"], Value::Null, "{way:?}: {cut:#}");
        let spaces = cut["state_spaces"].as_array().expect("a list");
        assert!(spaces.iter().all(|space| space["completed_bound"].is_null()), "{way:?}: {cut:#}");
        // Without a preemption nothing is cut: that much is claimed, and no more.
        let half = check("half.c", HALF, &[way, &few].concat());
        assert_eq!(half["verdict"], "partial", "{way:?}: {half:#}");
        assert!(half["cut_runs"].as_u64() > Some(0), "{way:?}: {half:#}");
        let claimed = if way.contains(&"--bound") { Value::Null } else { 0.into() };
        assert_eq!(half["scope"]["completed_bound"], claimed, "{way:?}: {half:#}");
        let guessed = check("waits.c", WAITS, &[way, &["--max-runs", "300"]].concat());
        let assumed = |c: &Value| c["kind"] == "assumed-wait";
        if guessed["scope"]["caveats"].as_array().is_some_and(|all| all.iter().any(assumed)) {
            assert_eq!(guessed["scope"]["completed_bound"].as_u64().unwrap_or(0), 0, "{way:?}: {guessed:#}");
        }
    }
    // Nothing is cut: it is claimed.
    let whole = check("short.c", &LONG.replace("i < 100", "i < 2").replace("200", "5"), &["--mode", "single", "--icb"]);
    assert!(whole["scope"]["completed_bound"].as_u64() > Some(0), "{whole:#}");
}

#[test]
fn a_use_of_memory_that_was_freed_with_a_held_lock_in_it_names_the_free_and_replays() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let name = program("allow/freed_while_held.c");
    let run = |args: &[&str]| {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        call(directory.path(), &args, LIMIT).expect("it ends")
    };
    for minimise in ["0", "2000"] {
        let found = run(&["check", "--json", "-", "--minimise-runs", minimise, &name]).json().expect("a report");
        assert_eq!(found["bugs"][0]["kind"], "use-after-free", "{found:#}");
        let told = found["bugs"][0]["explanation"].to_string();
        assert!(told.contains("was freed while a thread held a lock in it"), "{told}");
        let again = run(&["replay", "freed_while_held.trace", "--times", "20"]);
        assert_eq!(again.code(), Ok(1), "{}", again.tail());
        assert!(again.stdout.contains("20 times out of 20"), "{}", again.tail());
    }
}

#[test]
fn known_findings_are_counted_and_the_campaign_goes_on_the_same_way_for_all() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let name = program("allow/known_assertion.c");
    let allowed = |json: &Value| {
        let caveats = json["scope"]["caveats"].as_array().expect("a list").clone();
        caveats.into_iter().filter(|caveat| caveat["kind"] == "allowed").collect::<Vec<_>>()
    };
    for mode in MODES {
        let with = |jobs| {
            report(directory.path(), &[mode, &["--allow", "assertion@old_part", "--jobs", jobs]].concat(), &name)
        };
        let (alone, together) = (with("1"), with("3"));
        assert_eq!(alone["verdict"], "complete", "{mode:?}: {alone:#}");
        assert_eq!(allowed(&alone).len(), 1, "{mode:?}: {alone:#}");
        assert_eq!((allowed(&alone), &alone["runs"]), (allowed(&together), &together["runs"]), "{mode:?}");
        assert!(alone["races"].as_array().is_some_and(|races| races.iter().all(|race| race["status"] != "benign")));
    }
}

#[test]
fn the_relation_decides_whose_instructions_become_points() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    // Nothing races there as the language has it; with locks and atomics that order nothing it looks as if.
    for name in ["races/flag_under_lock_limited.c", "races/double_checked_acquire.c"] {
        let spaces = |mode, relation: &[&str]| {
            let json = report(directory.path(), &[&["--mode", mode], relation].concat(), &program(name));
            assert_eq!(json["verdict"], "verified", "{name} {mode} {relation:?}: {json:#}");
            let at_access = |space: &&Value| space["preempt"].to_string().contains("access ");
            let made = json["state_spaces"].as_array().expect("a list").iter().filter(at_access).count();
            (made > 0, json["races"].as_array().is_some_and(|races| !races.is_empty()))
        };
        for mode in ["deepen", "maximal"] {
            assert_eq!(spaces(mode, &["--hb", "pure"]), (false, false), "{name} {mode}");
            assert_eq!(spaces(mode, &["--hb", "limited"]), (true, true), "{name} {mode}");
        }
        assert_eq!(spaces("deepen", &[]), (true, false), "{name}: looked at, not told");
        assert_eq!(spaces("maximal", &[]), (false, false), "{name}");
    }
}

#[test]
fn a_line_is_covered_only_where_no_bound_left_runs_out() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("short.c");
    std::fs::write(&path, LONG.replace("i < 100", "i < 3").replace("200", "7")).expect("a file can be written");
    let states = |args: &[&str]| {
        let json = report(&directory.path().join("run"), args, &path.display().to_string());
        let lines = json["lines"].as_array().expect("a list").clone();
        lines.iter().map(|line| line["states"].to_string()).collect::<std::collections::BTreeSet<_>>()
    };
    for mode in ["deepen", "maximal", "single"] {
        assert_eq!(states(&["--mode", mode]), ["[\"covered\"]".to_string()].into(), "{mode}");
        assert_eq!(states(&["--mode", mode, "--bound", "0"]), ["[\"open\"]".to_string()].into(), "{mode}");
    }
}
