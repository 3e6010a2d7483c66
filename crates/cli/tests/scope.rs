//! Scope: what the command line and `gabion.toml` say, mistakes in both, and whole libraries.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// A directory with a program in it.
struct Place(tempfile::TempDir);

/// Two threads that count in a library, without a lock, and in the program.
const PROGRAM: &str = r"
#include <pthread.h>
#include <stdatomic.h>
void count(void);
atomic_int word;
void *work(void *unused) { count(); word++; word++; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    return 0;
}
";
const LIBRARY: &str = "static int counted;\nvoid count(void) { counted = counted + 1; }\n";

impl Place {
    fn new() -> Self {
        let place = Place(tempfile::tempdir().expect("a temporary directory"));
        place.write("program.c", PROGRAM);
        place.write("notes.c", LIBRARY);
        place
    }
    fn path(&self) -> &Path {
        self.0.path()
    }
    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path().join(name), text).expect("a file");
    }
    fn gabion(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gabion"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null()).output().expect("gabion starts")
    }
    fn check(&self, args: &[&str], program: &str) -> Value {
        let output = self.gabion(&[&["check", "--mode", "single", "--json", "-"], args, &[program]].concat());
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"))
    }
    /// Exit status 2 and one message that holds the words, in JSON too.
    fn refuses(&self, args: &[&str], program: &str, words: &[&str]) {
        let output = self.gabion(&[&["check"], args, &[program]].concat());
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{text}");
        assert_eq!(text.lines().count(), 1, "{text}");
        let json = self.check(args, program);
        for word in words {
            assert!(text.contains(word), "{word:?} is not in {text:?}");
            assert!(json["error"].as_str().is_some_and(|error| error.contains(word)), "{json}");
        }
    }
}

fn caveats(json: &Value, kind: &str) -> Vec<String> {
    let all = json["scope"]["caveats"].as_array().expect("caveats").iter();
    all.filter(|c| c["kind"] == kind).map(|c| c["where"].as_str().unwrap_or_default().to_owned()).collect()
}

/// A program of one file.
fn together(place: &Place) -> &'static str {
    place.write("one.c", &format!("{PROGRAM}{LIBRARY}"));
    "one.c"
}

#[test]
fn the_verdict_names_what_was_asked_for() {
    let place = Place::new();
    let program = together(&place);
    let whole = place.check(&[], program);
    assert_eq!(whole["verdict"], "verified");
    let narrow = place.check(&["--trust", "count", "--without", "w?rk", "--ignore-races=count"], program);
    assert_eq!(narrow["verdict"], "complete");
    assert!(whole["complete_runs"].as_u64() > narrow["complete_runs"].as_u64(), "{narrow}");
    assert_eq!(caveats(&narrow, "sealed"), ["--without w?rk"]);
    assert_eq!(caveats(&narrow, "trusted"), ["--trust count"]);
    assert_eq!(caveats(&narrow, "ignored-races"), ["--ignore-races count"]);
    // Races alone are no reason to claim less.
    let races = place.check(&["--ignore-races", "count"], program);
    assert_eq!((&races["verdict"], &races["complete_runs"]), (&whole["verdict"], &whole["complete_runs"]));
}

#[test]
fn names_that_mean_nothing_are_refused() {
    let place = Place::new();
    let program = together(&place);
    for option in ["--within", "--without", "--trust", "--ignore-races", "--test-locks"] {
        place.refuses(&[option, "cuont"], program, &[option, "cuont", "no function", "near: count"]);
    }
    place.refuses(&["--ignore-symbol", "wrd"], program, &["no variable", "near: word"]);
    place.refuses(&["--trust", "lib:lone"], program, &["no module", "near: lib:one"]);
    place.refuses(&["--within", "pthread_mutex_lock"], program, &["no function", "pthread_mutex_lock"]);
}

