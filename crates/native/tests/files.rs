//! Programs that change files: every run starts at the beginning, and what another run left behind is not taken for a bug.

mod common;

use common::Subject;
use gabion_trace::{Ending, Limits, Plan, RunError};

/// Makes a file that must not be there, and removes it at its end.
const EXCLUSIVE: &str = r#"
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *work(void *p) { return p; }
int main(void) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 8);
    assert(length > 0);
    snprintf(path + length, 8, ".file");
    if (open(path, O_CREAT | O_EXCL | O_WRONLY, 0600) < 0) exit(1);
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    unlink(path);
    return 0;
}"#;

#[test]
fn a_run_starts_at_the_beginning() {
    let mut subject = Subject::new(EXCLUSIVE); // several runs, here and in new processes: each makes the file and removes it
    assert_eq!(subject.once(Plan::default()).outcome.ending, Ending::Passed);
}

#[test]
fn what_a_run_leaves_behind_is_no_bug() {
    let mut subject = Subject::new(EXCLUSIVE);
    let cut = Plan { limits: Limits { steps: 1, ..Limits::default() }, ..Plan::default() };
    assert_eq!(subject.once(cut).outcome.ending, Ending::TooManySteps);
    let next = subject.try_once(Plan::default());
    assert!(matches!(&next, Err(RunError::LeftBehind(how)) if how.starts_with("Exit")), "{next:?}");
}
