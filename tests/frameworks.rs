//! Test binaries of Google Test and Catch2, linked with the system's own archives, are checked as they are (decision 0015).

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use serde_json::Value;
use std::path::Path;

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(ToString::to_string).collect()
}

fn source(name: &str) -> String {
    gabion_tests::workspace().join("tests/frameworks").join(name).display().to_string()
}

/// Compiles or links.
fn build(directory: &Path, args: &[&str]) {
    let args = words(&[&["c++", "-g"], args].concat());
    let built = call(&directory.join("build"), &args, LIMIT).expect("the compiler ends");
    assert_eq!(built.code(), Ok(0), "{}", built.tail());
}

/// Checks one test of a program.
fn report(directory: &Path, program: &str, test: &str) -> Value {
    let args = words(&["check", "--json", "-", program, "--", test]);
    let output = call(&directory.join("check"), &args, LIMIT).expect("it ends");
    output.json().unwrap_or_else(|error| panic!("{test}: {error}"))
}

fn is_verified(report: &Value) {
    assert_eq!(report["verdict"], "verified", "{report:#}");
}

/// The first finding is of that kind, at that line, and says so.
fn finds(report: &Value, kind: &str, place: &str, message: &str) {
    let finding = &report["bugs"][0];
    assert_eq!(finding["kind"], kind, "{report:#}");
    let says = |field: &str, words: &str| finding[field].as_str().is_some_and(|text| text.contains(words));
    assert!(says("location", place) && says("message", message), "{finding:#}");
}

/// A filter that matches nothing is an error, which says how tests are listed.
fn runs_nothing(report: &Value, list: &str) {
    assert_eq!(report["verdict"], "error", "{report:#}");
    let error = report["error"].to_string();
    assert!(error.contains("no test was run") && error.contains(list), "{report:#}");
}

#[test]
fn google_test() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let (program, object) = (path("tests"), path("numbers.o"));
    build(directory.path(), &["-c", &source("numbers.cpp"), "-o", &object]);
    let test = source("google_test.cpp");
    build(directory.path(), &[&test, "-lgtest", "-lgtest_main", &object, "-pthread", "-o", &program]);
    let check = |test: &str| report(directory.path(), &program, &format!("--gtest_filter={test}"));
    is_verified(&check("Counter.Locked"));
    is_verified(&check("InThread.Passes"));
    is_verified(&check("Fixture.Works"));
    finds(&check("Counter.Lost"), "exit", "google_test.cpp:29", "Which is: 1 2 an update was lost");
    finds(&check("Counter.LostAsserted"), "exit", "google_test.cpp:38", "n.load()");
    finds(&check("InThread.Fails"), "exit", "google_test.cpp:56", "n++");
    finds(&check("Fixture.Throws"), "uncaught-exception", "google_test.cpp:85", "the second");
    let thrown = check("Body.Throws");
    finds(&thrown, "uncaught-exception", "google_test.cpp:111", "std::runtime_error");
    finds(&thrown, "uncaught-exception", "google_test.cpp:111", "an update was lost");
    is_verified(&check("Body.ThrowsAsExpected"));
    let numbers = check("Numbers.TwoAtOnce");
    assert_eq!(numbers["verdict"], "bug", "{numbers:#}");
    runs_nothing(&check("Nothing.Here"), "--gtest_list_tests");
    let death = check("Death.IsNotSupported");
    assert_eq!(death["verdict"], "error", "{death:#}");
    assert!(death["error"].to_string().contains("fork"), "{death:#}");
}

#[test]
fn catch2() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = directory.path().join("tests").display().to_string();
    build(directory.path(), &[&source("catch2.cpp"), "-L/usr/lib", "-lCatch2WithMain", "-pthread", "-o", &program]);
    is_verified(&report(directory.path(), &program, "locked"));
    let lost = report(directory.path(), &program, "lost");
    finds(&lost, "exit", "catch2.cpp:26", "CHECK( n.load() == 2 ) with expansion: 1 == 2");
    runs_nothing(&report(directory.path(), &program, "nothing here"), "--list-tests");
}
