//! The program's lines with preemption points, and what became of them: in JSON, and on the page.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use serde_json::Value;

/// The lines of a program as `number: classes: states`, those of its first file only, and its page.
fn lines(program: &str, options: &[&str], status: i32) -> (Vec<String>, String) {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = workspace().join("programs").join(program).display().to_string();
    let args = [&["check", &program, "--json", "p.json", "--html", "p.html"][..], options].concat();
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    let output = call(directory.path(), &args, LIMIT).expect("check ends");
    assert_eq!(output.code(), Ok(status), "{}", output.tail());
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).expect("it was written");
    let report: Value = serde_json::from_str(&read("p.json")).expect("it is JSON");
    let words = |list: &Value| {
        let list = list.as_array().expect("a list").iter();
        list.map(|word| word.as_str().expect("a word").to_string()).collect::<Vec<_>>().join(" ")
    };
    let line = |line: &Value| {
        let (_, number) = line["at"].as_str()?.rsplit_once(':')?;
        Some(format!("{number}: {}: {}", words(&line["points"]), words(&line["states"])))
    };
    (report["lines"].as_array().expect("lines").iter().filter_map(line).collect(), read("p.html"))
}

#[test]
fn what_is_verified_is_covered() {
    let (lines, page) = lines("basics/locked_update.c", &[], 0);
    let expected = ["11: lock: covered", "12: everywhere: covered", "13: visible: covered", "19: other: covered"];
    assert_eq!(lines[..4], expected);
    assert!(lines.iter().all(|line| line.ends_with(": covered")), "{lines:?}");
    assert!(page.contains("7 lines of the program have points: 7 covered."), "{page}");
    assert!(page.contains("pthread_mutex_lock(&amp;mutex);"), "the source is there: {page}");
}

#[test]
fn what_was_sealed_off_is_said_to_be() {
    let (lines, page) = lines("scope/thesis_1.c", &["--within", "mutex_lock", "--without", "allocate"], 0);
    let expected = [
        "10: atomic: sealed covered", // by who calls it
        "17: voluntary: covered",
        "23: other: sealed",
        "24: atomic: covered", // where the other thread may begin first
        "25: atomic: sealed",
        "28: other: sealed",
        "30: other: sealed",
    ];
    assert_eq!(lines, expected);
    assert!(page.contains("– sealed off for some callers") && page.contains("by --within mutex_lock"), "{page}");
}

#[test]
fn what_is_not_over_is_open_and_a_race_in_it_untested() {
    let (lines, page) = lines("deepening/hopeless.c", &["--budget-runs", "3000"], 3);
    assert!(lines.contains(&"21: lock: open".to_string()), "{lines:?}");
    assert!(lines.iter().any(|line| line.starts_with("29: ") && line.ends_with(": untested open")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("covered")), "{lines:?}");
    assert!(page.contains("! untested race") && page.contains("Stopped: the budget of 3,000 runs is spent"), "{page}");
}

/// After a create there is a point in every state space, that of locks alone too; with a bound the search is over, and not all explored.
#[test]
fn what_a_search_that_is_over_says_of_its_points() {
    let (points, page) = lines("counts/three_atomics.c", &["--preempt", "lock"], 0);
    let expected = [12, 20, 22, 23].map(|line| format!("{line}: voluntary: covered"));
    assert_eq!(points, expected);
    assert!(
        page.contains("after a create") && page.contains("with switches only at the points of a state space"),
        "{page}"
    );
    let (points, page) = lines("basics/locked_update.c", &["--preempt", "everywhere", "--bound", "0"], 0);
    assert!(!points.is_empty() && points.iter().all(|line| line.ends_with(": open")), "{points:?}");
    assert!(page.contains("not all of that was explored") && !page.contains("not over"), "{page}");
}

/// What the standard library does is told at the program's lines.
#[test]
fn points_of_a_library_are_at_the_lines_that_call_it() {
    let (lines, _) = lines("rust/mutex.rs", &[], 0);
    let has = |number: u32, class: &str| {
        let found = lines.iter().find(|line| line.starts_with(&format!("{number}: ")));
        assert!(found.is_some_and(|line| line.contains(class) && line.ends_with("covered")), "{number}: {lines:?}");
    };
    has(10, "atomic"); // what the new thread does
    has(11, "lock");
    has(12, "other"); // join
    has(13, "lock");
}
