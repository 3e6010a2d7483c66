//! Sleeping events: explored already from the state in which the plan's last choice is made, and not to be taken again
//! until something that conflicts with them was executed (Godefroid, *Partial-order methods*, chapter 5).
//!
//! They stay where they are, among the plan's records; here is one line for each that still sleeps. Every access and
//! operation of a running thread is held against those of other threads: first a filter of 64 bits, one for each class
//! of words, then the one definition of conflict. While nothing sleeps that is one comparison.
//!
//! The state of a choice that was made within a step is the one before that step. What sleeps is an event: a thread's
//! step with the values that it chose on its way. A thread whose event chose nothing is left out when somebody is chosen to
//! run; one whose event chose values runs, and the last of the values is left out.

use crate::control::finish;
use crate::state::{ThreadSet, g, me};
use gabion_trace::shared::{MAX_SLEEPERS, MAX_THREADS};
use gabion_trace::{Access, Address, ChoiceKind, Ending, OpKind, Rec, Tag};

/// Words of an access beyond which every class of words may be touched.
const MANY: u64 = 8;
/// The step chose something else than the event did.
const OTHERWISE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Sleeper {
    thread: u16,
    step: u32,
    /// How many values it chose; their records begin at `at`, and those of what it touched follow.
    values: u32,
    accesses: u32,
    at: u32,
    /// Values chosen so far in its step that are the event's.
    matched: u32,
    /// Classes of words that it touched, and that it wrote.
    touched: u64,
    written: u64,
}

struct Sleeping {
    /// Invariant: those below the number in the state sleep; before they do, those below `loaded` wait for it. All indices
    /// in them lie below the number of the plan's records; `load` sees to it.
    each: [Sleeper; MAX_SLEEPERS],
    loaded: usize,
    /// What any of them touched, and wrote.
    touched: u64,
    written: u64,
}

const NOBODY: Sleeper =
    Sleeper { thread: 0, step: 0, values: 0, accesses: 0, at: 0, matched: 0, touched: 0, written: 0 };

static mut SLEEPING: Sleeping = Sleeping { each: [NOBODY; MAX_SLEEPERS], loaded: 0, touched: 0, written: 0 };

fn sleeping() -> &'static mut Sleeping {
    // SAFETY: one kernel thread.
    unsafe { &mut SLEEPING }
}

fn rec(index: u32) -> Rec {
    // SAFETY: `load` has held every index against the number of records in the slot.
    unsafe { *g().choices.add(index as usize) }
}

/// Takes the plan's sleeping events. None of them sleeps yet.
pub fn load() {
    let (g, s) = (g(), sleeping());
    s.loaded = 0;
    g.sleepers = 0;
    let mut i = g.plan.choices;
    while i < g.plan.records {
        let head = rec(i);
        i += 1;
        if head.tag() == Some(Tag::Sleeper) && s.loaded < MAX_SLEEPERS {
            let left = u64::from(g.plan.records - i);
            let values = head.b.min(left) as u32;
            let accesses = head.a.min(left - u64::from(values)) as u32;
            let (thread, step) = (head.thread().0, head.n());
            let mut sleeper = Sleeper { thread, step, values, accesses, at: i, ..NOBODY };
            for access in footprint(&sleeper) {
                let words = classes(&access);
                sleeper.touched |= words;
                sleeper.written |= if access.kind.writes() { words } else { 0 };
            }
            i += values + accesses;
            s.each[s.loaded] = sleeper;
            s.loaded += 1;
        }
    }
    g.sleepers_due = s.loaded > 0;
}

/// Nothing sleeps, and nothing will.
pub fn nobody() {
    sleeping().loaded = 0;
    (g().sleepers, g().sleepers_due) = (0, false);
}

/// Should the plan's events sleep already? So it is where the last choice is made within a step that has begun.
pub fn is_late() -> bool {
    let g = g();
    let last = g.plan.choices.checked_sub(1).map(rec);
    g.sleepers_due
        && last.is_none_or(|last| {
            let begun = g.fibers[last.thread().index() % MAX_THREADS].step;
            last.choice_kind() != Some(ChoiceKind::Thread) && last.choice_step() <= begun
        })
}

