//! The crate `gabion`, which Rust programs speak through: with `cargo gabion test`, and with plain `cargo test`, where it does nothing.

mod package;

use package::{check, member, run};
use std::path::Path;
use std::process::{Command, Stdio};

const SOURCE: &str = "\
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn add(to: &AtomicU32) {
    to.store(to.load(SeqCst) + 1, SeqCst);
}

#[test]
fn all_are_chosen() {
    assert!(gabion::choose(3) * 2 + gabion::choose(2) < 6);
}

#[test]
fn one_is_wrong() {
    let chosen = (gabion::choose(3), gabion::choose(2));
    assert_ne!(chosen, (2, 1));
}

#[test]
fn too_many() {
    gabion::choose(5000);
}

#[test]
fn lost_at_end() {
    static DONE: AtomicU32 = AtomicU32::new(0);
    gabion::assert_at_end!(
        DONE.load(SeqCst) == 2
    );
    let other = thread::spawn(|| add(&DONE));
    add(&DONE);
    other.join().unwrap();
}

#[test]
fn holds_at_end() {
    static DONE: AtomicU32 = AtomicU32::new(0);
    gabion::assert_at_end!(DONE.load(SeqCst) == 2);
    let other = thread::spawn(|| DONE.fetch_add(1, SeqCst));
    DONE.fetch_add(1, SeqCst);
    other.join().unwrap();
}

#[test]
fn elsewhere() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| add(&count));
        drop(gabion::within());
        add(&count);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn within() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| add(&count));
        let _here = gabion::within();
        add(&count);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn without() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| add(&count));
        add(&count);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn without_and_fine() {
    let count = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| count.fetch_add(1, SeqCst));
        count.fetch_add(1, SeqCst);
    });
    assert_eq!(count.into_inner(), 2);
}

#[test]
fn asked() {
    assert_eq!(gabion::is_checked(), std::env::var_os(\"UNDER_GABION\").is_some());
    gabion::preempt();
}
";

fn crate_that_depends_on_it(directory: &Path) {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("beside it").join("gabion");
    let more = format!("[workspace]\n[dev-dependencies]\ngabion = {{ path = {ours:?} }}");
    member(directory, "tried", &more, &[("src/lib.rs", SOURCE)]);
}

#[test]
fn with_gabion() {
    let directory = tempfile::tempdir().expect("a directory");
    crate_that_depends_on_it(directory.path());
    let json = directory.path().join("all.json");
    let args = ["test", "--env", "UNDER_GABION=1", "--json", "all.json"];
    let said = [
        "test all_are_chosen ... verified, 6 runs",
        "test too_many ... error: not supported: a choice of more than 4096 values, called at src/lib.rs:21",
        "test holds_at_end ... verified",
        "test elsewhere ... complete",
        ": points sealed off (gabion::within)",
        "test without_and_fine ... verified",
        "test asked ... verified",
        "10 tests: 4 verified, 1 complete, 4 with a bug, 1 that could not be checked",
    ];
    check(&run(directory.path(), &args), 1, &said);
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(json).expect("a report")).expect("JSON of the report");
    let bug = |name: &str| {
        let tests = report["tests"].as_array().expect("tests");
        let test = tests.iter().find(|test| test["name"] == name).expect("the test is there");
        let bug = &test["bugs"][0];
        (bug["kind"].as_str().unwrap_or("none").to_string(), bug["location"].as_str().unwrap_or("none").to_string())
    };
    let told = |kind: &str, place: &str| (kind.to_string(), place.to_string());
    assert_eq!(bug("one_is_wrong"), told("panic", "src/lib.rs:16"));
    assert_eq!(bug("lost_at_end"), told("assertion", "src/lib.rs:27"));
    assert_eq!(bug("within"), told("panic", "src/lib.rs:63"));
    // That another test marks a scope hides nothing here.
    assert_eq!(bug("without"), told("panic", "src/lib.rs:73"));
}

#[test]
fn without_gabion() {
    let directory = tempfile::tempdir().expect("a directory");
    crate_that_depends_on_it(directory.path());
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--lib", "--", "all_are", "one_is", "too_many", "holds", "elsewhere", "asked"])
        .current_dir(directory.path())
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .output()
        .expect("cargo can be started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && text.contains("6 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}
