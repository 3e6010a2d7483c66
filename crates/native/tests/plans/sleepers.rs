//! Events that sleep: not taken in a plan's tail until something that conflicts with them was executed.

use crate::common::{Subject, T1, sleeper};
use gabion_trace::{Choice, ChoiceKind, Decision, Ending, OpKind, Plan, PointSet, Tail, ThreadId, Trace};

const MAIN: ThreadId = ThreadId::MAIN;

/// Main and one thread, each with its statements. The thread has a last one beside, so that to create and join it conflicts
/// with nothing else that it does.
fn two(main: &str, thread: &str) -> Subject {
    let source = r#"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int x, y, last;
int wide[64];
static void *work(void *unused) { (void)&m; (void)wide; OTHER last++; return unused; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    FIRST
    pthread_join(t, 0);
    return 0;
}
"#;
    Subject::new(&source.replace("OTHER", thread).replace("FIRST", main))
}

/// The same choice with another value, whatever that then does.
fn taking(value: u32, decision: &Decision) -> Choice {
    Choice { value, op: OpKind::Run, ..decision.choice }
}

fn tails() -> Vec<Tail> {
    let mut tails = vec![Tail::Default, Tail::Fair, Tail::Pct { seed: 3, changes: vec![2, 4] }];
    tails.extend((0..8).map(|seed| Tail::Random { seed }));
    tails.extend((0..4).map(|seed| Tail::Pos { seed }));
    tails
}

/// Where in the run a thread's first step is.
fn first_step(trace: &Trace, thread: ThreadId) -> Option<usize> {
    trace.steps.iter().position(|s| s.thread == thread)
}

#[test]
fn nobody_else_can_go_on() {
    let mut subject = two("y++; y++;", "x++;");
    let free = subject.run(Plan::default());
    for tail in tails() {
        let plan = Plan { sleepers: vec![sleeper(&free, T1, 0, &[])], tail: tail.clone(), ..Plan::default() };
        let trace = subject.run(plan);
        assert_eq!(trace.outcome.ending, Ending::Asleep, "{tail:?}");
        assert!(!trace.outcome.is_failure());
        assert_eq!(first_step(&trace, T1), None, "{tail:?}");
        assert!(trace.pending.iter().any(|p| p.thread == T1), "it stays about to do what it would do");
        // It could have been chosen, and the record says so.
        let offered = |d: &&Decision| d.is_thread() && d.values.contains(1);
        assert!(trace.decisions.iter().filter(offered).count() >= 2, "{tail:?}");
    }
}

#[test]
fn a_conflict_wakes() {
    let mut subject = two("y++; x++; y++;", "x++;");
    let free = subject.run(Plan::default());
    let update =
        free.steps.iter().position(|s| s.thread == MAIN && free.footprint(s).conflicts(&of(&free))).expect("x++");
    for tail in tails() {
        let plan = Plan { sleepers: vec![sleeper(&free, T1, 0, &[])], tail: tail.clone(), ..Plan::default() };
        let trace = subject.run(plan);
        assert_eq!(trace.outcome.ending, Ending::Passed, "{tail:?}");
        assert!(first_step(&trace, T1).is_some_and(|at| at > update), "{tail:?}");
    }
}

/// The thread's own event.
fn of(free: &Trace) -> gabion_trace::Footprint {
    sleeper(free, T1, 0, &[]).footprint
}

/// What main does against what the thread does, and whether the thread's event wakes.
#[test]
fn what_wakes_and_what_does_not() {
    for (main, thread, wakes) in [
        ("atomic_load(&x);", "(void)atomic_load(&x);", false),
        ("atomic_store(&x, 1);", "(void)atomic_load(&x);", true),
        ("(void)atomic_load(&x);", "atomic_store(&x, 1);", true),
        (
            "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
            true,
        ),
        ("memset(wide, 1, sizeof wide);", "wide[63] = 2;", true),
        ("wide[62] = 1;", "wide[63] = 2;", false),
        ("wide[40] = 1;", "memset(wide, 2, sizeof wide);", true),
        ("x++;", "memset(wide, 2, sizeof wide);", false),
        ("sched_yield();", "x++;", false),
    ] {
        let mut subject = two(main, thread);
        let free = subject.run(Plan::default());
        let trace = subject.run(Plan { sleepers: vec![sleeper(&free, T1, 0, &[])], ..Plan::default() });
        let expected = if wakes { Ending::Passed } else { Ending::Asleep };
        assert_eq!(trace.outcome.ending, expected, "{main} | {thread}");
    }
}

/// The sleepers hold where the plan's last choice is made; the step that begins there wakes already, earlier ones do not.
#[test]
fn the_last_choice_begins_it() {
    let mut subject = two("x++; y++; y++;", "x++; x++;");
    let free = subject.run(Plan::default());
    // Main goes on at its points before x++, y++, y++: so many choices, all for itself.
    let own: Vec<_> = free.choices().into_iter().take_while(|c| c.value == 0).collect();
    assert_eq!(own.len(), 3);
    for (planned, ending) in [(0, Ending::Passed), (1, Ending::Passed), (2, Ending::Asleep), (3, Ending::Asleep)] {
        let choices = own[..planned].to_vec();
        let trace = subject.run(Plan { choices, sleepers: vec![sleeper(&free, T1, 0, &[])], ..Plan::default() });
        assert_eq!(trace.outcome.ending, ending, "{planned} choices");
    }
}

