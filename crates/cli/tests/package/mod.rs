//! Crates made for a test, and what `cargo gabion` says of them.

#![allow(dead_code, reason = "not every test needs all")]

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A crate of one file.
pub fn package(directory: &Path, file: &str, source: &str) {
    member(directory, "tried", "[workspace]", &[(file, source)]);
}

/// A crate, with more for its manifest.
pub fn member(directory: &Path, name: &str, more: &str, files: &[(&str, &str)]) {
    let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{more}\n");
    for (file, text) in [("Cargo.toml", manifest.as_str())].iter().chain(files) {
        let path = directory.join(file);
        std::fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a new directory");
        std::fs::write(path, text).expect("a new file");
    }
}

pub fn run(directory: &Path, args: &[&str]) -> Output {
    run_with(directory, args, &[])
}

/// With more in the environment.
pub fn run_with(directory: &Path, args: &[&str], environment: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-gabion"))
        .arg("gabion")
        .args(args)
        .current_dir(directory)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .env("GABION_PREBUILT_STD", "as the tests ask for it")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("cargo-gabion can be started")
}

/// The status, and what must be said.
pub fn check(output: &Output, status: i32, said: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    said.iter().for_each(|part| assert!(text.contains(part), "{part} is not said:\n{text}"));
}
