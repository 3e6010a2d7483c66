//! Single programs whose interleavings are made small: what is said of a loop that is left, and of spaces that are too large.

#![forbid(unsafe_code)]

use gabion_tests::run::{LIMIT, call};
use gabion_tests::workspace;
use serde_json::Value;
use std::path::Path;

/// Runs of a few hundred steps that are not made for one finding.
const MOST_RUNS: u64 = 30_000;

/// Locks show the bug at once; among all points there are more runs with fewer preemptions than anybody makes.
const LARGE: &str = "#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int state;
static atomic_int noise;
static void step(int from) {
    pthread_mutex_lock(&m);
    if (state == from) state = from + 1;
    pthread_mutex_unlock(&m);
    for (int i = 0; i < 60; i++) atomic_fetch_add(&noise, 1);
}
static void *odd(void *u) { step(1); step(3); step(5); return u; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, odd, 0);
    step(0); step(2); step(4);
    pthread_join(t, 0);
    assert(state != 6);
}
";

fn json(directory: &Path, args: &[&str]) -> Value {
    let args: Vec<String> = args.iter().map(ToString::to_string).collect();
    call(directory, &args, LIMIT).and_then(|output| output.json()).expect("a report")
}

/// The one switch that matters is out of a loop that was taken to wait: it is told, and so is that it is essential.
#[test]
fn a_thread_that_is_left_in_a_loop_could_go_on() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let program = workspace().join("programs/waiting/left_in_a_loop.c").display().to_string();
    let report = json(directory.path(), &["check", "--json", "-", "--html", "page.html", &program]);
    let bug = &report["bugs"][0];
    let (left, essential) = (&bug["left_in_loops"], &bug["minimised"]["essential"]);
    assert!(bug["preemptions"] == 0 && left.as_array().is_some_and(|left| left.len() == 1), "{bug:#}");
    assert_eq!(left, essential, "{bug:#}");
    let page = std::fs::read_to_string(directory.path().join("page.html")).expect("a page");
    assert!(page.contains("is in a loop that was taken to wait, and could go on"), "{page}");
    assert!(!page.contains("T1 cannot go on"), "{page}");
}

/// However many runs are allowed, that ends, and it is said that nothing is proven.
#[test]
fn a_space_that_is_too_large_leaves_a_word_about_it() {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    std::fs::write(directory.path().join("large.c"), LARGE).expect("the program is written");
    for (runs, why) in [("2000", "2,000 runs were made"), ("1000000000", "its runs are long")] {
        let args = ["check", "--json", "-", "--minimise-runs", runs, "--trace", "large.trace", "large.c"];
        let report = json(directory.path(), &args);
        let small = &report["bugs"][0]["minimised"];
        assert!(small["runs"].as_u64().is_some_and(|runs| runs < MOST_RUNS), "{small}");
        for what in ["fewest", "fewest_switches", "fewest_threads"] {
            assert_eq!(small[what], false, "nobody has looked at all of them: {small}");
        }
        assert!(small["essential"].as_array().is_some_and(|all| !all.is_empty()), "nothing was left for it: {small}");
        let shown = call(directory.path(), &["show", "large.trace"].map(String::from), LIMIT).expect("it is shown");
        let text = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        for words in ["There may be a smaller one", why, "fewer switches or threads would do is not known"] {
            assert!(text.contains(words), "{words:?} is not in {text}");
        }
    }
}
