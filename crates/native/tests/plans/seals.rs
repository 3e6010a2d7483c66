//! Points sealed off by who is on the call stack, and what a step records of the accesses between its synchronisations.

use crate::common::{Subject, T1, step};
use gabion_trace::{AccessKind, Coverage, Ending, Event, Plan, Point, PointSet, RacePoint, Seal, ThreadId};

const NESTED: &str = r#"
#include <pthread.h>
#include <stdatomic.h>
static atomic_int x;
__attribute__((noinline)) static void inner(void) { x++; }
__attribute__((noinline)) static void outer(void) { inner(); x++; }
static void *work(void *unused) { x++; outer(); x++; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
"#;

/// Predicates by function, and where the thread's steps then begin. The first is its start, which no seal concerns.
#[test]
fn the_last_match_wins() {
    let mut subject = Subject::new(NESTED);
    type Row = (&'static [(&'static str, bool)], &'static [&'static str]);
    let table: &[Row] = &[
        (&[], &["work", "inner", "outer", "work"]),
        (&[("inner", false)], &["work", "outer", "work"]),
        (&[("outer", false)], &["work", "work"]),
        (&[("outer", false), ("inner", true)], &["work", "inner"]),
        (&[("inner", true), ("outer", false)], &["work"]),
        (&[("inner", true)], &["work", "inner"]),
        (&[("outer", true)], &["work", "inner", "outer"]),
        (&[("outer", true), ("inner", false)], &["work", "outer"]),
        (&[("inner", false), ("outer", true), ("outer", false)], &["work"]),
        (&[("inner", false), ("outer", true), ("work", true), ("outer", false)], &["work", "work"]),
    ];
    for (seals, expected) in table {
        let plan = Plan { seals: seals.iter().map(|(f, allow)| subject.seal(f, *allow)).collect(), ..Plan::default() };
        let trace = subject.run(plan);
        assert_eq!(trace.outcome.ending, Ending::Passed, "{seals:?}");
        assert_eq!(subject.beginnings(&trace, T1), *expected, "{seals:?}");
        assert_eq!(trace.coverage.has(Coverage::SEALED), !seals.is_empty(), "{seals:?}");
        // Four atomic points in all; main's join and the thread's end are none that a class could switch off.
        let passed: u32 = trace.steps.iter().map(|s| s.passed).sum();
        assert!(passed as usize >= 4 - expected.len(), "{seals:?}: {passed}");
    }
}

/// A seal that no point of the set meets leaves no mark.
#[test]
fn what_is_off_anyway_is_not_sealed() {
    let mut subject = Subject::new(NESTED);
    let seals = vec![subject.seal("inner", false)];
    let trace = subject.run(Plan { seals, points: PointSet::VOLUNTARY, ..Plan::default() });
    assert!(!trace.coverage.has(Coverage::SEALED));
    assert_eq!(subject.beginnings(&trace, T1), ["work"]);
}

#[test]
fn a_named_instruction_can_be_sealed() {
    let source = NESTED.replace("atomic_int x", "int x");
    let mut subject = Subject::new(&source);
    let everywhere = subject.run(Plan::default());
    let pc = step(&everywhere, T1, 3).pending.expect("an access").pc;
    let races = vec![RacePoint { pc, thread: None }];
    let plan = Plan { races, points: PointSet::VOLUNTARY, ..Plan::default() };
    let open = subject.run(plan.clone());
    let named = open.steps.iter().filter(|s| s.point == Point::Race).count();
    assert!(named == 1 && !open.coverage.has(Coverage::SEALED), "{named}");
    let sealed = subject.run(Plan { seals: vec![subject.seal("outer", false)], ..plan });
    assert!(sealed.steps.iter().all(|s| s.point != Point::Race));
    assert!(sealed.coverage.has(Coverage::SEALED));
}