/// An event of another step does not keep the thread from running, until it gets there.
#[test]
fn only_that_step_sleeps() {
    let mut subject = two("y++;", "x++; x++; x++;");
    let free = subject.run(Plan::default());
    let trace = subject.run(Plan { sleepers: vec![sleeper(&free, T1, 1, &[])], ..Plan::default() });
    assert_eq!(trace.outcome.ending, Ending::Asleep);
    assert_eq!(trace.steps.iter().filter(|s| s.thread == T1).count(), 1);
}

/// A step that ends because it has to wait has looked at what it waits for.
#[test]
fn waiting_wakes_who_could_help() {
    let mut subject = two(
        "sched_yield(); pthread_mutex_lock(&m);",
        "pthread_mutex_lock(&m); sched_yield(); pthread_mutex_unlock(&m);",
    );
    let voluntary = Plan { points: PointSet::VOLUNTARY, ..Plan::default() };
    let free = subject.run(voluntary.clone());
    let thread = vec![taking(1, &free.decisions[0])];
    let known = subject.run(Plan { choices: thread.clone(), ..voluntary.clone() });
    // The thread holds the lock and yields; there main goes on and runs into the lock.
    let choices = [thread, vec![taking(0, &known.decisions[1])]].concat();
    let trace = subject.run(Plan { choices, sleepers: vec![sleeper(&known, T1, 1, &[])], ..voluntary });
    assert_eq!(trace.outcome.ending, Ending::Passed);
}

/// A thread that waits for itself is a deadlock when all others have gone on to the end. Where one of them sleeps there is no
/// end: the run is cut short, and the deadlock is seen where that one ran.
#[test]
fn a_circle_is_looked_for_at_the_end() {
    let mut subject = two("pthread_mutex_lock(&m); y++; pthread_mutex_lock(&m);", "x++; pthread_mutex_lock(&m);");
    let free = subject.run(Plan::default());
    assert_eq!(free.outcome.ending, Ending::Deadlock);
    let other = thread_first(&mut subject);
    let trace = subject.run(Plan { sleepers: vec![sleeper(&other, T1, 0, &[])], ..Plan::default() });
    assert_eq!(trace.outcome.ending, Ending::Asleep);
    assert_eq!(first_step(&trace, T1), None);
}

/// A run in which the other thread goes first.
fn thread_first(subject: &mut Subject) -> Trace {
    let free = subject.run(Plan::default());
    subject.run(Plan { choices: vec![taking(1, &free.decisions[0])], ..Plan::default() })
}

const WAITERS: &str = r#"
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
static int word, x;
static void *other(void *unused) { x++; return unused; }
static void *work(void *unused) {
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
    return unused;
}
int main(void) {
    pthread_t t[4];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 9; i++)
        sched_yield();
    pthread_create(&t[3], 0, other, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE, 2, 0, 0, 0);
    syscall(SYS_futex, &word, FUTEX_WAKE, 3, 0, 0, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
"#;

fn is_waiter(decision: &&Decision) -> bool {
    decision.choice.kind == ChoiceKind::Waiter
}

/// Two of three are woken: which, are two choices of one step. The choice before them is that main goes on. Sleeping
/// events by their values, what is planned of the two, and what is taken.
#[test]
fn values_that_sleep_are_not_taken() {
    let mut subject = Subject::new(WAITERS);
    let voluntary = Plan { points: PointSet::VOLUNTARY, tail: Tail::Fair, ..Plan::default() };
    let free = subject.run(voluntary.clone());
    let at = free.decisions.iter().position(|d| is_waiter(&d)).expect("three threads wait");
    assert_eq!(taken(&free), [1, 2]);
    let number = free.decisions[at].choice.step - 1;
    type Row = (&'static [&'static [u32]], &'static [u32], Option<[u32; 2]>);
    let table: &[Row] = &[
        (&[&[1, 2]], &[], Some([1, 3])),
        (&[&[2, 1]], &[], Some([1, 2])),
        (&[&[1, 2], &[1, 3]], &[], None),
        (&[&[1]], &[], Some([2, 1])),
        (&[&[1, 2, 3]], &[], Some([1, 2])),
        (&[&[2, 1]], &[2], Some([2, 3])),
        (&[&[1, 2]], &[2], Some([2, 1])),
        (&[&[2, 1], &[2, 3]], &[2], None),
        (&[&[1, 3]], &[1, 2], Some([1, 2])),
    ];
    for (values, planned, expected) in table {
        let mut choices = free.choices()[..at].to_vec();
        for (i, value) in planned.iter().enumerate() {
            choices.push(taking(*value, &free.decisions[at + i]));
        }
        let sleepers = values.iter().map(|v| sleeper(&free, MAIN, number, v)).collect();
        let trace = subject.run(Plan { choices, sleepers, ..voluntary.clone() });
        match expected {
            Some(expected) => assert_eq!(taken(&trace), expected, "{values:?} {planned:?}"),
            None => assert_eq!(trace.outcome.ending, Ending::Asleep, "{values:?} {planned:?}"),
        }
        let listed: Vec<usize> = trace.decisions.iter().filter(is_waiter).map(|d| d.values.len()).collect();
        assert!([3, 2].starts_with(&listed), "{listed:?}");
    }
}

fn taken(trace: &Trace) -> Vec<u32> {
    trace.decisions.iter().filter(is_waiter).map(|d| d.choice.value).collect()
}
