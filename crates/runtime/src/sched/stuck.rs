//! Nobody can go on: deadlocks, circles of those that wait for each other, livelocks.

use super::enabled;
use crate::api::standard::{self, WORD};
use crate::api::{mutex, once, rwlock, spin};
use crate::control::finish;
use crate::fiber::{self, Life};
use crate::record;
use crate::state::{ThreadSet, g, me};
use gabion_trace::{Address, Ending, OpKind, Rec, Tag, ThreadId};
use gabion_trace::{FINAL, SPINS};

/// Who must do something before the thread can go on. Empty: unknown, anybody may help.
fn holders(thread: usize) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    if g.fibers[thread].waits {
        return set;
    }
    let at = g.fibers[thread].pending.object.offset();
    let detail = g.fibers[thread].pending.detail;
    match g.fibers[thread].pending.op {
        OpKind::ReadLock | OpKind::WriteLock | OpKind::Once if detail & WORD != 0 => set = standard::locks::owners(at),
        OpKind::ScopeJoin => set.insert(standard::scope::waited_for(detail)),
        OpKind::CondReacquire if detail == WORD => {
            if let Some(owner) = spin::owner(at) {
                set.insert(owner);
            }
        }
        OpKind::MutexLock | OpKind::CondReacquire => {
            if let Some(owner) = mutex::owner(at) {
                set.insert(owner);
            }
        }
        OpKind::Join => set.insert(at as usize),
        OpKind::ReadLock | OpKind::WriteLock => set = rwlock::owners(at),
        OpKind::SpinLock => {
            if let Some(owner) = spin::owner(at) {
                set.insert(owner);
            }
        }
        OpKind::Once => {
            if let Some(owner) = once::owner(at) {
                set.insert(owner);
            }
        }
        _ => {}
    }
    set.keep_below(g.threads); // the program can overwrite its locks: who never existed holds nothing
    set
}

pub(super) const CIRCLE: &[u8] = b"threads wait for each other in a circle";

/// Do threads wait for each other in a circle?
pub(super) fn in_circle() -> bool {
    g().live.iter().any(waits_for_itself)
}

fn is_blocked(thread: usize) -> bool {
    g().fibers[thread].life == Life::Live && !enabled(thread)
}

/// Is the thread in a circle of those that wait for each other? Every one of a thread's holders has to move before it can, so
/// reaching the thread again through any of them means that nobody will.
fn waits_for_itself(from: usize) -> bool {
    let mut seen = ThreadSet::EMPTY;
    let mut todo = if is_blocked(from) { holders(from) } else { ThreadSet::EMPTY };
    while let Some(t) = todo.first() {
        todo.remove(t);
        if t == from {
            return true;
        }
        if is_blocked(t) && !seen.has(t) {
            seen.insert(t);
            holders(t).iter().for_each(|h| todo.insert(h));
        }
    }
    false
}

/// The run is at its end. Threads that wait for each other in a circle are a deadlock even if all others went on to it.
/// That is asked at the end and not before: whether the others do something before or after a circle is closed must
/// make no difference, or steps that have nothing to do with it would depend on it.
pub fn end_in_circle() {
    if g().active && in_circle() {
        deadlock(CIRCLE, 1);
    }
}

/// Calls `each` for every thread that cannot go on: what it waits to do, to what, and 1 + who holds that (0: nobody;
/// [`SPINS`]: it waits in a loop).
pub fn each_blocked(mut each: impl FnMut(ThreadId, OpKind, Address, u64)) {
    let g = g();
    for t in 0..g.threads {
        let f = &g.fibers[t];
        if f.life == Life::Live && !enabled(t) {
            let holder = if f.waits { SPINS } else { holders(t).first().map_or(0, |h| h as u64 + 1) };
            each(ThreadId(t as u16), f.pending.op, f.pending.object, holder);
        }
    }
}

/// Does it wait for the end of another thread?
fn joins(op: OpKind) -> bool {
    matches!(op, OpKind::Join | OpKind::ScopeJoin)
}

/// The thread at which a deadlock is shown: one that waits for what it holds itself, else one of a circle, else one that waits for
/// something other than another's end; of several the running one, which came to wait last.
fn deadlocked() -> usize {
    let g = g();
    let any = |is: &dyn Fn(usize) -> bool| {
        let mut all = [g.current].into_iter().chain(0..g.threads);
        all.find(|t| is_blocked(*t) && is(*t))
    };
    let waits = |t: usize| !joins(g.fibers[t].pending.op);
    any(&|t| holders(t).has(t))
        .or_else(|| any(&|t| waits(t) && waits_for_itself(t)))
        .or_else(|| any(&waits_for_itself))
        .or_else(|| any(&waits))
        .unwrap_or(g.current)
}

/// Who waits, and for what, at the end.
fn keep_blocked() {
    each_blocked(|t, op, object, holder| {
        record::keep(Rec::new(Tag::Blocked, op as u8, t, FINAL, object.0, holder));
        crate::blame::waits(t.index());
    });
}

/// Nobody can go on, and somebody waits in a loop for what nobody will do. It is shown there.
pub(super) fn livelock() -> ! {
    let g = g();
    keep_blocked();
    let spins = g.live.iter().find(|t| g.fibers[*t].waits);
    fiber::becomes(spins.expect("internal error: nobody waits in a loop"));
    let guessed = g.live.iter().any(|t| g.fibers[t].waits && g.fibers[t].guessed);
    let text: &[u8] =
        if guessed { b"nobody else can run, and a thread has not left its loop in 10000 visits" } else { b"" };
    finish(Ending::Livelock, 0, me().pending.pc, 0, text)
}

/// Ends the run as a deadlock. `code`: 0 if nobody can go on, 1 if others went on to the end.
pub(super) fn deadlock(text: &[u8], code: i32) -> ! {
    let g = g();
    keep_blocked();
    let for_mutex = |t: &usize| matches!(g.fibers[*t].pending.op, OpKind::MutexLock | OpKind::CondReacquire);
    for t in g.live.iter().filter(|t| for_mutex(t) && !enabled(*t)) {
        let at = g.fibers[t].pending.object.offset();
        if let Some(owner) = mutex::owner(at).filter(|owner| *owner < g.threads) {
            crate::blame::locked_before(owner, at, mutex::place(at));
        }
    }
    fiber::becomes(deadlocked());
    finish(Ending::Deadlock, code, me().pending.pc, 0, text)
}
