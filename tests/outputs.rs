//! What other tools read of a check, read by what they read it with.

#![forbid(unsafe_code)]

use gabion_tests::run::call;
use gabion_tests::workspace;
use serde_sarif::sarif::{ResultLevel, Sarif};
use std::path::Path;
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

/// Checks a program with every output; gives status and standard output.
fn checked(directory: &Path, program: &str) -> (i32, String) {
    let from = workspace().join("programs").join(program);
    std::fs::copy(&from, directory.join("p.c")).expect("the program is copied");
    let args = ["check", "p.c", "-q", "--sarif", "p.sarif", "--junit", "p.xml", "--github"];
    let output = call(directory, &args.map(String::from), LIMIT).expect("check ends");
    (output.code().unwrap_or_else(|error| panic!("{error}")), output.stdout)
}

#[test]
fn a_bug_and_its_race_have_places_everywhere() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let (status, said) = checked(directory.path(), "basics/lost_update.c");
    assert_eq!(status, 1);
    let text = std::fs::read_to_string(directory.path().join("p.sarif")).expect("it was written");
    let sarif: Sarif = serde_json::from_str(&text).expect("it follows the schema");
    let results = sarif.runs[0].results.as_ref().expect("there are results");
    let place = |i: usize| {
        let location = &results[i].locations.as_ref().expect("a place")[0];
        let physical = location.physical_location.as_ref().expect("a place in a file");
        let file = physical.artifact_location.as_ref().and_then(|a| a.uri.clone());
        (file.unwrap_or_default(), physical.region.as_ref().and_then(|r| r.start_line).unwrap_or_default())
    };
    assert_eq!(results[0].rule_id.as_deref(), Some("assertion"));
    assert_eq!(results[0].level, Some(ResultLevel::Error));
    assert_eq!(place(0), ("p.c".into(), 19));
    let text = results[0].message.text.as_deref().expect("a message");
    assert!(text.contains("\nT0 (main) reads counter at p.c:19 and finds 1"), "the explanation: {text}");
    let related = results[0].related_locations.as_ref().expect("other places");
    let lines: Vec<i64> =
        related.iter().filter_map(|l| l.physical_location.as_ref()?.region.as_ref()?.start_line).collect();
    assert!(lines.contains(&10) && lines.contains(&17) && !lines.contains(&19), "{lines:?}");
    assert_eq!(results[1].rule_id.as_deref(), Some("data-race"));
    assert_eq!(place(1).0, "p.c");
    let rules = sarif.runs[0].tool.driver.rules.as_ref().expect("rules");
    assert!(results.iter().all(|r| rules.iter().any(|rule| Some(&rule.id) == r.rule_id.as_ref())));
    let xml = std::fs::read_to_string(directory.path().join("p.xml")).expect("it was written");
    let junit = quick_junit::Report::deserialize_from_str(&xml).expect("it is JUnit's XML");
    assert_eq!((junit.tests, junit.failures, junit.errors), (1, 1, 0));
    let quick_junit::TestCaseStatus::NonSuccess { message, description, .. } =
        &junit.test_suites[0].test_cases[0].status
    else {
        panic!("{xml}")
    };
    let (message, body) = (message.as_ref().expect("a message"), description.as_ref().expect("a text"));
    assert_eq!(message.as_str().matches("p.c:19").count(), 1, "{message:?}");
    assert!(body.as_str().contains("How it came about:") && body.as_str().contains("The interleaving:"), "{body:?}");
    let annotation = "::error file=p.c,line=19,title=assertion::";
    assert!(said.lines().any(|line| line.starts_with(annotation)), "{said}");
    assert!(said.lines().any(|line| line.starts_with("::warning file=p.c,line=")), "{said}");
}

#[test]
fn what_passes_is_said_too() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let (status, said) = checked(directory.path(), "basics/locked_update.c");
    assert_eq!(status, 0);
    let text = std::fs::read_to_string(directory.path().join("p.sarif")).expect("it was written");
    let sarif: Sarif = serde_json::from_str(&text).expect("it follows the schema");
    assert_eq!(sarif.runs[0].results.as_ref().map(Vec::len), Some(0));
    let xml = std::fs::read_to_string(directory.path().join("p.xml")).expect("it was written");
    let junit = quick_junit::Report::deserialize_from_str(&xml).expect("it is JUnit's XML");
    assert_eq!((junit.tests, junit.failures, junit.errors), (1, 0, 0));
    assert!(!said.contains("::error"), "{said}");
}

#[test]
fn a_deadlock_has_the_places_of_its_locks() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    assert_eq!(checked(directory.path(), "basics/abba.c").0, 1);
    let text = std::fs::read_to_string(directory.path().join("p.sarif")).expect("it was written");
    let sarif: Sarif = serde_json::from_str(&text).expect("it follows the schema");
    let results = sarif.runs[0].results.as_ref().expect("there are results");
    let related = results[0].related_locations.as_ref().expect("other places");
    let told: Vec<(i64, &str)> = related
        .iter()
        .filter_map(|l| {
            let line = l.physical_location.as_ref()?.region.as_ref()?.start_line?;
            Some((line, l.message.as_ref()?.text.as_deref()?))
        })
        .collect();
    let expected = [
        (21, "T0 waits to lock a, which T1 holds"),
        (11, "T1 waits to lock b, which T0 holds"),
        (20, "T0: lock b"),
        (10, "T1: lock a"),
    ];
    assert_eq!(told, expected);
}
