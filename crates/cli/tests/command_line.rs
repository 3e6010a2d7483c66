//! The contract at the command line: exit statuses, one message for bad input, the JSON object.
//!
//! What needs a program to run is at the end; the rest works before any program was started.

mod place;

use place::{Place, RACY, locked, ran};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn object(text: &str) -> Value {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|e| panic!("not one JSON object ({e}): {text}"));
    let keys: Vec<&str> = value.as_object().expect("an object").keys().map(String::as_str).collect();
    let mut expected = vec![
        "schema",
        "verdict",
        "runs",
        "complete_runs",
        "blocked_runs",
        "cut_runs",
        "abandoned_runs",
        "elapsed_s",
        "minimise_s",
        "runs_per_s",
        "estimate",
        "scope",
        "state_spaces",
        "bugs",
        "races",
        "races_total",
        "races_untold",
        "lines",
        "tests",
        "error",
    ];
    expected.sort_unstable();
    let mut keys_sorted = keys;
    keys_sorted.sort_unstable();
    assert_eq!(keys_sorted, expected);
    assert_eq!(value["schema"], 2);
    assert_eq!(value["scope"]["memory_model"], "sc");
    value
}

/// Bad input: exit 2, one message on standard error that holds `words`, nothing else; with `--json -`, an object too.
fn check_error(place: &Place, program: &str, words: &[&str]) {
    let plain = place.gabion(&["check", program]);
    assert_eq!((plain.status, plain.out.as_str()), (2, ""), "{}", plain.err);
    let own: Vec<&str> = plain.err.lines().filter(|line| line.starts_with("gabion: ")).collect();
    assert_eq!(own.len(), 1, "one message: {}", plain.err);
    words.iter().for_each(|word| assert!(own[0].contains(word), "{word:?} is not in {:?}", own[0]));
    let json = place.gabion(&["check", "--json", "-", program]);
    assert_eq!(json.status, 2);
    let object = object(&json.out);
    assert_eq!(object["verdict"], "error");
    words.iter().for_each(|word| assert!(object["error"].as_str().is_some_and(|e| e.contains(word)), "{object}"));
}

#[test]
fn version_and_help() {
    let place = Place::new();
    let version = place.gabion(&["--version"]);
    assert_eq!((version.status, version.out.as_str()), (0, concat!("gabion ", env!("CARGO_PKG_VERSION"), "\n")));
    let help = place.gabion(&["--help"]);
    assert_eq!(help.status, 0);
    for word in ["check", "replay", "show", "cc", "c++", "doctor", "Examples:", "Exit status"] {
        assert!(help.out.contains(word), "{word}: {}", help.out);
    }
    let check = place.gabion(&["check", "--help"]);
    assert_eq!(check.status, 0);
    let test = place.gabion(&["cargo", "test", "--help"]);
    assert_eq!(test.status, 0);
    for (help, options) in [(check, documented_options(CHECK)), (test, documented_options(CARGO))] {
        for option in options {
            assert!(help.out.contains(&option), "{option} is in docs/cli.md but not in --help");
        }
    }
}

const CHECK: &str = "## Options of `check`\n";
const CARGO: &str = "## cargo gabion\n";

/// Options in the table of a section of docs/cli.md: the copy of the contract is kept true.
fn documented_options(section: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/cli.md");
    let text = std::fs::read_to_string(path).expect("docs/cli.md");
    let (_, text) = text.split_once(section).expect("the section is there");
    let lines = text.lines().take_while(|line| !line.starts_with("## "));
    let rows = lines.filter(|line| line.starts_with("| `--"));
    let options: Vec<String> = rows
        .flat_map(|row| row.split('|').nth(1).unwrap_or("").split('`').collect::<Vec<_>>())
        .filter(|part| part.starts_with("--"))
        .map(|part| part.split_whitespace().next().unwrap_or("").to_string())
        .collect();
    assert!(options.len() > 10, "the table of options was not found");
    options
}

