//! `cargo gabion` with crates that cannot be checked: what it says, its status, and that other tests still run.

use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A crate of one file.
fn package(directory: &Path, file: &str, source: &str) {
    std::fs::create_dir(directory.join("src")).expect("a new directory");
    let manifest = "[package]\nname = \"tried\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n";
    std::fs::write(directory.join("Cargo.toml"), manifest).expect("a new file");
    std::fs::write(directory.join(file), source).expect("a new file");
}

fn run(directory: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cargo-gabion"))
        .arg("gabion")
        .args(args)
        .current_dir(directory)
        .env_remove("CARGO_TARGET_DIR")
        .env_remove("RUSTFLAGS")
        .stdin(Stdio::null())
        .output()
        .expect("cargo-gabion can be started")
}

/// The status, and what must be said.
fn check(output: &Output, status: i32, said: &[&str]) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{text}");
    said.iter().for_each(|part| assert!(text.contains(part), "{part} is not said:\n{text}"));
}

#[test]
fn what_does_not_build() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", "pub fn number() -> u32 { \"none\" }\n");
    check(&run(directory.path(), &["test"]), 2, &["mismatched types", "gabion: cargo could not build it"]);
}

#[test]
fn no_crate_here() {
    let directory = tempfile::tempdir().expect("a directory");
    check(&run(directory.path(), &["test"]), 2, &["could not find `Cargo.toml`", "gabion: cargo finds no crate here"]);
}

#[test]
fn without_the_standard_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let source = "#![no_std]\n#![no_main]\n\
                  #[panic_handler]\nfn panic(_: &core::panic::PanicInfo<'_>) -> ! {\n    loop {}\n}\n";
    package(directory.path(), "src/main.rs", source);
    check(&run(directory.path(), &["check", "--bin", "tried"]), 2, &["gabion: cargo could not build it"]);
    check(&run(directory.path(), &["test"]), 2, &["gabion: cargo could not build it"]);
}

const MANY: &str = "
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

#[test]
fn a_process() {
    let other = thread::spawn(|| Command::new(\"true\").status().is_ok());
    assert!(other.join().unwrap());
}

#[test]
fn a_socket() {
    let listener = TcpListener::bind(\"127.0.0.1:0\").unwrap();
    let address = listener.local_addr().unwrap();
    let other = thread::spawn(move || TcpStream::connect(address).is_ok());
    listener.accept().unwrap();
    assert!(other.join().unwrap());
}

#[test]
fn fine() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
        *count.lock().unwrap() += 1;
    });
    assert_eq!(*count.lock().unwrap(), 2);
}

#[test]
fn wrong() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *count.lock().unwrap() += 1);
        assert_eq!(*count.lock().unwrap(), 0);
    });
}
";

/// The harness frees hundreds of blocks after a test, which are no steps of it.
#[test]
fn steps_are_those_of_the_test() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", MANY);
    let output = run(directory.path(), &["test", "wrong", "--budget-per-test", "10s"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    let shown = text.split("The interleaving: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse::<u32>().ok());
    assert!(shown.is_some_and(|steps| steps < 60), "{text}");
}

#[test]
fn tests_that_cannot_be_checked() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", MANY);
    let all = ["test", "--budget-per-test", "10s"];
    let said = [
        "test a_process ... error: not supported: posix_spawnp, called at src/lib.rs:9",
        "test a_socket ... error: not supported: accept, called at src/lib.rs:18",
        "test fine ... verified",
        "test wrong ... BUG",
        "4 tests: 1 verified, 1 with a bug, 2 that could not be checked",
    ];
    check(&run(directory.path(), &all), 1, &said);
    let without = ["test", "--budget-per-test", "10s", "--", "--skip", "wrong"];
    check(&run(directory.path(), &without), 2, &["test fine ... verified", "2 that could not be checked"]);
    check(&run(directory.path(), &["test", "nowhere"]), 2, &["gabion: no test matches nowhere", "-- --list"]);
    check(&run(directory.path(), &["test", "--test", "nowhere"]), 2, &["no test target named `nowhere`"]);
    check(&run(directory.path(), &["test", "--", "--list"]), 0, &["a_process: test", "wrong: test"]);
}
