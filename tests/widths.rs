//! Every byte that compiled code touches is announced, or a caveat names the line that touches it.
//!
//! For each compiler and each level of optimisation a program is generated with a function for each width and each way to touch memory.
//! It is linked with a recorder (`widths/recorder.c`) in the runtime's place, which counts the bytes that hooks announce while a function
//! runs. What they leave out must be among the caveats in the program.

#![forbid(unsafe_code)]

#[path = "widths/sources.rs"]
mod sources;

use gabion_native::build::inspect;
use gabion_tests::run::{PREBUILT, call_with};
use gabion_tests::workspace;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Wall-clock limit of a compiler.
const LIMIT: Duration = Duration::from_secs(300);

/// A generated program.
struct Source {
    /// `x.c`
    name: &'static str,
    text: String,
    /// What the function in a line does, by line.
    what: BTreeMap<usize, String>,
}

fn recorder(directory: &Path) -> String {
    let object = directory.join("recorder.o").display().to_string();
    let source = workspace().join("tests/widths/recorder.c").display().to_string();
    let flags = ["-O1", "-fPIC", "-fno-builtin", "-fno-tree-loop-distribute-patterns", "-w", "-c"];
    let status = Command::new("gcc").args(flags).args([&source, "-o", &object]).status().expect("gcc can be started");
    assert!(status.success(), "the recorder compiles");
    object
}

/// Lines that touch bytes which are neither announced nor in a caveat.
fn unseen(source: &Source, compiler: &str, level: &str) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let recorder = recorder(directory.path());
    let (path, program) = (directory.path().join(source.name), directory.path().join("program"));
    fs::write(&path, &source.text).expect("the source can be written");
    let words: Vec<&str> = match compiler {
        "rustc" => vec!["rustc", source.name, "--edition=2024", "-Awarnings", "-o", "program"],
        "g++" | "clang++" => vec!["c++", source.name, "-w", "-std=c++20", "-o", "program"],
        _ => vec!["cc", source.name, "-w", "-o", "program"],
    };
    let (level, link) = match compiler {
        "rustc" => (format!("-Copt-level={level}"), format!("-Clink-arg={recorder}")),
        _ => (format!("-O{level}"), recorder),
    };
    let args: Vec<String> = words.into_iter().map(str::to_owned).chain([level.clone(), link]).collect();
    let environment = [("CC", compiler), ("CXX", compiler), (PREBUILT, "that of the program is of no interest")];
    let output = call_with(directory.path(), &args, &environment, LIMIT).expect("the compiler ends");
    assert_eq!(output.code(), Ok(0), "{compiler} {level}: {}", output.tail());
    let output = Command::new(&program).output().expect("the program can be started");
    assert!(output.status.success(), "{compiler} {level}: {output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let caveats = inspect(&program).expect("it is a program of ours").caveats;
    let mut lines = BTreeSet::new();
    let mut unseen = Vec::new();
    for line in text.lines() {
        let numbers: Vec<usize> = line.split(' ').map(|word| word.parse().expect("a number")).collect();
        let [line, reads, writes] = numbers[..] else { panic!("{line}") };
        lines.insert(line);
        let place = format!("{}:{line}", source.name);
        let is_here = |text: &str| text.find(&place).is_some_and(|at| text[at + place.len()..].starts_with([' ', ')']));
        let named = caveats.iter().any(|caveat| is_here(&caveat.place));
        if reads + writes > 0 && !named {
            unseen.push(format!(
                "{compiler} {level}, {}: {reads} bytes read and {writes} written unannounced",
                source.what[&line]
            ));
        }
    }
    assert_eq!(lines.len(), source.what.len(), "{compiler} {level}: every function is called");
    unseen
}

fn check(compiler: &str, levels: &[&str], source: &Source) {
    let unseen: Vec<String> = levels.iter().flat_map(|level| unseen(source, compiler, level)).collect();
    assert!(unseen.is_empty(), "{} accesses that nobody sees:\n{}", unseen.len(), unseen.join("\n"));
}

#[test]
fn gcc() {
    check("gcc", &["0", "1", "2", "3", "s", "z"], &sources::c(false));
}

#[test]
fn clang() {
    check("clang", &["0", "1", "2", "3", "s", "z"], &sources::c(true));
}

#[test]
fn gxx() {
    check("g++", &["0", "1", "2", "3", "s", "z"], &sources::cxx());
}

#[test]
fn clangxx() {
    check("clang++", &["0", "1", "2", "3", "s", "z"], &sources::cxx());
}

#[test]
fn rustc() {
    check("rustc", &["0", "1", "2", "3", "s", "z"], &sources::rust());
}
