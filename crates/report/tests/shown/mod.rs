//! A small interleaving and a report, as tests of what is shown need them.
#![allow(dead_code)] // each of them needs some

use gabion_report::{Colour, Report, SCHEMA, Scope, Sources, SpaceStatus, StateSpace, Terminal, Verdict};
use gabion_trace::{
    Caveat, Ending, FORMAT_VERSION, Frame, NamedStep, Outcome, Plan, Point, Program, Statistics, ThreadId, TraceFile,
};
use std::collections::BTreeMap;

pub const RACY: &str = "\
#include <assert.h>
int counter;
static void *worker(void *arg) {
    int seen = counter;
    counter = seen + 1;
    return arg;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, 0);
    pthread_create(&b, 0, worker, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2 && \"both increments must be there, whatever the order of the threads\");
}
";

pub fn terminal(width: usize, colour: Colour) -> Terminal {
    Terminal { width, colour, sources: Sources::from_text(&[("racy.c", RACY)]), full: false }
}

pub fn frame(line: u32) -> Frame {
    let function = if line < 8 { "worker" } else { "main" };
    let module = format!("racy+{line:#x}");
    Frame { function: Some(function.into()), file: Some("racy.c".into()), line: Some(line), module }
}

pub fn step(thread: u16, number: u32, what: &str, line: u32) -> NamedStep {
    let stack = vec![frame(line)];
    NamedStep {
        thread: ThreadId(thread),
        number,
        point: Point::Everywhere,
        enabled: 2,
        what: what.into(),
        stack,
        accesses: Vec::new(),
        chosen: Vec::new(),
    }
}

pub fn racy() -> TraceFile {
    let outcome =
        Outcome { ending: Ending::Assertion, code: 0, thread: ThreadId(0), pc: 1, address: 0, message: String::new() };
    TraceFile {
        format: FORMAT_VERSION,
        gabion: "0.1.0".into(),
        command: Vec::new(),
        explanation: Vec::new(),
        spoken_of: Vec::new(),
        minimisation: None,
        races: Vec::new(),
        statistics: Statistics::default(),
        sources: BTreeMap::new(),
        program: Program::default(),
        plan: Plan::default(),
        variables: Vec::new(),
        hash: 1,
        outcome,
        failed_in: None,
        kind: "assertion".into(),
        message: "Assertion `counter == 2' failed".into(),
        location: Some(frame(14)),
        stack: vec![frame(14)],
        witnesses: Vec::new(),
        relation: None,
        waiting: Vec::new(),
        blocked: Vec::new(),
        threads: vec!["main".into(), "worker".into(), "worker".into()],
        steps: vec![
            step(0, 0, "start", 8),
            step(0, 1, "create T1", 10),
            step(0, 2, "create T2", 11),
            step(0, 3, "join T1", 12),
            step(1, 0, "start", 3),
            step(1, 1, "read counter (is 0)", 4),
            step(2, 0, "start", 3),
            step(2, 1, "read counter (is 0)", 4),
            step(2, 2, "write counter (was 0)", 5),
            step(2, 3, "end", 6),
            step(1, 2, "write counter (was 1)", 5),
            step(1, 3, "end", 6),
            step(0, 4, "join T2", 13),
            step(0, 5, "read counter (is 1)", 14),
        ],
        preemptions: 1,
        left_in_loops: Vec::new(),
        output: "first line\n\nracy: racy.c:14: main: Assertion `counter == 2' failed.\n".into(),
    }
}

pub fn report(verdict: Verdict, caveats: Vec<Caveat>) -> Report {
    Report {
        schema: SCHEMA,
        verdict,
        runs: 12_345,
        complete_runs: 12_345,
        blocked_runs: 0,
        cut_runs: 0,
        abandoned_runs: 0,
        elapsed_s: 1.5,
        minimise_s: 0.0,
        runs_per_s: 8230.0,
        estimate: None,
        scope: Scope {
            preempt: vec!["everywhere".into()],
            bound: None,
            completed_bound: None,
            memory_model: "sc".into(),
            caveats,
        },
        state_spaces: vec![StateSpace {
            preempt: vec!["everywhere".into()],
            status: SpaceStatus::Complete,
            by_bound: false,
            completed_bound: None,
            largest: true,
            covered_by: None,
            doublings: 0,
            runs: 12_345,
            estimate: None,
        }],
        bugs: Vec::new(),
        races: Vec::new(),
        races_total: 0,
        races_untold: 0,
        lines: Vec::new(),
        tests: Vec::new(),
        error: None,
        unwritten: false,
    }
}

pub fn space(preempt: &[&str], status: SpaceStatus, runs: u64, estimate: Option<f64>) -> StateSpace {
    let preempt = preempt.iter().map(ToString::to_string).collect();
    let largest = status == SpaceStatus::Complete;
    StateSpace {
        preempt,
        status,
        by_bound: false,
        completed_bound: None,
        largest,
        covered_by: None,
        doublings: 0,
        runs,
        estimate,
    }
}

pub fn check_width(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "wider than {width}: {line:?}");
    }
}
