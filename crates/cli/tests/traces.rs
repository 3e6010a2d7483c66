//! Trace files at the command line: what is refused, what is shown, and replays of programs that were built anew.

mod place;

use place::{Place, RACY, locked};

#[test]
fn traces_that_cannot_be_used() {
    let place = Place::new();
    place
        .write("other.trace", "something else\n")
        .write("new.trace", "gabion trace 999\n{}\n")
        .write("damaged.trace", "gabion trace 1\n{\"format\":1,\n")
        .write("binary.trace", [0xff, 0xfe, 0x00])
        .write("empty.trace", "");
    for command in ["show", "replay"] {
        for (file, word) in [
            ("missing.trace", "no such file"),
            (".", "is a directory"),
            ("other.trace", "not a gabion trace"),
            ("new.trace", "version 999"),
            ("damaged.trace", "damaged"),
            ("binary.trace", "not a gabion trace"),
            ("empty.trace", "not a gabion trace"),
        ] {
            let ran = place.gabion(&[command, file]);
            assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{command} {file}: {}", ran.err);
            assert!(ran.err.starts_with("gabion: ") && ran.err.contains(word), "{command} {file}: {}", ran.err);
            assert_eq!(ran.err.lines().count(), 1);
        }
    }
}

#[test]
fn a_trace_needs_neither_program_nor_sources_to_be_shown() {
    let place = Place::new();
    place.write("racy.c", RACY);
    let ran = place.gabion(&["check", "racy.c"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    std::fs::remove_file(place.path("racy.c")).expect("it is there");
    let show = place.gabion(&["show", "racy.trace"]);
    assert!(ran.out.starts_with(&show.out), "show prints what check printed: {}", show.out);
    for words in ["How it came about", "belong together", "is essential", "It passes if", "counter = seen + 1"] {
        assert!(show.out.contains(words), "{words:?}: {}", show.out);
    }
}

#[test]
fn a_trace_that_was_changed_or_cut_is_refused() {
    let place = Place::new();
    place.write("racy.c", RACY);
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    let whole = std::fs::read(place.path("racy.trace")).expect("a trace");
    // Every position is tried where the file is read; here a few, to the end of the program.
    for at in (0..whole.len()).step_by(whole.len() / 6 + 1) {
        let mut changed = whole.clone();
        changed[at] ^= 0x11;
        place.write("changed.trace", &changed).write("cut.trace", &whole[..at]);
        for (command, file) in [("show", "changed.trace"), ("replay", "changed.trace"), ("show", "cut.trace")] {
            let ran = place.gabion(&[command, file]);
            assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{command} {file}, byte {at}: {}", ran.err);
        }
    }
}

/// Version 1 has no checksum: what was changed is shown as if it were whole, and that is said.
#[test]
fn a_trace_without_a_checksum_is_shown_with_a_note() {
    const OLD: &str = include_str!("../../trace/tests/version1.trace");
    let place = Place::new();
    place.write("old.trace", OLD).write("changed.trace", OLD.replace("\"thread\":1", "\"thread\":0"));
    for file in ["old.trace", "changed.trace"] {
        let ran = place.gabion(&["show", file]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert!(ran.out.starts_with("assertion: "), "{}", ran.out);
        let note =
            format!("gabion: {file} is of version 1, which has no checksum: if it was damaged, that is not noticed\n");
        assert_eq!(ran.err, note);
        // The program that it is for is not here.
        let ran = place.gabion(&["replay", file]);
        assert_eq!((ran.status, ran.err.starts_with(&note)), (2, true), "{}", ran.err);
    }
    place.write("racy.c", RACY);
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    assert_eq!(place.gabion(&["show", "racy.trace"]).err, "");
}

#[test]
fn a_trace_of_a_program_that_was_built_anew() {
    let place = Place::new();
    place.write("racy.c", RACY);
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    let check = |text: String, status: i32, words: &[&str]| {
        place.write("racy.c", text);
        let ran = place.gabion(&["replay", "racy.trace"]);
        assert_eq!(ran.status, status, "{}{}", ran.out, ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        words.iter().for_each(|word| assert!(said.contains(word), "{word:?}: {said}"));
    };
    // Everything moves, nothing changes.
    let moved = "static char before[4096];\nchar *use(void) { return before; }\nstatic int counter;";
    check(RACY.replace("static int counter;", moved), 1, &["The bug shows again, in a changed program"]);
    // Another assertion fails: what is told is what happened.
    let other = RACY.replace("assert(counter == 2)", "assert(counter > 1)");
    check(
        other,
        1,
        &["The bug shows again, in a changed program: assertion: racy.c:17: main: Assertion `counter > 1' failed."],
    );
    let fixed =
        RACY.replace("counter = seen + 1;", "counter = 2;").replace("int seen = counter;", "int seen = counter + 1;");
    check(fixed, 0, &["The bug does not show"]);
    check(
        locked(),
        2,
        &[
            "no longer fits the changed program after step",
            "was to read counter at racy.c:6, and now it ",
            "lock m at racy.c:7",
            "As near to it as possible, the bug does not show: it ends well",
        ],
    );
    // The same ending, but not on the recorded way.
    let early = RACY.replace("int main(void) {", "int main(void) {\n    assert(0 && \"configuration missing\");");
    check(early, 2, &["no longer fits the changed program", "it fails in another way: assertion"]);
    let alone =
        "#include <assert.h>\nint counter;\nvoid *worker(void *p) { return p; }\nint main(void) { return counter; }\n";
    check(alone.to_string(), 2, &["no longer fits the changed program", "the bug does not show: it ends well"]);
    let other = "#include <pthread.h>\nstatic void *other(void *p) { return p; }\nint main(void) {\n    pthread_t t;\n    \
                 pthread_create(&t, 0, other, 0);\n    return pthread_join(t, 0);\n}\n";
    check(other.to_string(), 2, &["another program", "no function"]);
}

#[test]
fn where_the_source_lies_is_no_change() {
    let place = Place::new();
    std::fs::create_dir(place.path("below")).expect("a directory");
    place.write("racy.c", RACY);
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    place.write("below/racy.c", RACY);
    std::fs::remove_file(place.path("racy.c")).expect("it is there");
    std::fs::rename(place.path("racy.trace"), place.path("below/racy.trace")).expect("it is there");
    let ran = place.gabion(&["replay", "below/racy.trace"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""), "{}", ran.out);
    assert!(ran.out.contains("The bug shows again: assertion"), "{}", ran.out);
    place.write("below/racy.c", RACY.replace("counter == 2", "counter > 1"));
    let ran = place.gabion(&["replay", "below/racy.trace"]);
    assert!(ran.err.contains("not what it was"), "a real change is seen: {}", ran.err);
}

#[test]
fn a_trace_that_was_moved_names_the_sources_beside_it() {
    let (place, other) = (Place::new(), Place::new());
    place.write("racy.c", RACY);
    assert_eq!(place.gabion(&["check", "-q", "racy.c"]).status, 1);
    let trace = std::fs::read(place.path("racy.trace")).expect("a trace");
    other.write("racy.trace", &trace).write("racy.c", RACY);
    std::fs::remove_dir_all(place.0.path()).expect("it is there");
    let moved = other.gabion(&["replay", "racy.trace"]);
    assert_eq!(moved.status, 1, "{}{}", moved.out, moved.err);
    assert!(moved.out.contains("The bug shows again: assertion: racy.c:"), "{}", moved.out);
    // What no longer fits is named likewise.
    other.write("racy.c", locked());
    let changed = other.gabion(&["replay", "racy.trace"]);
    // The directory in which the program ran is gone, and that is said.
    let (gone, rest): (Vec<&str>, Vec<&str>) =
        changed.err.lines().partition(|line| line.contains("is no directory here"));
    assert_eq!(gone.len(), 1, "{}", changed.err);
    let said = format!("{}{}", changed.out, rest.join("\n"));
    assert!(said.contains("racy.c:"), "{said}");
    for directory in [&place, &other].map(|place| place.0.path().display().to_string()) {
        assert!(!said.contains(&directory) && !moved.out.contains(&directory), "{directory}: {said}{}", moved.out);
    }
}

#[test]
fn what_a_program_reads_is_found_again_from_elsewhere() {
    let place = Place::new();
    let program = RACY.replace("    pthread_t a, b;", "    if (getchar() != '7') return 0;\n    pthread_t a, b;");
    place.write("reads.c", program).write("seven", "7");
    let ran = place.gabion(&["check", "reads.c", "--stdin", "seven"]);
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    let elsewhere = Place::new();
    let trace = place.path("reads.trace");
    std::fs::copy(place.path("reads.c"), elsewhere.path("reads.c")).expect("it is copied");
    let replay = || elsewhere.gabion(&["replay", trace.to_str().expect("a name")]);
    let ran = replay();
    assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
    assert!(!ran.err.contains("seven"), "{}", ran.err);
    place.write("seven", "8");
    let ran = replay();
    assert!(ran.err.contains("seven, the program's standard input, is not what it was"), "{}", ran.err);
    let left = "no longer fits the program with this input from the first step on: at step 1 T0 (main) was to start, and now \
                the program ends before that";
    assert!(ran.status == 2 && ran.out.contains(left), "{}{}", ran.out, ran.err);
    assert!(ran.out.contains("As near to it as possible, the bug does not show: it ends well"), "{}", ran.out);
    std::fs::remove_file(place.path("seven")).expect("it is there");
    let ran = replay();
    assert_eq!((ran.status, ran.err.lines().count()), (2, 1), "{}", ran.err);
    assert!(ran.err.contains("recorded standard input is missing") && ran.err.contains("seven"), "{}", ran.err);
}

/// Its failure is told without a line of the program's own words.
const FREED: &str = r#"#include <pthread.h>
#include <stdlib.h>
static int *shared;
static void *worker(void *arg) {
    free(shared);
    return arg;
}
int main(void) {
    shared = malloc(sizeof *shared);
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    *shared = 1;
    return pthread_join(t, 0);
}
"#;

#[test]
fn a_program_of_which_only_lines_or_names_have_changed_is_told_as_it_is_now() {
    let place = Place::new();
    place.write("freed.c", FREED);
    assert_eq!(place.gabion(&["check", "-q", "freed.c"]).status, 1);
    let check = |text: String, noted: bool, words: &[&str]| {
        place.write("freed.c", text);
        let ran = place.gabion(&["replay", "freed.trace"]);
        assert_eq!(ran.status, 1, "{}{}", ran.out, ran.err);
        assert_eq!(ran.err.contains("freed.c was built anew since it was recorded"), noted, "{}", ran.err);
        words.iter().for_each(|word| assert!(ran.out.contains(word), "{word:?}: {}", ran.out));
    };
    let shown =
        ["The bug shows again: use-after-free", " at freed.c:12;", "main) at freed.c:9;", "worker) at freed.c:5"];
    check(FREED.to_string(), false, &shown);
    let moved =
        ["The bug shows again: use-after-free", " at freed.c:15;", "main) at freed.c:12;", "worker) at freed.c:8"];
    check(format!("// One.\n// Two.\n// Three.\n{FREED}"), true, &moved);
    check(FREED.replace("worker", "reaper"), true, &["T1 (reaper) at freed.c:5"]);
}

#[test]
fn a_race_of_which_only_the_lines_have_changed_is_told_as_it_is_now() {
    let place = Place::new();
    let racing = FREED.replace("    free(shared);", "    *shared = 2;");
    place.write("racing.c", &racing);
    assert_eq!(place.gabion(&["check", "-q", "--races", "deny", "racing.c"]).status, 1);
    let check = |text: String, noted: bool, line: &str| {
        place.write("racing.c", text);
        let ran = place.gabion(&["replay", "racing.trace"]);
        assert_eq!((ran.status, ran.err.contains("was built anew")), (1, noted), "{}{}", ran.out, ran.err);
        assert!(ran.out.contains("The bug shows again: race: nothing orders") && ran.out.contains(line), "{}", ran.out);
    };
    check(racing.clone(), false, "main) at racing.c:12");
    check(format!("// One.\n{racing}"), true, "main) at racing.c:13");
    check(racing.replace("worker", "writer"), true, "(writer) at racing.c:5");
}
