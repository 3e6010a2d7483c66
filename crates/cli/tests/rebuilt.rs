//! `cargo gabion test` with the standard library rebuilt, as those get it who have its sources: data races are bugs, and what the harness of
//! tests does is nobody's business.

mod package;

use gabion_native::build::{Network, Rustc, StandardLibrary};
use package::{check, package, run_with};

const SOURCE: &str = "use std::sync::mpsc;
use std::thread;

static mut SHARED: u32 = 0;

#[test]
fn counts() {
    assert_eq!(1 + 1, 2);
}

#[test]
fn races() {
    let other = thread::spawn(|| unsafe { SHARED += 1 });
    unsafe { SHARED += 1 };
    other.join().unwrap();
}

#[test]
fn sends() {
    let (sender, receiver) = mpsc::channel();
    let other = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.recv(), Ok(1));
    other.join().unwrap();
}
";

#[test]
fn races_are_bugs_and_the_harness_is_trusted() {
    let library = Rustc::find(None).expect("there is a compiler").standard_library(Network::Allowed);
    if let StandardLibrary::Prebuilt(why) = library {
        return eprintln!("left out: {why}");
    }
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", SOURCE);
    let test = |args: &[&str]| run_with(directory.path(), &[&["test"], args].concat(), &[("GABION_PREBUILT_STD", "")]);
    check(
        &test(&[]),
        1,
        &[
            "test counts ... verified, 1 run",
            "test races ... BUG",
            "race: nothing orders two accesses to tried::SHARED",
            "test sends ... verified",
        ],
    );
    check(&test(&["--std", "counts"]), 0, &["test counts ... verified"]);
    // A receiver's spinning is taken to wait.
    check(&test(&["--std", "--assume-waits", "sends"]), 0, &["test sends ... complete"]);
    check(&test(&["--races", "report", "races"]), 0, &["test races ... verified", "1 data race told"]);
}
