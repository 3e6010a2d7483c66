//! A recorded interleaving under gdb, by script.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, Output, call};
use std::path::Path;

/// Each thread has a variable of its own in the same place, and a `thread_local`.
const PROGRAM: &str = r#"#include <assert.h>
#include <pthread.h>
static int counter;
static __thread int mine;
static void *worker(void *arg) {
    int local = *(int *)arg;
    mine = 100 + local;
    int seen = counter;
    counter = seen + local;
    return arg;
}
int main(void) {
    int one = 1, two = 2;
    pthread_t a, b;
    pthread_create(&a, 0, worker, &one);
    pthread_create(&b, 0, worker, &two);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 3);
    return 0;
}
"#;

const CRASH: &str = r#"#include <pthread.h>
static int *volatile p;
static void *worker(void *arg) {
    p = 0;
    return arg;
}
int main(void) {
    int here = 7;
    p = &here;
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    if (p)
        *p = 5;
    pthread_join(t, 0);
    return 0;
}
"#;

fn words(args: &[&str]) -> Vec<String> {
    args.iter().map(|a| a.to_string()).collect()
}

/// Finds the program's bug, with locals that stay where they are.
fn recorded(directory: &Path, text: &str) {
    recorded_as(directory, "p.c", text);
}

fn recorded_as(directory: &Path, name: &str, text: &str) {
    std::fs::write(directory.join(name), text).expect("the program is written");
    let check = words(&["check", name, "--cflags", "-O0 -g", "--trace", "p.trace"]);
    let output = call(directory, &check, LIMIT).expect("check ends");
    assert_eq!(output.code(), Ok(1), "{}", output.tail());
}

fn debug(directory: &Path, commands: &[&str]) -> Output {
    let mut args = words(&["replay", "p.trace", "--gdb", "--", "-nx", "-batch"]);
    commands.iter().for_each(|command| args.extend(words(&["-ex", command])));
    call(directory, &args, LIMIT).expect("gdb ends")
}

/// What gdb printed for `print` commands, without what differs between processes.
fn values(output: &Output) -> Vec<&str> {
    output.stdout.lines().filter(|line| line.starts_with('$')).collect()
}

#[test]
fn threads_are_seen_where_they_stand_and_values_are_the_same_twice() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    let commands = [
        "print counter",
        "break 9",
        "gabion to-failure", // as far as the breakpoint
        "print local",
        "print mine",
        "gabion next-switch",
        "gabion threads",
        "gabion thread 1 print local",
        "gabion thread 2 print local",
        "delete",
        "gabion to-failure",
        "print counter",
        "backtrace",
    ];
    let first = debug(directory.path(), &commands);
    let text = &first.stdout;
    assert_eq!(first.code(), Ok(0), "{}", first.tail());
    assert!(text.contains("Temporary breakpoint 1, main ()"), "it stops at the start:\n{text}");
    let said = values(&first);
    assert_eq!(said.len(), 6, "{text}");
    assert_eq!(said[0], "$1 = 0");
    // Whoever of the two came to line 9 first: what it has is its own.
    let own = said[1].ends_with("= 1") as u32;
    assert_eq!(said[2], format!("$3 = {}", 102 - own), "{text}");
    // It went on over others without stopping there: they count.
    let switch = text.lines().find_map(|line| line.strip_prefix("Switch ")).expect("a switch");
    let number: usize = switch.split(':').next().and_then(|n| n.parse().ok()).expect("its number");
    let every = debug(directory.path(), &["gabion next-switch"; 9]);
    let same = |line: &&str| line.starts_with(&format!("Switch {number}: from T"));
    assert!(number > 1 && every.stdout.lines().any(|line| same(&line)), "{text}{}", every.stdout);
    assert_eq!(every.stdout.lines().find(same), text.lines().find(same), "{text}{}", every.stdout);
    assert_eq!(&said[3..5], ["$4 = 1", "$5 = 2"], "{text}");
    assert!(text.contains("T0 main: p.c:") && text.contains("T1 worker: p.c:"), "{text}");
    assert!(text.contains("The run ends here: assertion:"), "{text}");
    assert_ne!(said[5], "$6 = 3", "an update is lost");
    assert!(text.contains("in main () at p.c:19"), "{text}");
    assert!(!text.contains("gabion_rt"), "the runtime stays out of sight:\n{text}");
    let second = debug(directory.path(), &commands);
    assert_eq!(values(&second), said);
}

