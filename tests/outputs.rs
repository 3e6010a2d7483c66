//! What other tools read of a check: valid by the published schemas, whatever the verdict, and with places.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call, gabion};
use gabion_tests::schemas::{is_junit, is_sarif, xpath};
use gabion_tests::workspace;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a check has left.
struct Outputs {
    directory: tempfile::TempDir,
    status: i32,
    said: String,
    sarif: Value,
}

impl Outputs {
    /// Checks a program with every output. All that is written is valid.
    fn of(name: &str, source: &[u8], more: &[&str]) -> Outputs {
        let directory = tempfile::tempdir().expect("a temporary directory can be made");
        std::fs::write(directory.path().join(name), source).expect("the program is written");
        let args = ["check", name, "-q", "--sarif", "p.sarif", "--junit", "p.xml", "--github"];
        let args: Vec<String> = args.iter().chain(more).map(ToString::to_string).collect();
        let output = call(directory.path(), &args, LIMIT).expect("check ends");
        let status = output.code().unwrap_or_else(|error| panic!("{error}"));
        let file = directory.path().join("p.sarif");
        let text = std::fs::read_to_string(&file).expect("it was written");
        is_sarif(&file).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let sarif = serde_json::from_str(&text).expect("a valid document is JSON");
        valid_junit(&directory.path().join("p.xml"));
        Outputs { directory, status, said: output.stdout, sarif }
    }

    fn of_program(path: &str, more: &[&str]) -> Outputs {
        let source = std::fs::read(workspace().join("programs").join(path)).expect("the program can be read");
        Outputs::of("p.c", &source, more)
    }

    fn junit(&self) -> PathBuf {
        self.directory.path().join("p.xml")
    }

    fn results(&self) -> &[Value] {
        self.sarif["runs"][0]["results"].as_array().expect("there are results")
    }
}

fn valid_junit(file: &Path) {
    is_junit(file).unwrap_or_else(|error| panic!("{error}\n{}", std::fs::read_to_string(file).unwrap_or_default()));
}

/// All tests, failures and errors of a JUnit file, and those left out.
fn numbers(file: &Path) -> String {
    let all = "concat(/*/@tests, ' ', /*/@failures, ' ', /*/@errors, ' ', sum(//@skipped))";
    let counted = "concat(count(//testcase), ' ', count(//failure), ' ', count(//error), ' ', count(//skipped))";
    let [told, counted] = [all, counted].map(|expression| xpath(file, expression).expect("it can be asked"));
    assert_eq!(told, counted, "its sums are of what is there");
    told
}

/// File and line of a location.
fn place(location: &Value) -> (&str, u64) {
    let physical = &location["physicalLocation"];
    let file = physical["artifactLocation"]["uri"].as_str().unwrap_or_default();
    (file, physical["region"]["startLine"].as_u64().unwrap_or_default())
}

#[test]
fn a_bug_and_its_race_have_places_everywhere() {
    let outputs = Outputs::of_program("basics/lost_update.c", &[]);
    assert_eq!(outputs.status, 1);
    let [bug, race] = outputs.results() else { panic!("{}", outputs.sarif) };
    assert_eq!((&bug["ruleId"], &bug["level"]), (&json!("assertion"), &json!("error")));
    assert_eq!(place(&bug["locations"][0]), ("p.c", 19));
    let text = bug["message"]["text"].as_str().expect("a message");
    assert!(text.contains("\nT0 (main) reads counter at p.c:19 and finds 1"), "the explanation: {text}");
    let related = bug["relatedLocations"].as_array().expect("other places");
    let lines: Vec<u64> = related.iter().map(|location| place(location).1).collect();
    assert!(lines.contains(&10) && lines.contains(&17) && !lines.contains(&19), "{lines:?}");
    assert_eq!(race["ruleId"], "data-race");
    assert_eq!(place(&race["locations"][0]).0, "p.c");
    let rules = outputs.sarif["runs"][0]["tool"]["driver"]["rules"].as_array().expect("rules");
    assert!([bug, race].iter().all(|result| rules.iter().any(|rule| rule["id"] == result["ruleId"])));
    let file = outputs.junit();
    assert_eq!(numbers(&file), "1 1 0 0");
    let message = xpath(&file, "string(//failure/@message)").expect("a message");
    assert_eq!(message.matches("p.c:19").count(), 1, "{message}");
    let body = xpath(&file, "string(//failure)").expect("a text");
    assert!(body.contains("How it came about:") && body.contains("The interleaving:"), "{body}");
    let said = |start: &str| outputs.said.lines().any(|line| line.starts_with(start));
    assert!(said("::error file=p.c,line=19,title=assertion::"), "{}", outputs.said);
    assert!(said("::warning file=p.c,line="), "{}", outputs.said);
}

#[test]
fn what_passes_is_said_too() {
    let outputs = Outputs::of_program("basics/locked_update.c", &[]);
    assert_eq!(outputs.status, 0);
    assert!(outputs.results().is_empty(), "{}", outputs.sarif);
    assert_eq!(numbers(&outputs.junit()), "1 0 0 0");
    assert!(!outputs.said.contains("::error"), "{}", outputs.said);
}

