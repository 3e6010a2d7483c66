//! Which accesses explain a failure, on small runs.

use super::*;
use gabion_trace::{Ending, Outcome, PlanId, Point, Span, Step};

const R: AccessKind = AccessKind::READ;
const W: AccessKind = AccessKind::WRITE;
const U: AccessKind = AccessKind::UPDATE;
const KINDS: [AccessKind; 3] = [R, W, U];

fn access(kind: AccessKind, address: u64) -> Event {
    Event::Access { access: Access { address: Address::memory(address), size: 4, kind, pc: 1 }, value: None }
}

fn op(op: OpKind) -> Event {
    Event::Op { op, object: Address::object(0x900), result: 0, pc: 1 }
}

/// A run in which each step is one event.
fn run(steps: &[(u16, Event)]) -> Trace {
    let outcome =
        Outcome { ending: Ending::Assertion, code: 0, thread: ThreadId(0), pc: 0, address: 0, message: String::new() };
    let mut trace = Trace::new(PlanId(0), outcome);
    for (thread, event) in steps {
        let mut events = Span::at(trace.events.len());
        events.push(&mut trace.events, *event);
        let none = Span::default();
        trace.steps.push(Step {
            thread: ThreadId(*thread),
            number: 0,
            point: Point::Voluntary,
            enabled: Default::default(),
            alternatives: 0,
            passed: 0,
            pending: None,
            decisions: 0,
            blocked: none,
            waiting: none,
            stack: none,
            events,
        });
    }
    trace
}

fn accesses(steps: &[(u16, Event)]) -> Accesses {
    Accesses::of(&run(steps), steps.len(), ThreadId(0))
}

/// What came between on the bytes that the failing thread read last.
fn between(steps: &[(u16, Event)]) -> Option<(usize, usize, usize, Effect)> {
    let accesses = accesses(steps);
    let reads: Vec<Touch> = accesses.reads().into_iter().take(1).map(|met| met.access).collect();
    let found = accesses.between(&reads, |_| true, |_| Nearness::Own)?;
    Some((found.first.event, found.other.event, found.second.event, found.effect))
}

/// The last read, who wrote that, and whether there was no wait since.
fn met(steps: &[(u16, Event)]) -> Option<(usize, Option<usize>, bool)> {
    let met = accesses(steps).reads().into_iter().next()?;
    Some((met.access.event, met.before.map(|before| before.event), met.recent))
}

/// What three accesses read, each under its own number, and what they leave.
fn outcome(order: [(usize, AccessKind); 3]) -> (Vec<(usize, usize)>, usize) {
    let mut cell = 9;
    let mut read = Vec::new();
    for (number, kind) in order {
        if kind.reads() {
            read.push((number, cell));
        }
        if kind.writes() {
            cell = number;
        }
    }
    read.sort_unstable();
    (read, cell)
}

#[test]
fn what_comes_between_could_have_come_neither_before_nor_after() {
    for (first, other, second) in
        KINDS.iter().flat_map(|a| KINDS.iter().flat_map(move |b| KINDS.iter().map(move |c| (*a, *b, *c))))
    {
        let (a, b, c) = ((0, first), (1, other), (2, second));
        let serial = [outcome([b, a, c]), outcome([a, c, b])];
        let unserialisable = !serial.contains(&outcome([a, b, c]));
        let touch = |event, thread, kind| Touch {
            event,
            thread: ThreadId(thread),
            access: Access { address: Address::memory(64), size: 4, kind, pc: 1 },
        };
        let said = [0, 1].into_iter().any(|failing| {
            let accesses = Accesses::of(&run(&[]), 0, ThreadId(failing));
            accesses.effect(&touch(0, 0, first), &touch(1, 1, other), &touch(2, 0, second)).is_some()
        });
        assert!(unserialisable || !said, "{first:?} {other:?} {second:?}");
        let plain = [first, other, second].iter().all(|kind| *kind != U);
        assert!(!plain || said == unserialisable, "{first:?} {other:?} {second:?}");
    }
}

#[test]
fn a_lost_update_is_told_of_the_bytes_that_were_read_last() {
    let x = |thread, kind| (thread, access(kind, 64));
    let y = |thread, kind| (thread, access(kind, 68));
    let join = (0, op(OpKind::Join));
    let lost = [x(1, R), y(2, U), x(2, W), y(1, U), x(1, W), join, x(0, R)];
    assert_eq!(between(&lost), Some((0, 2, 4, Effect::Lost)));
    let other = [x(1, R), x(2, W), x(1, W), join, y(0, R)];
    assert_eq!(between(&other), None, "bytes that nobody asked for");
    let back = [x(0, W), x(1, R), x(2, W), x(1, W), x(0, R)];
    assert_eq!(between(&back), Some((1, 2, 3, Effect::Lost)), "clearer than what the reader wrote itself");
}

#[test]
fn what_is_waited_for_or_allocated_between_does_not_belong_together() {
    let x = |thread, kind| (thread, access(kind, 64));
    assert_eq!(between(&[x(0, W), x(1, W), x(0, R)]), Some((0, 1, 2, Effect::Replaces)));
    assert_eq!(between(&[x(0, W), (0, op(OpKind::Create)), x(1, W), (0, op(OpKind::Join)), x(0, R)]), None);
    let block = Event::Alloc { address: 64, size: 16, pc: 1, thread: ThreadId(1) };
    assert_eq!(between(&[x(0, R), (1, block), x(1, W), x(0, R)]), None);
    assert_eq!(met(&[x(1, W), (0, block), x(0, R)]), Some((2, None, true)));
}

#[test]
fn what_was_met_was_written_by_the_last_who_wrote() {
    let x = |thread, kind| (thread, access(kind, 64));
    let y = |thread, kind| (thread, access(kind, 68));
    assert_eq!(met(&[x(1, W), x(0, W), y(1, W), x(0, R)]), Some((3, Some(1), true)));
    assert_eq!(met(&[x(1, W), x(2, W), x(1, R), x(0, U)]), Some((3, Some(1), true)), "a read leaves nothing");
    assert_eq!(met(&[x(0, W), x(1, R), x(0, R)]), Some((2, None, true)), "nobody else wrote");
    assert_eq!(
        met(&[x(1, W), x(0, R), (0, op(OpKind::Join)), y(0, W)]),
        Some((1, Some(0), false)),
        "a write is no read"
    );
}