#[test]
fn a_count_that_is_none_is_told_in_a_line() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    for wrong in ["abc", "0", "-1", "1.5"] {
        let output = debug(directory.path(), &[&format!("gabion next-switch {wrong}")]);
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(said.contains(&format!("takes a number of switches, 1 or more, not '{wrong}'")), "{said}");
        assert!(!said.contains("Python") && !said.contains("Traceback") && !said.contains("Switch 1"), "{said}");
    }
}

#[test]
fn nothing_comes_after_the_failure() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    let output =
        debug(directory.path(), &["gabion to-failure", "gabion to-failure", "gabion next-switch", "print counter"]);
    assert_eq!(output.stdout.matches("The run ends here: assertion").count(), 3, "{}", output.tail());
    let values = values(&output);
    assert!(values == ["$1 = 1"] || values == ["$1 = 2"], "{values:?}");
}

#[test]
fn stepping_does_not_change_the_interleaving() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    let mut commands = vec!["tbreak worker", "continue"];
    commands.extend(["next"; 5]);
    commands.extend(["gabion to-failure", "print counter"]);
    let stepped = debug(directory.path(), &commands);
    let straight = debug(directory.path(), &["gabion to-failure", "print counter"]);
    assert!(stepped.stdout.contains("The run ends here: assertion:"), "{}", stepped.stdout);
    assert_eq!(values(&stepped), values(&straight), "{}", stepped.stdout);
}

#[test]
fn a_crash_is_seen_where_it_happens_and_the_program_can_be_started_again() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), CRASH);
    let again = ["gabion to-failure", "print here", "print p", "start", "gabion to-failure", "print here", "continue"];
    let output = debug(directory.path(), &again);
    let text = &output.stdout;
    assert_eq!(text.matches("The run ends here: segfault:").count(), 2, "{text}");
    assert_eq!(text.matches("in main () at p.c:13").count(), 2, "{text}");
    assert_eq!(values(&output), ["$1 = 7", "$2 = (int * volatile) 0x0", "$3 = 7"], "{text}");
    assert!(text.contains("exited normally"), "{text}");
}

#[test]
fn without_gdb_it_says_what_to_do() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("p.c"), CRASH).expect("the program is written");
    // An executable needs no compiler, so that nothing but gdb is missing.
    for args in [&["cc", "-g", "-pthread", "p.c", "-o", "p"][..], &["check", "./p", "--trace", "p.trace"]] {
        let output = call(directory.path(), &words(args), LIMIT).expect("it ends");
        assert_eq!(output.code(), Ok(i32::from(args[0] == "check")), "{}", output.tail());
    }
    let output = std::process::Command::new(gabion_tests::run::gabion())
        .args(["replay", "p.trace", "--gdb"])
        .env("PATH", directory.path())
        .current_dir(directory.path())
        .output()
        .expect("gabion starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.lines().count() == 1 && said.contains("apt install gdb"), "{said}");
}