#[test]
fn a_deadlock_has_the_places_of_its_locks() {
    let outputs = Outputs::of_program("basics/abba.c", &[]);
    assert_eq!(outputs.status, 1);
    let related = outputs.results()[0]["relatedLocations"].as_array().expect("other places");
    let told: Vec<_> =
        related.iter().map(|l| (place(l).1, l["message"]["text"].as_str().unwrap_or_default())).collect();
    let expected = [
        (21, "T0 waits to lock a, which T1 holds"),
        (11, "T1 waits to lock b, which T0 holds"),
        (20, "T0: lock b"),
        (10, "T1: lock a"),
    ];
    assert_eq!(told, expected);
}

#[test]
fn races_alone_and_several_bugs() {
    let races = Outputs::of_program("races/memcpy_unlocked.c", &[]);
    assert_eq!(races.status, 0);
    // Both orders were tried, and nothing fails.
    let levels: Vec<&Value> = races.results().iter().map(|race| &race["level"]).collect();
    assert!(!levels.is_empty() && levels.iter().all(|level| **level == "note"), "{levels:?}");
    assert_eq!(numbers(&races.junit()), "1 0 0 0");
    let denied = Outputs::of_program("races/memcpy_unlocked.c", &["--races", "deny"]);
    assert_eq!((denied.status, numbers(&denied.junit()).as_str()), (1, "1 1 0 0"));
    let several = Outputs::of_program("basics/lost_update.c", &["--races", "deny", "--keep-going"]);
    assert!(several.results().len() > 2, "{}", several.sarif);
}

#[test]
fn what_was_not_settled_is_an_error() {
    let partial = Outputs::of_program("counts/three_atomics.c", &["--budget-runs", "2"]);
    assert_eq!((partial.status, numbers(&partial.junit()).as_str()), (3, "1 0 1 0"));
    let broken = Outputs::of("p.c", b"int main(void) { return nothing; }\n", &[]);
    assert_eq!((broken.status, numbers(&broken.junit()).as_str()), (2, "1 0 1 0"));
    let invocation = &broken.sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap_or_default();
    assert!(!told.is_empty() && Ok(told) == xpath(&broken.junit(), "string(//error/@message)").as_deref(), "{told}");
}

/// In names, messages and paths: what XML must not hold, what ends its sections, what no encoding allows.
#[test]
fn odd_characters() {
    let name = "a b&<\u{e9}>\"'%#?]]>.c";
    let source = b"#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
        static void *other(void *_) { return _; }\n\
        int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, other, 0);\n    pthread_join(t, 0);\n\
        fputs(\"\\x1b[31m\\x01\\xff\\xfe ]]> <&>\\n\", stderr);\n    abort(); /* \x01\x1b \xff ]]> \xef\xbf\xbf */\n}\n";
    let outputs = Outputs::of(name, source, &[]);
    assert_eq!((outputs.status, numbers(&outputs.junit()).as_str()), (1, "1 1 0 0"));
    assert_eq!(xpath(&outputs.junit(), "string(//testcase/@name)").as_deref(), Ok(name));
    let shown = xpath(&outputs.junit(), "string(//failure)").expect("a text");
    assert!(shown.contains("abort(); /* \\x01"), "what must not be there is seen to be left out: {shown}");
    let (file, line) = place(&outputs.results()[0]["locations"][0]);
    assert_eq!((file, line), ("a%20b%26%3C%C3%A9%3E%22%27%25%23%3F%5D%5D%3E.c", 10));
}

/// What comes of tests: each once.
const SUITE: &str = "
#[test]
fn fails() {
    std::thread::spawn(|| panic!(\"<a>\\u{1}\\nb\")).join().unwrap();
}

#[test]
#[ignore = \"long\"]
fn left_out() {}

#[test]
fn not_modelled() {
    std::thread::spawn(|| std::process::Command::new(\"true\").status().unwrap()).join().unwrap();
}

#[test]
fn passes() {
    std::thread::spawn(|| ()).join().unwrap();
}
";

#[test]
fn tests_of_a_workspace() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let write = |file: &str, text: &str| {
        let path = directory.path().join(file);
        std::fs::create_dir_all(path.parent().expect("a file in a directory")).expect("a new directory");
        std::fs::write(path, text).expect("a new file");
    };
    write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"broken\", \"fine\"]\n");
    for (member, source) in [("broken", "pub fn number() -> u32 {\n    \"none\"\n}\n"), ("fine", SUITE)] {
        let manifest = format!("[package]\nname = \"{member}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n");
        write(&format!("{member}/Cargo.toml"), &manifest);
        write(&format!("{member}/src/lib.rs"), source);
    }
    let status = |args: &[&str]| {
        let mut command = Command::new(gabion().with_file_name("cargo-gabion"));
        command.args(["gabion", "test", "--workspace", "--junit", "all.xml"]).args(args).current_dir(directory.path());
        command.env_remove("CARGO_TARGET_DIR").env_remove("RUSTFLAGS").env(gabion_tests::run::PREBUILT, "as elsewhere");
        command.stdin(Stdio::null()).output().expect("cargo-gabion can be started").status.code()
    };
    let file = directory.path().join("all.xml");
    assert_eq!(status(&[]), Some(2));
    valid_junit(&file);
    assert_eq!(numbers(&file), "5 1 2 1");
    assert_eq!(xpath(&file, "string(//testcase[skipped]/@name)").as_deref(), Ok("left_out"));
    let message = xpath(&file, "string(//failure/@message)").expect("a message");
    assert!(message.contains("<a>\\x01, b"), "{message}");
    assert_eq!(status(&["nothing_of_the_kind", "--exclude", "broken"]), Some(2));
    valid_junit(&file);
    assert_eq!(numbers(&file), "1 0 1 0");
}