#[test]
fn every_option_is_documented() {
    let help = |of: &[&str]| Place::new().gabion(of).out;
    all_documented(&help(&["check", "--help"]), &documented_options(CHECK));
    let for_tests = [documented_options(CHECK), documented_options(CARGO)].concat();
    all_documented(&help(&["cargo", "test", "--help"]), &for_tests);
}

fn all_documented(help: &str, documented: &[String]) {
    // Descriptions are indented further; one of their lines may begin with an option too.
    let is_option = |line: &&str| line.trim_start().starts_with('-') && line.len() - line.trim_start().len() <= 6;
    for line in help.lines().filter(is_option).map(str::trim_start) {
        let option = line.split([' ', ',', '=']).find(|word| word.starts_with("--")).expect("a long option");
        assert!(option == "--help" || documented.iter().any(|d| d == option), "{option} is not in docs/cli.md");
    }
}

#[test]
fn wrong_usage_is_status_2() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    for args in [
        &["check", "--no-such-option", "a.c"][..],
        &["check", "--jobs", "0", "a.c"],
        &["check"],
        &["frobnicate"],
        &[],
        &["check", "--preempt", "lok", "a.c"],
        &["check", "--budget", "soon", "a.c"],
        &["check", "--max-runs", "0", "a.c"],
        &["check", "--mode", "deep", "a.c"],
        &["check", "--mode", "deepen", "--preempt", "sync", "a.c"],
        &["check", "--budget-runs", "0", "a.c"],
        &["check", "--env", "X", "a.c"],
        &["check", "--reduction", "some", "a.c"],
        &["check", "--reduction", "optimal", "--bound", "1", "a.c"],
        &["check", "--reduction", "optimal", "--icb", "a.c"],
        &["check", "--icb", "--bound", "1", "a.c"],
        &["check", "--quiet", "-v", "a.c"],
        &["replay"],
    ] {
        let ran = place.gabion(args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{args:?}: {}", ran.err);
        assert!(!ran.err.is_empty());
    }
    let json = place.gabion(&["check", "--json", "-", "--no-such-option", "a.c"]);
    assert_eq!(json.status, 2);
    assert!(object(&json.out)["error"].as_str().is_some_and(|e| e.contains("--no-such-option")));
}

#[test]
fn programs_that_cannot_be_checked() {
    let place = Place::new();
    check_error(&place, "missing.c", &["no such file", "missing.c"]);
    check_error(&place, ".", &["is a directory"]);
    place.write("notes.txt", "hello\n").write("empty", "").write("lib.rs", "fn main() { let _: u32 = \"text\"; }\n");
    check_error(&place, "notes.txt", &["notes.txt", "nor an ELF executable"]);
    check_error(&place, "empty", &["nor an ELF executable"]);
    check_error(&place, "lib.rs", &["does not compile"]);
    check_error(&place, "/dev/null", &["not a regular file"]);
    place.write("broken.c", "int main(void) { return nothing; }\n");
    check_error(&place, "broken.c", &["broken.c", "does not compile", "--cflags"]);
}

#[test]
fn executables_that_cannot_be_checked() {
    let place = Place::new();
    let mut header = [0u8; 64];
    header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    header[16] = 2; // ET_EXEC
    header[18] = 183; // AArch64
    place.write("arm", header);
    check_error(&place, "arm", &["arm", "x86-64"]);
    place.write("cut", b"\x7fELF\x02\x01");
    check_error(&place, "cut", &["cut"]);
    header[18] = 62;
    place.write("hollow", header);
    check_error(&place, "hollow", &["hollow"]);
}

#[test]
fn options_that_name_what_is_not_there() {
    let place = Place::new();
    place.write("a.c", "int main(void) { return 0; }\n");
    for (args, word) in [(["--compiler", "no-such-compiler"], "no-such-compiler"), (["--cflags", "\"-O2"], "quote")] {
        let ran = place.gabion(&["check", args[0], args[1], "a.c"]);
        assert_eq!(ran.status, 2, "{}", ran.err);
        assert!(ran.err.contains(word), "{}", ran.err);
    }
}

