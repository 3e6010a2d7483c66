//! Budgets and signals end a check soon, whatever the program does: programs in which one phase or another takes long. How soon is in
//! docs/performance.md; here the limits are wide, so that they decide where something takes minutes and not where the machine is busy.

#![forbid(unsafe_code)]

use gabion_tests::run::{call, start};
use gabion_tests::workspace;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// For a budget of a second, and after a signal.
const SOON: Duration = Duration::from_secs(90);

/// The programs.
fn programs() -> Vec<PathBuf> {
    let files = std::fs::read_dir(workspace().join("tests/budgets")).expect("the directory is there");
    let mut programs: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    programs.sort();
    assert!(programs.len() >= 12, "{programs:?}");
    programs
}

fn args(program: &Path, budget: &str) -> Vec<String> {
    let program = program.display().to_string();
    ["check", "--json", "-", "--budget", budget, &program].map(String::from).into()
}

#[test]
fn a_budget_is_kept_whatever_the_program_does() {
    for program in programs() {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let output = call(directory.path(), &args(&program, "1s"), SOON)
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        assert!(matches!(output.code(), Ok(0 | 1 | 3)), "{}: {}", program.display(), output.tail());
        assert_eq!(output.left_behind, [""; 0], "{}", program.display());
        let json = output.json().expect("a report");
        assert!(json["races"].as_array().is_some_and(|races| races.len() <= 1000), "{}", program.display());
    }
}

#[test]
fn a_signal_ends_a_check_in_any_phase() {
    for (program, milliseconds) in programs().iter().zip([600, 1_200, 2_000].into_iter().cycle()) {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        let running = start(directory.path(), &args(program, "10m"));
        std::thread::sleep(Duration::from_millis(milliseconds));
        running.signal("TERM");
        let output = running.wait(SOON).unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        assert_eq!(output.left_behind, [""; 0], "{}", program.display());
        // Before the search begins, or when it is over, there is nothing to tell.
        if let Ok(code) = output.code() {
            assert!(matches!(code, 0 | 1 | 3), "{}: {}", program.display(), output.tail());
            assert!(output.json().is_ok(), "{}", output.tail());
        }
    }
}
