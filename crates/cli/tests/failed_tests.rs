//! Rust tests that fail otherwise than by a panic in their own code: what is said of them, and where.

mod package;

use package::{check, package, run};

const TESTS: &str = r#"
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

/// Two threads add to a number, and one addition may be lost.
fn two() -> u32 {
    let n = AtomicU32::new(0);
    let add = || n.store(n.load(SeqCst) + 1, SeqCst);
    thread::scope(|scope| {
        scope.spawn(add);
        add();
    });
    n.load(SeqCst)
}

#[test]
fn returns() -> Result<(), String> {
    match two() {
        2 => Ok(()),
        n => Err(format!("an update was lost: {n}")),
    }
}

#[test]
#[should_panic]
fn should_panic() {
    assert_ne!(two(), 2);
}

#[test]
#[should_panic(expected = "other words")]
fn should_say() {
    assert_ne!(two(), two() + 1, "other words");
    panic!("these words");
}

#[test]
fn status() -> std::process::ExitCode {
    if two() == 2 { std::process::ExitCode::SUCCESS } else { 3.into() }
}

#[test]
fn receives() {
    let (sender, receiver) = std::sync::mpsc::channel::<u32>();
    thread::scope(|scope| {
        scope.spawn(thread::park);
        assert!(receiver.recv().is_err());
    });
    drop(sender);
}

mod inner {
    #[test]
    fn silent() {
        std::panic::set_hook(Box::new(|_| {}));
        assert_eq!(super::two(), 2);
    }

    struct Checked;

    impl Drop for Checked {
        fn drop(&mut self) {
            if std::thread::panicking() {
                panic!("again");
            }
        }
    }

    #[test]
    fn twice() {
        let _checked = Checked;
        assert!(super::two() == 2, "once");
    }

    fn deep(n: u32) -> u32 {
        let here = std::hint::black_box([n; 64]);
        if n == u32::MAX { 0 } else { deep(n + 1) + here[3] }
    }

    #[test]
    fn overflows() {
        if super::two() != 2 {
            std::hint::black_box(deep(0));
        }
    }
}
"#;

#[test]
fn are_told_as_the_harness_tells_them() {
    let directory = tempfile::tempdir().expect("a directory");
    package(directory.path(), "src/lib.rs", TESTS);
    let all = ["test", "--minimise-runs", "0"];
    let said = [
        "exit: test returns failed: Error: \"an update was lost: 1\"\n    src/lib.rs:17",
        "exit: test should_panic failed: test did not panic as expected\n    src/lib.rs:26",
        "panic: test should_say failed: panic did not contain expected string, panic",
        "src/lib.rs:34, thread",
        "panic: panicked; with what words is not known, because the program's panic",
        "src/lib.rs:56",
        "abort: panicked in a destructor while another panic was unwinding: again;",
        "src/lib.rs:64, thread T1",
        "segfault: the stack of T1 overflowed\n    src/lib.rs:7",
        "exit: test status failed: it returned what stands for failure\n    src/lib.rs:38",
    ];
    check(&run(directory.path(), &all), 1, &said);
    let waits = ["waits in std::sync::mpsc::Receiver<u32>::recv at src/lib.rs:47\"", "waits to be unparked"];
    check(&run(directory.path(), &["test", "receives", "--json", "-"]), 1, &waits);
}