#[test]
fn compilers_get_their_own_options() {
    let place = Place::new();
    let version = place.gabion(&["cc", "--version"]);
    assert_eq!(version.status, 0, "{}", version.err);
    assert!(!version.out.starts_with("gabion"), "{}", version.out);
    let missing = place.gabion(&["cc", "-c", "missing.c"]);
    assert_ne!(missing.status, 0);
    assert!(missing.err.contains("missing.c"));
}

// From here on programs run.

#[test]
fn a_bug_is_found_shown_and_replayed() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let ran = place.gabion(&["check", "racy.c"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    for word in ["assertion", "racy.c:17", "T1 worker", "T2 worker", "counter is 1", "gabion replay racy.trace", "bug"]
    {
        assert!(ran.out.contains(word), "{word:?}: {}", ran.out);
    }
    let show = place.gabion(&["show", "racy.trace"]);
    assert_eq!(show.status, 0);
    assert!(ran.out.starts_with(&show.out), "show prints what check printed: {}", show.out);
    let replay = place.gabion(&["replay", "racy.trace", "--times", "1000"]);
    assert_eq!(replay.status, 1, "{}{}", replay.out, replay.err);
    assert!(replay.out.contains("1,000 times out of 1,000"), "{}", replay.out);

    place.write("racy.c", locked());
    let fixed = place.gabion(&["replay", "racy.trace"]);
    assert!([0, 2].contains(&fixed.status), "the bug is gone or the recording no longer fits: {}", fixed.out);
    assert!(fixed.err.contains("not what it was"), "{}", fixed.err);
}

#[test]
fn json_of_a_bug_and_of_a_good_program() {
    let place = Place::new();
    place.write("racy.c", RACY).write("locked.c", locked());
    let ran = place.gabion(&["check", "--json", "-", "--trace", "x.trace", "racy.c"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let report = object(&ran.out);
    assert_eq!(report["verdict"], "bug");
    let bug = &report["bugs"][0];
    assert_eq!((&bug["kind"], &bug["location"]), (&"assertion".into(), &"racy.c:17".into()), "{bug}");
    assert_eq!(bug["trace"], "x.trace");
    assert!(place.path("x.trace").exists());

    let good = place.gabion(&["check", "--quiet", "--json", "good.json", "locked.c"]);
    assert_eq!(good.status, 0, "{}{}", good.out, good.err);
    let report = object(&std::fs::read_to_string(place.path("good.json")).expect("the file"));
    assert!(["verified", "complete"].contains(&report["verdict"].as_str().expect("a word")), "{report}");
    assert!(report["runs"].as_u64().is_some_and(|runs| runs > 1));
    assert_eq!(report["state_spaces"][0]["status"], "complete");
    assert!(!place.path("locked.trace").exists());

    let fewer = place.gabion(&["check", "--preempt", "sync", "--json", "-", "locked.c"]);
    let fewer = object(&fewer.out);
    assert_eq!(fewer["verdict"], "complete", "{fewer}");
    assert_eq!(fewer["scope"]["caveats"][0]["kind"], "fewer-points");
}

#[test]
fn limits_are_status_3() {
    let place = Place::new();
    place.write("locked.c", locked());
    for limit in [["--max-runs", "1"], ["--max-steps", "3"], ["--budget", "0s"]] {
        let ran = place.gabion(&["check", "--mode", "single", limit[0], limit[1], "--json", "-", "locked.c"]);
        assert_eq!(ran.status, 3, "{limit:?}: {}{}", ran.out, ran.err);
        assert_eq!(object(&ran.out)["verdict"], "partial");
    }
}

#[test]
fn a_limit_counts_every_run() {
    let place = Place::new();
    place.write("locked.c", locked());
    for most in ["1", "2", "3"] {
        let ran = place.gabion(&["check", "--mode", "single", "--max-runs", most, "--json", "-", "locked.c"]);
        assert_eq!(object(&ran.out)["runs"].to_string(), most, "{}{}", ran.out, ran.err);
    }
}

#[test]
fn what_cannot_be_written_is_told_with_a_way_out() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let ran = place.gabion(&["check", "--trace", "/proc/nope", "--json", "/proc/no.json", "racy.c"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(ran.err.contains("can be written with --trace") && ran.err.contains("with --json"), "{}", ran.err);
    let ran = place.gabion(&["check", "--resume", "/proc/nope", "racy.c"]);
    assert_eq!(ran.status, 2, "{}{}", ran.out, ran.err);
    assert!((ran.out + &ran.err).contains("name a directory that can be written with --resume"));
}

#[test]
fn keep_going_numbers_its_traces() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let ran = place.gabion(&["check", "--keep-going", "racy.c"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(place.path("racy-1.trace").exists() && !place.path("racy.trace").exists());
}

#[test]
fn an_interrupt_reports_what_was_covered() {
    let place = Place::new();
    place.write(
        "long.c",
        locked().replace("    int seen", "    for (int i = 0; i < 1500; i++) counter += 0;\n    int seen"),
    );
    // Whoever starts the tests in the background may have them ignore interrupts, and gabion leaves ignored signals ignored.
    let mut child = Command::new("env")
        .args(["--default-signal=INT", env!("CARGO_BIN_EXE_gabion")])
        .args(["check", "--mode", "single", "--reduction", "none", "--json", "-", "--budget", "none"])
        .args(["--resume", "kept", "--keep-every", "0s", "long.c"])
        .current_dir(place.0.path())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("gabion starts");
    // What is kept is first written once runs have been made.
    while !place.path("kept/campaign.json").exists() {
        assert!(child.try_wait().expect("its state is known").is_none(), "it ended before it kept anything");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    assert!(killed.success(), "the search was over before the interrupt");
    let ran = ran(child.wait_with_output().expect("gabion ends"));
    assert_eq!(ran.status, 3, "{}{}", ran.out, ran.err);
    let report = object(&ran.out);
    assert_eq!(report["verdict"], "partial");
    assert!(ran.err.contains("interrupted"), "{}", ran.err);
}

/// The executable alone is all there is: copied elsewhere, with a home of its own and no variables but the path.
#[test]
fn the_executable_works_from_anywhere() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let copy = place.path("gabion");
    // Not by this process: a child of another test could have the file open for writing, and then nobody can run it.
    let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_gabion")).arg(&copy).status().expect("cp");
    assert!(copied.success());
    let output = Command::new(&copy)
        .args(["check", "racy.c"])
        .current_dir(place.path("."))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", place.path("home"))
        .output()
        .expect("the copy starts");
    let ran = ran(output);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
}

/// Places are told as they are found from the current directory: `PWD` is another name of it, or nothing.
#[test]
fn pwd_that_names_another_directory_is_not_believed() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let inside = place.path("inside");
    std::fs::create_dir(&inside).expect("a new directory");
    let elsewhere = Place::new();
    let other = elsewhere.path("other_name");
    std::os::unix::fs::symlink(place.0.path(), &other).expect("a link");
    let location = |from: &Path, pwd: &Path, program: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gabion"))
            .args(["check", "--json", "-", program])
            .current_dir(from)
            .env("PWD", pwd)
            .output()
            .expect("gabion starts");
        object(&ran(output).out)["bugs"][0]["location"].as_str().expect("a place").to_string()
    };
    let from_inside = location(&inside, place.0.path(), "../racy.c");
    assert!(from_inside.ends_with("/racy.c:17"), "{from_inside}");
    assert_eq!(location(place.0.path(), &other, &other.join("racy.c").display().to_string()), "racy.c:17");
}

#[test]
fn only_the_json_goes_to_standard_output() {
    let place = Place::new();
    place.write("racy.c", RACY);
    for option in ["--html", "--junit", "--sarif", "--trace"] {
        let ran = place.gabion(&["check", "racy.c", option, "-"]);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{option}: {}", ran.err);
        assert!(ran.err.contains("only --json - prints to standard output"), "{option}: {}", ran.err);
    }
    assert!(!place.path("-").exists());
}