#[test]
fn a_whole_library() {
    let place = Place::new();
    let built = place.gabion(&["cc", "-shared", "-fPIC", "notes.c", "-o", "libnotes.so"]);
    assert!(built.status.success(), "{built:?}");
    let linked =
        place.gabion(&["cc", "-pthread", "program.c", "-L.", "-lnotes", "-Wl,-rpath,$ORIGIN", "-o", "program"]);
    assert!(linked.status.success(), "{linked:?}");
    let whole = place.check(&[], "./program");
    assert_eq!(whole["verdict"], "verified", "{whole}");
    // Left are the orders of two atomic additions by each of two threads.
    for name in ["lib:notes", "lib:libnotes", "lib:lib*.so", "count"] {
        let trusted = place.check(&["--trust", name], "./program");
        assert_eq!(
            (&trusted["verdict"], &trusted["complete_runs"]),
            (&"complete".into(), &6.into()),
            "{name}: {trusted}"
        );
    }
    place.refuses(&["--trust", "lib:nots"], "./program", &["no module", "lib:notes"]);
    // The C library is no part of the program.
    place.refuses(&["--trust", "lib:libc*"], "./program", &["no module"]);
}

#[test]
fn the_end_of_a_library() {
    const AT_END: &str =
        "#include <stdlib.h>\n__attribute__((destructor)) static void last(void) { if (counted != 2) abort(); }\n";
    const LOADS: &str = "#include <dlfcn.h>\nvoid (*found)(void);\nvoid count(void) { found(); }\n\
        __attribute__((constructor)) void load(void) { found = dlsym(dlopen(\"./libnotes.so\", RTLD_NOW), \"count\"); }\n";
    let place = Place::new();
    place.write("notes.c", &format!("{LIBRARY}{AT_END}"));
    place.write("loads.c", LOADS);
    let library = ["cc", "-shared", "-fPIC", "notes.c", "-o", "libnotes.so"];
    let linked = ["cc", "-pthread", "program.c", "-L.", "-lnotes", "-Wl,-rpath,$ORIGIN", "-o", "linked"];
    let loaded = ["cc", "-pthread", "program.c", "loads.c", "-o", "loaded"];
    // Named like one of the system's.
    let like = ["cc", "-shared", "-fPIC", "notes.c", "-o", "librt.so.1"];
    let with_like = ["cc", "-pthread", "program.c", "-L.", "-l:librt.so.1", "-Wl,-rpath,$ORIGIN", "-o", "like"];
    for build in [&library[..], &linked, &loaded, &like, &with_like] {
        let built = place.gabion(build);
        assert!(built.status.success(), "{built:?}");
    }
    for program in ["./linked", "./loaded", "./like"] {
        let json = place.check(&["--minimise-runs", "0"], program);
        assert_eq!((&json["verdict"], &json["bugs"][0]["kind"]), (&"bug".into(), &"abort".into()), "{program}: {json}");
    }
}

#[test]
fn a_file_beside_the_program() {
    let place = Place::new();
    let program = together(&place);
    place.write("gabion.toml", "trust = ['count']\n");
    let trusted = place.check(&[], program);
    assert_eq!((&trusted["verdict"], &trusted["complete_runs"]), (&"complete".into(), &6.into()), "{trusted}");
    // Found beside the program, not where gabion runs; for an executable too.
    let built = place.gabion(&["cc", "-pthread", "one.c", "-o", "one"]);
    assert!(built.status.success(), "{built:?}");
    let away = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_gabion"))
        .args(["check", "--mode", "single", "--json", "-"])
        .arg(place.path().join("one"))
        .current_dir(away.path())
        .output()
        .expect("gabion starts");
    let json: Value = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((&json["verdict"], &json["complete_runs"]), (&"complete".into(), &6.into()), "{json}");
}

#[test]
fn mistakes_in_the_file() {
    let place = Place::new();
    let program = together(&place);
    let check = |text: &str, words: &[&str]| {
        place.write("gabion.toml", text);
        place.refuses(&[], program, &[words, &["gabion.toml"]].concat());
    };
    check("trust = ['count']\nwhitin = ['f']\n", &["line 2", "whitin"]);
    check("trust = 7\n", &["line 1", "a string or a list"]);
    check("trust = [\n", &["line"]);
    check("within = 'work'\nwithout = 'count'\n", &["scope ="]);
    // A name is looked for only once the file is understood, and the message is that of the option.
    place.write("gabion.toml", "trust = ['cuont']\n");
    place.refuses(&[], program, &["--trust cuont", "near: count"]);
    std::fs::remove_file(place.path().join("gabion.toml")).expect("it was there");
    std::fs::create_dir(place.path().join("gabion.toml")).expect("a directory");
    place.refuses(&[], program, &["cannot read", "gabion.toml"]);
}