/// Two threads pass the same instruction; it is a point in one of them.
#[test]
fn a_named_instruction_can_be_one_threads() {
    let creates = "pthread_t t, u;\n    pthread_create(&t, 0, work, 0);\n    pthread_create(&u, 0, work, 0);";
    let source =
        NESTED.replace("atomic_int x", "int x").replace("pthread_t t;\n    pthread_create(&t, 0, work, 0);", creates);
    let mut subject = Subject::new(&source.replace("return 0;", "pthread_join(u, 0);\n    return 0;"));
    let everywhere = subject.run(Plan::default());
    let pc = step(&everywhere, T1, 3).pending.expect("an access").pc;
    let mut who = |thread: Option<ThreadId>| {
        let races = vec![RacePoint { pc, thread }];
        let trace = subject.run(Plan { races, points: PointSet::VOLUNTARY, ..Plan::default() });
        let stopped = trace.steps.iter().filter(|s| s.point == Point::Race);
        stopped.map(|s| s.pending.expect("an access").thread).collect::<Vec<_>>()
    };
    let t2 = ThreadId(2);
    assert_eq!((who(Some(T1)), who(Some(t2)), who(Some(ThreadId::MAIN))), (vec![T1], vec![t2], vec![]));
    let mut all = who(None);
    all.sort();
    assert_eq!(all, [T1, t2]);
}

const EVERYTHING: Seal = Seal { from: 0, to: u64::MAX, allow: false };

#[test]
fn voluntary_points_are_never_sealed() {
    let mut subject = Subject::new(
        r#"
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
static void *work(void *unused) {
    sched_yield();
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    x++;
    return unused;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&m);
    pthread_create(&t, 0, work, 0);
    sched_yield();
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}
"#,
    );
    let trace = subject.run(Plan { seals: vec![EVERYTHING], ..Plan::default() });
    assert_eq!(trace.outcome.ending, Ending::Passed);
    assert!(trace.coverage.has(Coverage::SEALED));
    // The thread yields, and waits for the lock; its point before it is sealed, waiting is not.
    let points: Vec<_> = trace.steps.iter().filter(|s| s.thread == T1).map(|s| s.pending.map(|p| p.op)).collect();
    assert_eq!(points.len(), 2, "{points:?}");
}

/// The point after an unlock is where the unlock is, although the switch comes before the next visible operation.
#[test]
fn after_an_unlock() {
    let mut subject = Subject::new(
        r#"
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;
__attribute__((noinline)) static void section(void) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
static void *work(void *unused) { section(); x++; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
"#,
    );
    let points = PointSet::VOLUNTARY.with(Point::Unlock);
    for (seals, expected) in [
        (vec![], &["section", "work"][..]),
        (vec![subject.seal("section", true)], &["section", "work"]),
        (vec![subject.seal("section", false)], &["section"]),
    ] {
        let trace = subject.run(Plan { points, seals: seals.clone(), ..Plan::default() });
        assert_eq!(subject.beginnings(&trace, T1), expected, "{seals:?}");
    }
}

/// One step in which every synchronisation is passed: an access is recorded once in each of its segments, not once in
/// all. Without synchronisation in between it is recorded once.
#[test]
fn accesses_are_recorded_once_between_synchronisations() {
    for (between, expected) in [
        ("", 1),
        ("sem_post(&s);", 3),
        ("pthread_cond_signal(&c);", 3),
        ("pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);", 3),
        ("y++;", 3),
        ("atomic_thread_fence(memory_order_seq_cst);", 3),
    ] {
        let source = r#"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s;
static volatile int v, x;
static atomic_int y;
static void *work(void *unused) {
    for (int i = 0; i < 3; i++) {
        v = i;
        BETWEEN
    }
    return unused;
}
int main(void) {
    pthread_t t;
    sem_init(&s, 0, 0);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    return 0;
}
"#;
        let mut subject = Subject::new(&source.replace("BETWEEN", between));
        let trace = subject.run(Plan { points: PointSet::VOLUNTARY, ..Plan::default() });
        let only = step(&trace, T1, 0);
        let first = trace.events(only).iter().find_map(|e| match e {
            Event::Access { access, .. } if access.kind.has(AccessKind::VOLATILE) => Some(access.pc),
            _ => None,
        });
        let writes = |e: &&Event| matches!(e, Event::Access { access, .. } if Some(access.pc) == first);
        assert_eq!(
            trace.events(only).iter().filter(writes).count(),
            expected,
            "{between:?}: {:#?}",
            trace.events(only)
        );
    }
}
