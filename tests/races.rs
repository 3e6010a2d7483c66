//! What the report says of data races, field by field, and what a replay makes of one in a program that was changed.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, Output, call};
use serde_json::{Value, json};
use std::path::Path;

/// One thread reads through a function what the other writes; the block is older than both.
const LENT: &str = "\
#include <pthread.h>
#include <stdlib.h>
static int get(int *p) { return p[2]; }
static void *work(void *p) {
    return (void *)(long)get(p);
}
int main(void) {
    int *p = calloc(4, sizeof *p);
    pthread_t t;
    pthread_create(&t, NULL, work, p);
    p[2] = 1;
    pthread_join(t, NULL);
    free(p);
    return 0;
}
";

/// Locks keep the threads apart; the block is freed and its memory handed out again.
const HANDED_OUT_AGAIN: &str = "\
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *block, done;
static void *work(void *arg) {
    pthread_mutex_lock(&m);
    *block = 1;
    done = 1;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void) {
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&m);
    int over = done;
    pthread_mutex_unlock(&m);
    if (over) {
        free(block);
        int *other = malloc(sizeof *other);
        *other = 2;
    }
    pthread_join(t, NULL);
    return 0;
}
";

fn run(directory: &Path, args: &[&str]) -> Output {
    let args: Vec<String> = args.iter().map(|arg| (*arg).to_string()).collect();
    call(directory, &args, LIMIT).expect("gabion ends")
}

/// The races of a program.
fn races(source: &str, args: &[&str]) -> Vec<Value> {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("a.c"), source).expect("a file");
    let output = run(directory.path(), &[&["check", "a.c", "--json", "-"], args].concat());
    output.json().expect("a report")["races"].as_array().expect("a list").clone()
}

#[test]
fn every_field_of_a_benign_race() {
    let expected = json!({
        "first": "a.c:11", "second": "a.c:3", "order": "both", "status": "benign", "first_run": true,
        "object": "byte 8 of a block of 16 bytes allocated by T0 at a.c:8",
        "accesses": ["write by T0 (main) at a.c:11", "read by T1 (work) at a.c:3"],
        "stacks": [["a.c:11 in main"], ["a.c:3 in get", "a.c:5 in work"]], "would_order": null, "takes_part": false,
    });
    assert_eq!(races(LENT, &[]), [expected]);
}

#[test]
fn a_race_is_untested_where_not_all_was_run_and_buggy_where_it_fails() {
    let check = |source: &str, args: &[&str], wanted: &str| {
        let found = races(source, args);
        assert!(!found.is_empty() && found.iter().all(|race| race["status"] == wanted), "{wanted}: {found:?}");
    };
    check(LENT, &["--preempt", "sync"], "untested");
    check(LENT, &["--races", "deny"], "buggy");
    check(&LENT.replace("    p[2] = 1;", "    p[2] = 1;\n    if (p[1]) abort();"), &[], "benign");
    let fails = "return (void *)(long)(get(p) ? abort(), 1 : 0)";
    check(&LENT.replace("return (void *)(long)get(p)", fails), &[], "buggy");
}

#[test]
fn a_race_takes_part_in_a_failure_that_is_explained_by_it() {
    const TWO: &str = "\
#include <assert.h>
#include <pthread.h>
static int asked, count;
static void *work(void *arg) {
    asked++;
    count++;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    assert(count == 2);
}
";
    let found = races(TWO, &[]);
    let of = |object: &str, takes_part: bool| {
        let of = found.iter().filter(|race| race["object"] == object && race["status"] == "buggy");
        of.filter(|race| race["takes_part"] == takes_part).count()
    };
    assert!(of("asked", false) > 0 && of("count", true) > 0, "{found:?}");
    assert_eq!(of("asked", true), 0, "{found:?}");
}

#[test]
fn memory_that_was_handed_out_again() {
    let found = races(HANDED_OUT_AGAIN, &["--recycle", "--hb", "limited"]);
    let told: Vec<Value> =
        found.iter().map(|r| json!([r["second"], r["order"], r["status"], r["first_run"]])).collect();
    // The free itself can only come after the access; what comes after it is about another block.
    assert_eq!(told, [json!(["a.c:20", "single", "false", false]), json!(["a.c:22", "single", "realloc", false])]);
}

#[test]
fn a_race_is_replayed_in_a_changed_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let write = |text: &str| std::fs::write(at.join("a.c"), text).expect("a file");
    write(LENT);
    let found = run(at, &["check", "a.c", "--races", "deny", "--trace", "a.trace"]);
    assert_eq!(found.code(), Ok(1), "{}", found.tail());
    let check = |text: &str, words: &str| {
        write(text);
        let replayed = run(at, &["replay", "a.trace"]);
        assert!(replayed.stdout.contains(words), "{words}: {}", replayed.tail());
    };
    check(LENT, "The bug shows again: race");
    check(&LENT.replace("p[2] = 1", "p[2] = 1 + p[1]"), "The bug shows again, in a changed program: race");
    // Joined first: the steps are others, and there is no race.
    let ordered = LENT.replace("    p[2] = 1;\n", "").replace("    free(p)", "    p[2] = 1;\n    free(p)");
    check(&ordered, "the bug does not show: it ends well");
}
