//! `--std`: what Rust's standard library does to begin and end threads is trusted, unless it is under test.

use std::path::Path;
use std::process::{Command, Stdio};

/// The runs that verify a program of ours, all in one state space.
fn runs(program: &str, options: &[&str]) -> u64 {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/rust");
    let directory = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_gabion"))
        .args(["check", "--json", "-", "--mode", "single"])
        .args(options)
        .arg(programs.join(program))
        .current_dir(directory.path())
        .env("GABION_PREBUILT_STD", "as the tests ask for it")
        .stdin(Stdio::null())
        .output()
        .expect("gabion can be started");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["verdict"], "verified", "{report}");
    report["complete_runs"].as_u64().expect("a number")
}

#[test]
fn beginnings_and_ends_of_threads() {
    assert_eq!(runs("start_trusted.rs", &[]), 2);
    assert!(runs("start_trusted.rs", &["--std"]) > 2);
}
