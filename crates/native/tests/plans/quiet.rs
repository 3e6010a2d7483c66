//! Quiet memory under single plans: what threads meet at is told, and counts once the plan lists it.

use crate::common::Subject;
use gabion_trace::{Choice, ChoiceKind, Contended, Coverage, Ending, Event, OpKind, Plan, PointSet, ThreadId, Trace};

const HEAD: &str = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\n";

/// Two threads, `work` and `other`, side by side.
fn subject(globals: &str, work: &str, other: &str) -> Subject {
    Subject::new(&format!(
        "{HEAD}{globals}\nvoid *work(void *q) {{ {work} return q; }}\nstatic void other(void) {{ {other} }}\n\
         int main(void) {{ pthread_t t; pthread_create(&t, 0, work, 0); other(); pthread_join(t, 0); return 0; }}\n"
    ))
}

fn accesses(trace: &Trace) -> usize {
    trace.events.iter().filter(|e| matches!(e, Event::Access { .. })).count()
}

fn bytes(trace: &Trace) -> u64 {
    trace.contended.iter().map(|range| range.to - range.from).sum()
}

/// Whether the two are told to meet, in either order of the threads, and how many bytes.
fn check(globals: &str, work: &str, other: &str, expected: Option<u64>) {
    let mut subject = subject(globals, work, other);
    let choice = |value| Choice {
        kind: ChoiceKind::Thread,
        thread: ThreadId::MAIN,
        step: 1,
        op: OpKind::Run,
        alternatives: 2,
        value,
    };
    for choices in [vec![], vec![choice(1)]] {
        // With voluntary points only there is no such choice; then there is one order.
        let plan = Plan { choices, mismatch: gabion_trace::Mismatch::Skip, ..Plan::default() };
        let trace = subject.run_as_it_is(plan.clone());
        assert_eq!(trace.outcome.ending, Ending::Passed);
        assert_eq!(trace.coverage.has(Coverage::NEW_CONTENDED), expected.is_some(), "{work} | {other}: {trace:#?}");
        assert_eq!(bytes(&trace), expected.unwrap_or(0), "{work} | {other}: {:?}", trace.contended);
        let known = subject.run_as_it_is(Plan { contended: trace.contended, ..plan });
        assert!(!known.coverage.has(Coverage::NEW_CONTENDED), "{work} | {other}: told again: {:?}", known.contended);
    }
}

#[test]
fn threads_meet_where_one_writes() {
    check("long x;", "x = 1;", "x = 2;", Some(8));
    check("long x; long y;", "y = x;", "x = 2;", Some(8));
    check("long x, y[2];", "y[0] = x;", "y[1] = x;", None);
    check("volatile long x;", "x = 1;", "x = 2;", Some(8));
    check("long x[4];", "memset(x, 0, 32);", "x[1] = 2; x[3] = 1;", Some(16));
    check("long x[4];", "x[0] = 1; x[2] = 1;", "x[1] = 2; x[3] = 1;", None);
    check("char x[8] __attribute__((aligned(8)));", "x[0] = 1;", "x[7] = 2;", Some(8));
}

#[test]
fn atomics_and_frees_meet_plain_accesses_but_not_each_other() {
    check("atomic_long x;", "x++;", "x++;", None);
    check("union { atomic_long a; long p; } x;", "x.a++;", "x.p = 1;", Some(8));
    check("union { atomic_long a; long p; } x; long y;", "x.a = 1;", "y = x.p;", Some(8));
    check("union { atomic_long a; long p; } x; long y, z;", "z = x.a;", "y = x.p;", None);
    check("", "long *p = malloc(800); p[3] = 1; free(p);", "long *p = malloc(800); p[3] = 1; free(p);", None);
    let given = "long *x; __attribute__((constructor)) void make(void) { x = malloc(64); }";
    check(given, "x[0] = 1; x[3] = 1;", "free(x);", Some(16));
    check(given, "free(x);", "free(malloc(64));", None);
}

#[test]
fn what_touches_many_pages_is_noted_at_once() {
    let globals = "char x[1 << 20] __attribute__((aligned(4096)));";
    check(globals, "memset(x, 1, sizeof x);", "memset(x + 65536, 2, 65536);", Some(65536));
    check(globals, "memset(x, 1, sizeof x);", "x[70000] = 1; x[80000] = 1;", Some(16));
    check(globals, "memset(x, 1, sizeof x / 2);", "memset(x + sizeof x / 2, 1, sizeof x / 2);", None);
    let block = "char *x; __attribute__((constructor)) void make(void) { x = malloc(300 << 20); }";
    check(block, "x[5000] = 1;", "free(x);", Some(8));
}

#[test]
fn a_run_that_touches_too_much_makes_all_memory_contended() {
    let touch = "volatile char *p = malloc(300 << 20); for (long i = 0; i < 300 << 20; i += 4096) p[i] = 1;";
    let mut subject = subject("", touch, "");
    let trace = subject.run_as_it_is(Plan::default());
    assert_eq!(trace.contended, [Contended::ALL]);
}

#[test]
fn quiet_accesses_are_neither_points_nor_recorded() {
    let private = "volatile long *p = malloc(8000); for (int i = 0; i < 1000; i++) p[i] = i;";
    for points in [PointSet::EVERYWHERE, PointSet::SYNC] {
        let mut subject = subject("", private, private);
        let quiet = subject.run_as_it_is(Plan { points, ..Plan::default() });
        assert_eq!((accesses(&quiet), quiet.coverage.has(Coverage::NEW_CONTENDED)), (0, false));
        assert!(quiet.cost >= 2000, "{}", quiet.cost);
        let all = subject.run(Plan { points, ..Plan::default() });
        assert_eq!(accesses(&all), 2000);
        assert!(all.length > quiet.length || points == PointSet::SYNC);
    }
}

#[test]
fn the_limit_of_a_step_counts_quiet_accesses() {
    let mut subject = subject("volatile long x;", "for (;;) x++;", "");
    let limits = gabion_trace::Limits { accesses: 10_000_000, ..Default::default() };
    let trace = subject.run_as_it_is(Plan { limits, ..Plan::default() });
    assert_eq!(trace.outcome.ending, Ending::StepTooLong);
}

#[test]
fn a_step_is_too_long_only_where_nobody_else_can_go_on() {
    let mut subject = subject("atomic_int x; volatile long y;", "x = 1;", "for (;;) y++;");
    let limits = gabion_trace::Limits { accesses: 1_000_000, ..Default::default() };
    // The others come first, and then nobody can go on but who loops.
    let fair = subject.run_as_it_is(Plan { limits, ..Plan::default() });
    assert_eq!(fair.outcome.ending, Ending::StepTooLong);
    // The thread that loops is chosen again at the turn that the others get.
    let turn = fair.decisions.last().expect("a choice at the turn");
    let own = Choice { value: u32::from(ThreadId::MAIN.0), op: OpKind::Run, ..turn.choice };
    assert_ne!(own.value, turn.choice.value);
    let before = fair.decisions[..fair.decisions.len() - 1].iter().map(|decision| decision.choice);
    let again = subject.run_as_it_is(Plan { limits, choices: before.chain([own]).collect(), ..Plan::default() });
    assert_eq!(again.outcome.ending, Ending::StepCut);
}

#[test]
fn a_loop_that_waits_lets_the_others_go_on() {
    let mut subject = subject("volatile int x;", "x = 1;", "while (!x) ;");
    let trace = subject.run_as_it_is(Plan::default());
    assert_eq!((trace.outcome.ending, bytes(&trace)), (Ending::Passed, 8));
}