/// What a thread does at a switch is still to come there, also if it is the runtime that does it.
#[test]
fn a_switch_stops_before_an_atomic_operation() {
    const PROGRAM: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\nstatic atomic_long n;\n\
        static void *add(void *u) {\n    long seen = atomic_load(&n);\n    atomic_store(&n, seen + (long)u);\n    return u;\n}\n\
        int main(void) {\n    pthread_t a, b;\n    pthread_create(&a, 0, add, (void *)1);\n    \
        pthread_create(&b, 0, add, (void *)2);\n    pthread_join(a, 0);\n    pthread_join(b, 0);\n    assert(n == 3);\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    // To the thread that has read, was stopped, and is about to write over what the other wrote.
    let commands = ["gabion next-switch 3", "print n", "print seen", "next", "print n", "gabion thread 0"];
    let output = debug(directory.path(), &commands);
    let text = &output.stdout;
    let at = text.split("Switch 3:").nth(1).expect("there are three switches");
    assert!(at.contains("atomic_store(&n, seen + (long)u);"), "{text}");
    let said = values(&output);
    assert_eq!(said[1], "$2 = 0", "{text}");
    let (before, after) = (said[0].rsplit(' ').next(), said[2].rsplit(' ').next());
    assert!(matches!((before, after), (Some("1"), Some("2")) | (Some("2"), Some("1"))), "{text}");
    assert!(text.contains("thread_local variables are those of T"), "{text}");
    let stepped = debug(directory.path(), &["gabion next-switch 3", "next", "next", "gabion to-failure", "print n"]);
    assert!(stepped.stdout.contains("The run ends here: assertion:"), "{}", stepped.stdout);
    assert_eq!(values(&stepped)[0].rsplit(' ').next(), after, "{}", stepped.stdout);
}

/// A function of the C++ library does it, whose header is there as well.
#[test]
fn a_switch_inside_a_library_is_seen_at_the_programs_line() {
    const PROGRAM: &str = "#include <atomic>\n#include <cassert>\n#include <thread>\nstatic std::atomic<long> n;\n\
        static void add(long by) {\n    long seen = n.load();\n    n.store(seen + by);\n}\n\
        int main() {\n    std::thread a(add, 1), b(add, 2);\n    a.join();\n    b.join();\n    assert(n == 3);\n}\n";
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded_as(directory.path(), "p.cpp", PROGRAM);
    let output = debug(directory.path(), &["gabion next-switch 3", "print seen", "gabion threads"]);
    let at = output.stdout.split("Switch 3:").nth(1).expect("there are three switches");
    assert!(at.contains("n.store(seen + by);") && values(&output) == ["$1 = 0"], "{}", output.stdout);
    assert!(!at.contains("atomic_base.h") && !at.contains("std_thread.h"), "{}", output.stdout);
}

/// What was recorded is not said of another program as if it had just happened.
#[test]
fn a_changed_program_is_told_apart_from_the_recorded_one() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    recorded(directory.path(), PROGRAM);
    let same = debug(directory.path(), &["gabion to-failure"]);
    assert!(same.stdout.contains("The run ends here: assertion: "), "{}", same.tail());
    let changed = PROGRAM.replace("assert(counter == 3)", "assert(counter == 3 && one == 1)");
    std::fs::write(directory.path().join("p.c"), changed).expect("the program is written");
    let other = debug(directory.path(), &["gabion to-failure"]);
    let told = other.stdout.lines().find(|line| line.starts_with("The run ends here")).unwrap_or_default();
    assert!(told.contains("of a program that has changed since; recorded was: assertion: "), "{}", other.tail());
}

#[test]
fn what_is_said_has_the_lines_that_gdb_shows() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let freed = CRASH.replace("    p = 0;", "    free((void *)p);").replace("p = &here;", "p = malloc(sizeof *p);");
    let freed = freed.replace("#include <pthread.h>", "#include <pthread.h>\n#include <stdlib.h>");
    recorded(directory.path(), &freed);
    std::fs::write(directory.path().join("p.c"), format!("// One.\n// Two.\n{freed}")).expect("it is written");
    let output = debug(directory.path(), &["gabion to-failure"]);
    assert!(output.stdout.contains("freed by T1 (worker) at p.c:7"), "{}", output.tail());
    assert!(output.stderr.contains("p.c was built anew since it was recorded"), "{}", output.tail());
}