fn footprint(sleeper: &Sleeper) -> impl Iterator<Item = Access> + use<> {
    let from = sleeper.at + sleeper.values;
    (from..from + sleeper.accesses).map(|i| rec(i).as_access())
}

/// The classes of the words that an access touches.
fn classes(access: &Access) -> u64 {
    let (first, size) = (access.address.0, u64::from(access.size));
    if size == 0 {
        return 0;
    }
    let (first, last) = (first >> 3, first.saturating_add(size - 1) >> 3);
    if last - first >= MANY {
        return u64::MAX;
    }
    (first..=last).fold(0, |set, word| set | 1 << (word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58))
}

/// A step of `thread` begins. If it begins with the plan's last choice, or will make it, the events sleep from here on.
#[cold]
pub fn begin_step(thread: usize) {
    let g = g();
    let due = match g.plan.choices.checked_sub(1) {
        Some(index) if g.position <= index as usize => {
            let last = rec(index);
            last.choice_kind() != Some(ChoiceKind::Thread)
                && last.thread().index() == thread
                && last.choice_step() == g.fibers[thread].step + 1
        }
        _ => true,
    };
    if due {
        g.sleepers_due = false;
        g.sleepers = sleeping().loaded;
        refresh();
    }
}

/// The running thread did something to an object.
#[cold]
pub fn wake_by_op(op: OpKind, object: Address, result: u32, pc: u64) {
    wake(&Access { address: object, size: 1, kind: op.uses(result), pc });
}

/// The running thread touches something: events of other threads that conflict with that sleep no longer.
#[cold]
pub fn wake(access: &Access) {
    if access.kind.0 == 0 {
        return; // an operation that is no part of a footprint
    }
    let (g, s) = (g(), sleeping());
    let words = classes(access);
    let of = |touched: u64, written: u64| words & if access.kind.writes() { touched } else { written };
    if of(s.touched, s.written) == 0 {
        return;
    }
    let before = g.sleepers;
    for i in (0..before).rev() {
        let sleeper = &s.each[i];
        let other = usize::from(sleeper.thread) != g.current;
        if other && of(sleeper.touched, sleeper.written) != 0 && footprint(sleeper).any(|a| a.conflicts(access)) {
            g.sleepers -= 1;
            s.each.swap(i, g.sleepers);
        }
    }
    if g.sleepers != before {
        refresh();
    }
}

/// The filter of all that still sleep.
fn refresh() {
    let s = sleeping();
    (s.touched, s.written) = (0, 0);
    for sleeper in &s.each[..g().sleepers] {
        s.touched |= sleeper.touched;
        s.written |= sleeper.written;
    }
}

/// Takes out of a set what would be a sleeping event: of threads to run, or of values to choose within a step. Ends the
/// run if nothing is left.
#[cold]
pub fn leave_out(kind: ChoiceKind, among: &mut ThreadSet) {
    let (g, s) = (g(), sleeping());
    for sleeper in &s.each[..g.sleepers] {
        if kind == ChoiceKind::Thread {
            let thread = usize::from(sleeper.thread);
            if sleeper.values == 0 && thread < g.threads && g.fibers[thread].step == sleeper.step {
                among.remove(thread);
            }
        } else if is_running(sleeper) && sleeper.matched.checked_add(1) == Some(sleeper.values) {
            among.remove(rec(sleeper.at + sleeper.matched).n() as usize);
        }
    }
    if among.len() == 0 {
        let pc = me().pending.pc;
        // The code says whether a step was begun and not ended.
        let within = i32::from(kind != ChoiceKind::Thread);
        finish(Ending::Asleep, within, pc, 0, b"all that could go on was explored from an equal state");
    }
}

/// Is this the step that the running thread is in?
fn is_running(sleeper: &Sleeper) -> bool {
    let g = g();
    usize::from(sleeper.thread) == g.current && me().step == sleeper.step.wrapping_add(1)
}

/// The running thread chose a value within its step.
#[cold]
pub fn chose(value: usize) {
    let s = sleeping();
    for sleeper in s.each[..g().sleepers].iter_mut().filter(|s| is_running(s)) {
        let same = sleeper.matched < sleeper.values && rec(sleeper.at + sleeper.matched).n() as usize == value;
        sleeper.matched = if same { sleeper.matched + 1 } else { OTHERWISE };
    }
}
