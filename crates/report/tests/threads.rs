//! Interleavings of many threads.

mod shown;

use gabion_report::{Colour, Sources, bug_page};
use gabion_trace::{ThreadId, TraceFile};
use shown::{check_width, racy, step, terminal};

/// So many threads, of which the first `working` write, and the others only start and end.
fn many(threads: u16, working: u16) -> TraceFile {
    let mut file = racy();
    file.threads = (0..threads).map(|t| format!("worker-of-the-{t}th-queue")).collect();
    let steps = |t: u16| match t < working {
        true => vec![step(t, 0, "write a_name_that_is_rather_long (was 1)", 5)],
        false => vec![step(t, 0, "start", 3), step(t, 1, "end", 6)],
    };
    file.steps = (0..threads).flat_map(steps).collect();
    file.outcome.thread = ThreadId(0);
    file
}

#[test]
fn six_threads_share_a_column() {
    let text = terminal(80, Colour::Off).bug(&many(6, 6), None);
    check_width(&text, 80);
    insta::assert_snapshot!(text);
}

#[test]
fn of_seventeen_threads_those_that_do_nothing_are_left_out() {
    let file = many(17, 3);
    let text = terminal(80, Colour::Off).bug(&file, None);
    check_width(&text, 80);
    insta::assert_snapshot!(text);
    let mut all = terminal(80, Colour::Off);
    all.full = true;
    let full = all.bug(&file, None);
    check_width(&full, 80);
    assert!(full.contains("T16 worker-of-the-16th-queue\n") && !full.contains("Left out"), "{full}");
    // Where everybody fits nobody is left out.
    assert!(!terminal(400, Colour::Off).bug(&file, None).contains("Left out"));
}

#[test]
fn a_page_of_many_threads_is_a_list() {
    let page = |threads| bug_page(&many(threads, threads), &Sources::from_text(&[]), None);
    assert!(page(6).contains("<table class=\"steps\"") && page(6).contains("each thread has a column"));
    assert!(page(7).contains("<table class=\"steps list\"") && page(7).contains("each step names its thread"));
}
