//! Published crates and the example's workspace, checked by `cargo gabion test` as a user would.
//!
//! `tests/published` has small tests of crates as they are today, `tests/published/before` the same tests of versions
//! that had a bug. All of them are compiled on first use, into the target directory of these tests.

use gabion_tests::{run, workspace};
use serde_json::Value;
use std::process::{Command, Stdio};

/// A test, and what must come of it. Kinds of bugs stand for the verdict `bug`.
type Expected<'a> = &'a [(&'a str, &'a [&'a str])];

const VERIFIED: &[&str] = &["verified"];

/// Runs `cargo gabion test` in a directory of the project, and holds every test against what is expected.
fn check(directory: &str, options: &[&str], status: i32, expected: Expected<'_>) {
    let gabion = run::gabion();
    let beside = gabion.parent().expect("gabion lies in a directory");
    let target = beside.parent().expect("a target directory").join("published").join(directory.replace('/', "-"));
    let output = Command::new(beside.join("cargo-gabion"))
        .args(["gabion", "test", "--locked", "--quiet", "--json", "-", "--target-dir"])
        .arg(&target)
        .args(options)
        .current_dir(gabion_tests::workspace().join(directory))
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .env(run::PREBUILT, "as the tests ask for it")
        .stdin(Stdio::null())
        .output()
        .expect("cargo-gabion can be started");
    let told = String::from_utf8_lossy(&output.stderr);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{told}"));
    let tests = report["tests"].as_array().unwrap_or_else(|| panic!("no tests\n{told}"));
    let names: Vec<&str> = tests.iter().filter_map(|test| test["name"].as_str()).collect();
    let known: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, known, "the tests of {directory}\n{told}");
    for (test, (name, expected)) in tests.iter().zip(expected) {
        let verdict = test["verdict"].as_str().unwrap_or_default();
        let kind = test["bugs"][0]["kind"].as_str();
        let found = kind.filter(|_| verdict == "bug").unwrap_or(verdict);
        assert!(expected.contains(&found), "{name}: {found}, not {expected:?}\n{told}");
    }
    assert_eq!(output.status.code(), Some(status), "the status\n{told}");
}

#[test]
fn as_they_are() {
    // Loops that count their rounds are guessed to be waiting, so what spins before it waits is not called verified.
    const GUESSED: &[&str] = &["complete", "verified"];
    // parking_lot spins ten times before it waits, rayon looks for work 64 times; each of these rounds is an order of its own. Two runtimes
    // of tokio have 3,006 orders, of which a campaign makes three times as many runs.
    const LARGE: &[&str] = &["partial", "complete", "verified"];
    let expected: Expected<'_> = &[
        ("tests_arc_swap::the_last_owner_frees", VERIFIED),
        ("tests_arc_swap::the_old_one_or_the_new_one", VERIFIED),
        ("tests_crossbeam_channel::a_message_arrives", GUESSED),
        ("tests_crossbeam_channel::drop::the_receiver_goes_first", GUESSED),
        ("tests_crossbeam_channel::nothing_or_the_message", VERIFIED),
        ("tests_crossbeam_channel::the_last_sender_closes", VERIFIED),
        ("tests_crossbeam_deque::batch::every_task_once", VERIFIED),
        ("tests_crossbeam_deque::one_of_them_gets_it", VERIFIED),
        ("tests_crossbeam_deque::pushed_while_a_thief_looks", VERIFIED),
        ("tests_crossbeam_epoch::registered_and_gone", VERIFIED),
        ("tests_crossbeam_epoch::replaced_while_it_is_read", VERIFIED),
        ("tests_crossbeam_queue::nothing_or_what_was_pushed", VERIFIED),
        ("tests_crossbeam_queue::room_for_one", GUESSED),
        ("tests_crossbeam_queue::what_two_push_is_there", VERIFIED),
        ("tests_flume::a_message_arrives", VERIFIED),
        ("tests_flume::nothing_or_the_message", VERIFIED),
        ("tests_flume::the_last_sender_closes", VERIFIED),
        ("tests_once_cell::all_see_the_first", VERIFIED),
        ("tests_once_cell::made_when_it_is_needed", VERIFIED),
        ("tests_once_cell::one_of_them_sets_it", VERIFIED),
        ("tests_oneshot::a_message_arrives", VERIFIED),
        // Known to its authors, and not mended yet.
        ("tests_oneshot::dropped::polled_and_dropped", &["use-after-free"]),
        ("tests_oneshot::polled::polled_and_asked", VERIFIED),
        ("tests_oneshot::the_receiver_goes", VERIFIED),
        ("tests_oneshot::the_sender_goes", VERIFIED),
        ("tests_parking_lot::a_condition_is_signalled", LARGE),
        ("tests_parking_lot::a_mutex_excludes", VERIFIED),
        ("tests_parking_lot::a_mutex_waits", LARGE),
        ("tests_parking_lot::a_writer_excludes_a_reader", VERIFIED),
        ("tests_parking_lot::woken_or_too_late", LARGE),
        ("tests_rayon_core::a_pool_begins_and_ends", LARGE),
        ("tests_rayon_core::a_pool_in_each_thread", VERIFIED),
        ("tests_rayon_core::fork_and_join", LARGE),
        ("tests_spin::a_mutex_excludes", VERIFIED),
        ("tests_spin::a_writer_excludes_a_reader", VERIFIED),
        ("tests_spin::once::the_other_one_initialises", VERIFIED),
        ("tests_thread_local::each_has_its_own", VERIFIED),
        ("tests_thread_local::iterate::looked_at_while_one_is_added", VERIFIED),
        ("tests_thread_local::nothing_is_lost", VERIFIED),
        ("tests_tokio::closed::sent_while_it_is_closed", VERIFIED),
        ("tests_tokio::nothing_or_the_message", VERIFIED),
        ("tests_tokio::received_in_another_runtime", LARGE),
    ];
    check("tests/published", &["--workspace", "--budget-runs", "20000"], 1, expected);
}

#[test]
fn a_lock_that_spins_before_it_waits() {
    let expected: Expected<'_> = &[("a_mutex_waits", VERIFIED)];
    let options = ["-p", "tests-parking_lot", "a_mutex_waits", "--mode", "maximal"];
    check("tests/published", &options, 0, expected);
}

#[test]
fn a_signal_without_the_lock() {
    let expected: Expected<'_> = &[("woken_or_too_late", VERIFIED)];
    check("tests/published", &["-p", "tests-parking_lot", "woken_or_too_late"], 0, expected);
}

#[test]
fn a_pool_of_one_thread() {
    let expected: Expected<'_> = &[("a_pool_begins_and_ends", VERIFIED), ("a_pool_in_each_thread", VERIFIED)];
    check("tests/published", &["-p", "tests-rayon-core", "a_pool"], 0, expected);
}

#[test]
fn a_runtime_in_each_thread() {
    let expected: Expected<'_> = &[("received_in_another_runtime", VERIFIED)];
    let options = ["-p", "tests-tokio", "received_in_another_runtime"];
    check("tests/published", &options, 0, expected);
}

#[test]
fn before_they_were_mended() {
    let expected: Expected<'_> = &[
        ("crossbeam_channel_0_5_14::the_receiver_goes_first", &["double-free", "use-after-free"]),
        ("oneshot_0_1_4::polled_and_asked", &["panic"]),
        ("spin_0_9_7::the_other_one_initialises", &["panic"]),
        // Under sequential consistency nothing comes of the data race: see below.
        ("thread_local_1_1_3::looked_at_while_one_is_added", VERIFIED),
        ("tokio_1_13_0::sent_while_it_is_closed", &["double-free", "use-after-free", "panic"]),
    ];
    check("tests/published/before", &["--workspace", "--budget-runs", "20000"], 1, expected);
    let race: Expected<'_> = &[("looked_at_while_one_is_added", &["race"])];
    check("tests/published/before", &["-p", "thread_local-1-1-3", "--races", "deny"], 1, race);
    let none: Expected<'_> = &[("iterate::looked_at_while_one_is_added", VERIFIED)];
    check("tests/published", &["-p", "tests-thread_local", "iterate", "--races", "deny"], 0, none);
}

#[test]
fn the_example_of_a_workspace() {
    let expected: Expected<'_> = &[
        ("close::a_full_channel_waits", VERIFIED),
        ("close::a_hasty_close", &["deadlock"]),
        ("close::a_receiver_learns_of_the_end", VERIFIED),
        ("pipeline::tests::all_work_is_done", VERIFIED),
    ];
    // The command that its README gives.
    let readme = std::fs::read_to_string(workspace().join("examples/cargo-workspace/README.md")).expect("it is there");
    let command = readme.lines().find_map(|line| line.strip_prefix("cargo gabion test ")).expect("it has a command");
    let words: Vec<&str> = command.split_whitespace().collect();
    check("examples/cargo-workspace", &words, 1, expected);
}
