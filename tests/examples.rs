//! The projects under `examples/`: the commands that their READMEs give, run in a copy, do what the READMEs say.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, PREBUILT, gabion};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What a command of a README must come to: its exit status, and words of its report.
type Expected = (i32, &'static [&'static str]);

/// The commands of a README: blocks of shell.
fn commands(readme: &str) -> Vec<String> {
    let blocks = readme.split("```sh\n").skip(1);
    blocks.filter_map(|rest| rest.split("```").next()).map(|block| block.trim().to_string()).collect()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a directory can be made");
    for entry in std::fs::read_dir(from).expect("the example is there").map(|entry| entry.expect("readable")) {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy(&source, &target);
        } else {
            std::fs::copy(&source, &target).expect("a file can be copied");
        }
    }
}

fn run(command: &str, directory: &Path) -> (Option<i32>, String) {
    let tools = gabion().parent().expect("gabion lies somewhere");
    let path = std::env::var("PATH").unwrap_or_default();
    let limit = LIMIT.as_secs().to_string();
    let started = Instant::now();
    let output = Command::new("timeout")
        .args([&limit, "sh", "-c", command])
        .current_dir(directory)
        .env("PATH", format!("{}:{path}", tools.display()))
        .env(PREBUILT, "as the tests ask for it")
        .env_remove("CXX")
        .env_remove("CC")
        .stdin(std::process::Stdio::null())
        .output()
        .expect("a shell can be started");
    println!("{:.1} s: {command}", started.elapsed().as_secs_f64());
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text.into_owned())
}

fn check(example: &str, expected: &[Expected]) {
    let source = gabion_tests::workspace().join("examples").join(example);
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let place = directory.path().join(example);
    copy(&source, &place);
    let readme = std::fs::read_to_string(source.join("README.md")).expect("every example has a README");
    let commands = commands(&readme);
    assert_eq!(commands.len(), expected.len(), "{example}: every command of the README has an expectation");
    for (command, (status, words)) in commands.iter().zip(expected) {
        let (code, text) = run(command, &place);
        assert_eq!(code, Some(*status), "{example}: {command}\n{text}");
        for word in *words {
            assert!(text.contains(word), "{example}: no {word:?} from {command}\n{text}");
        }
    }
}

#[test]
fn cmake_and_google_test() {
    check(
        "cmake-gtest",
        &[
            (0, &["verified:", "trusted: Google Test"]),
            (1, &["deadlock:", "threads wait for ever"]),
            (1, &["exit:", "tests/queue_test.cpp:33", "Expected: (queue.size()) <= (1u), actual: 2 vs 1"]),
        ],
    );
}

#[test]
fn make() {
    check("make", &[(0, &["verified:"]), (1, &["assertion:", "element == expected", "ring_test.c:"])]);
}
