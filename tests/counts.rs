//! For every program under `programs/counts`: the number in its header, a closed form and an independent enumeration
//! of an abstract copy of the program are the same number. That `gabion` finds it too is the business of the
//! `programs` test.

#![forbid(unsafe_code)]

use gabion_tests::header::Header;
use gabion_tests::model::Op::{self, *};
use gabion_tests::model::{Count, count};
use gabion_tests::workspace;

fn binomial(n: u64, k: u64) -> u64 {
    (1..=k).fold(1, |c, i| c * (n - k + i) / i)
}

/// Main creates one thread, does its part, and joins it.
fn pair(main: &[Op], other: &[Op]) -> Vec<Vec<Op>> {
    let whole = [&[Create(1)], shifted(main, 1).as_slice(), &[Join(1)]].concat();
    vec![whole, other.to_vec()]
}

/// The same part in main, where it begins later: jumps move.
fn shifted(part: &[Op], by: usize) -> Vec<Op> {
    let shift = |op: &Op| match *op {
        IfZero(v, to) => IfZero(v, to + by),
        Jump(to) => Jump(to + by),
        Once(v, to) => Once(v, to + by),
        op => op,
    };
    part.iter().map(shift).collect()
}

/// Main creates two threads, does its part, and joins them in order.
fn triple(main: &[Op], first: &[Op], second: &[Op]) -> Vec<Vec<Op>> {
    let whole = [&[Create(1), Create(2)], shifted(main, 2).as_slice(), &[Join(1), Join(2)]].concat();
    vec![whole, first.to_vec(), second.to_vec()]
}

fn check(name: &str, closed_form: u64, program: &[Vec<Op>]) -> Count {
    let path = workspace().join("programs/counts").join(format!("{name}.c"));
    let header = Header::read(&path).unwrap_or_else(|e| panic!("{name}: {e}"));
    let counted = count(program);
    assert_eq!(header.runs, Some(closed_form), "{name}: the header against the closed form");
    assert_eq!(counted.runs, closed_form, "{name}: the enumerator against the closed form");
    counted
}

/// Every program in the directory has its test here.
const NAMES: [&str; 22] = [
    "abba",
    "after_unlock",
    "barrier",
    "blocking",
    "condition",
    "create_chain",
    "critical_sections",
    "exit_early",
    "once",
    "ping_pong",
    "plain_accesses",
    "plain_not_asked",
    "reader_writer",
    "readers",
    "semaphore",
    "three_atomics",
    "timed_wait",
    "trylock",
    "two_atomics",
    "two_atomics_long",
    "two_waiters_broadcast",
    "two_waiters_signal",
];

#[test]
fn no_program_is_forgotten() {
    let programs = gabion_tests::programs();
    let inside = programs.iter().filter(|p| p.parent().is_some_and(|d| d.ends_with("counts")));
    let names: Vec<String> = inside.map(|p| p.file_stem().unwrap_or_default().to_string_lossy().into_owned()).collect();
    let expected: Vec<&str> = NAMES.iter().copied().chain(["yields"]).collect();
    assert_eq!(names, expected);
}

#[test]
fn operations_that_never_block() {
    check("two_atomics", binomial(6, 3), &pair(&[Touch; 3], &[Touch; 3]));
    check("two_atomics_long", binomial(14, 7), &pair(&[Touch; 7], &[Touch; 7]));
    check("plain_accesses", binomial(8, 4), &pair(&[Touch; 4], &[Touch; 4]));
    check("plain_not_asked", binomial(2, 1), &pair(&[Touch], &[Touch]));
    check("yields", binomial(4, 2), &pair(&[Touch; 2], &[Touch; 2]));
}

#[test]
fn three_threads() {
    let (a, b, m) = (2, 2, 2);
    let closed = (0..=a).map(|j| binomial(a - j + m, m) * binomial(a - j + m + 1 + b, b)).sum();
    check("three_atomics", closed, &triple(&[Touch; 2], &[Touch; 2], &[Touch; 2]));
    let chain = vec![vec![Create(1), Touch, Touch, Join(1)], vec![Create(2), Touch, Join(2)], vec![Touch]];
    check("create_chain", binomial(2, 1) * binomial(6, 2), &chain);
}

#[test]
fn locks() {
    let section = [Lock(0), Unlock(0)];
    check("critical_sections", binomial(6, 3), &pair(&section.repeat(3), &section.repeat(3)));
    let work = [Touch, Lock(0), Touch, Unlock(0)];
    check("blocking", 2 * 4, &pair(&work, &work));
    let after = [Lock(0), Unlock(0), Touch];
    check("after_unlock", binomial(4, 2), &pair(&after, &after));
    let tries = [TryLock(0, 0), IfZero(0, 4), Touch, Unlock(0)];
    check("trylock", 3, &pair(&tries, &[Lock(0), Touch, Unlock(0)]));
}

#[test]
fn deadlocks_are_counted_as_runs() {
    let ab = [Lock(0), Lock(1), Unlock(1), Unlock(0)];
    let ba = [Lock(1), Lock(0), Unlock(0), Unlock(1)];
    let counted = check("abba", 2 + 2 + 2, &pair(&ba, &ab));
    assert_eq!(counted.deadlocks, 2);
}

#[test]
fn reader_writer_locks() {
    let reads = [ReadLock(0), Touch, ReadUnlock(0)];
    check("readers", binomial(4, 2), &pair(&reads, &reads));
    check("reader_writer", 2, &pair(&reads, &[Lock(0), Touch, Unlock(0)]));
}

#[test]
fn semaphores_barriers_onces() {
    check("semaphore", binomial(8, 4) / 5, &pair(&[SemWait(0); 4], &[SemPost(0); 4]));
    let ping = [SemPost(0), SemWait(1), Touch].repeat(3);
    let pong = [SemWait(0), Touch, Touch, SemPost(1)].repeat(3);
    check("ping_pong", 1, &pair(&ping, &pong));
    let phases = [Touch, Barrier(0, 2), Touch];
    check("barrier", 2 * binomial(3, 1) * binomial(3, 1), &pair(&phases, &phases));
    let once = [Touch, Once(0, 4), Touch, OnceDone(0)];
    check("once", 2 * 5, &pair(&once, &once));
}

#[test]
fn condition_variables() {
    let waits = [Lock(0), IfZero(0, 3), Jump(5), Wait(0, 0), Jump(1), Unlock(0)];
    check("condition", 2, &pair(&waits, &[Lock(0), Set(0, 1), Signal(0), Unlock(0)]));
    let waiter = [Lock(0), IfZero(0, 3), Jump(5), Wait(0, 0), Jump(1), Take(0), Unlock(0)];
    let signals = [Lock(0), Set(0, 2), Signal(0), Signal(0), Unlock(0)];
    check("two_waiters_signal", (1 + 3 + 1 + 4 * 2) * 3, &triple(&signals, &waiter, &waiter));
    let broadcasts = [Lock(0), Set(0, 2), Broadcast(0), Unlock(0)];
    check("two_waiters_broadcast", (1 + 3 + 1 + 4) * 3, &triple(&broadcasts, &waiter, &waiter));
    let timed = [Lock(0), TimedWait(0, 0), Unlock(0)];
    check("timed_wait", 1 + 4, &pair(&timed, &[Lock(0), Signal(0), Unlock(0)]));
}

#[test]
fn the_end_of_the_process_is_a_step() {
    check("exit_early", 3 + 1, &[vec![Create(1), Exit], vec![Touch; 3]]);
}
