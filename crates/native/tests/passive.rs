//! Without a search to connect to the runtime must not be noticed: the functions that it stands in for give the C
//! library's results.

use std::path::{Path, PathBuf};
use std::process::Command;

fn built(source: &str, directory: &Path) -> PathBuf {
    let program = directory.join("program");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passive").join(source);
    let status = Command::new("gcc")
        .args(["-O1", "-g", "-fno-builtin", "-U_FORTIFY_SOURCE", "-Wall", "-Wextra"])
        .arg(source)
        .arg("-o")
        .arg(&program)
        .status()
        .expect("gcc starts");
    assert!(status.success(), "{status}");
    program
}

/// What a command prints, with or without the runtime.
fn output(command: &mut Command, preloaded: bool) -> (bool, String, String) {
    if preloaded {
        command.env("LD_PRELOAD", gabion_native::library::path().expect("the runtime is laid out"));
    }
    let output = command.output().expect("the command starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn strings_and_streams() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let program = built("strings.c", directory.path());
    let alone = output(&mut Command::new(&program), false);
    assert!(alone.0, "the test itself is wrong: {}", alone.2);
    let preloaded = output(Command::new(&program).arg(gabion_native::library::RUNTIME_NAME), true);
    assert_eq!(preloaded, alone);
}

#[test]
fn ordinary_programs() {
    let commands: [&[&str]; 4] = [
        &["ls", "-la", "/etc"],
        &["sh", "-c", "for i in 1 2 3; do printf '%s-%d\\n' $i $i; done; sort /etc/passwd; echo $HOME | sed s/o/0/g"],
        &["gcc", "--version"],
        &["find", "/usr/include", "-maxdepth", "1", "-name", "std*.h"],
    ];
    for words in commands {
        let run = |preloaded| output(Command::new(words[0]).args(&words[1..]), preloaded);
        assert_eq!(run(true), run(false), "{words:?}");
    }
}
