//! Waits with a time limit.
//!
//! `while (!flag) pthread_cond_timedwait(…)` is a loop that waits like one that yields: a round in which the limit comes first leaves
//! the queue, looks, and enters the queue again. If a thread is in the queue in the private state that it was in there before, and read
//! what it would read again, its limit comes no more until one of those bytes has changed; who wakes those in the queue wakes it as ever.
//!
//! Nobody sees such a round. Who wakes somebody while the thread is out of the queue wakes another, or nobody; but then the thread could
//! have stayed out of it, before its mutex, from the first such wake-up to the last, and made one round in place of many. The mutex of a
//! condition variable is taken in a round and given back; see `locks`. That it was free is no reason to go on when it is not: to leave
//! the queue needs no mutex.
//!
//! A loop that looks at the clock, or counts, is left to `guess`, after as many rounds as [`LIMITS`]; one that has effects too is only ended by time, then, when nobody else can go on.

use super::{Eager, History, Read, effect, history, mine};
use crate::guess;
use crate::interpose::ENTRY;
use crate::private::{HEAD, Now};
use crate::state::{Pending, g, me};
use crate::{control, sched};
use gabion_trace::{Address, OpKind, Point};

/// Visits of a wait with a time limit before a guess: in all but the last the limit may come at any time.
pub const LIMITS: u32 = 4;

/// Does the operation end by time if nothing else ends it?
pub fn is_limited(op: OpKind) -> bool {
    use OpKind::*;
    matches!(op, CondTimeout | FutexTimeout | ParkTimeout | SemTimedWait)
}

impl History {
    /// Keeps the visit of a wait with a time limit, so that the next is held against it.
    pub(super) fn begin_timed(&mut self, now: &Now) {
        if now.depth > HEAD {
            return;
        }
        if self.full || self.count > super::READS / 2 {
            self.lose();
            (self.full, self.count, self.changed) = (false, 0, 0);
        }
        self.timed.begin(now, self.mark());
    }
}

/// The registers of the program's call. Others run before it is over, and leave theirs.
pub fn entry() -> [u64; 7] {
    // SAFETY: one kernel thread.
    unsafe { ENTRY }
}

/// They are these again.
pub fn set_entry(entry: [u64; 7]) {
    // SAFETY: one kernel thread.
    unsafe { ENTRY = entry };
}

/// The running thread is in the queue of its pending operation's object until somebody wakes it or its limit comes. `with` is what
/// else the call is about.
pub fn queue(pending: Pending, with: u64, entry: [u64; 7]) {
    let f = me();
    (f.timed_out, f.force, f.pending) = (false, false, pending);
    control::become_concurrent();
    if is_limited(pending.op) && g().active {
        set_entry(entry);
        let waits = super::visit(pending.op, pending.object.0 ^ with.rotate_left(32), pending.pc, Eager::Yes);
        if !waits && me().alone && guess::alone(pending.op, pending.pc) {
            me().timed_out = true;
            return;
        }
    }
    sched::schedule(Point::Voluntary);
}

/// The running thread's limit has come.
pub fn ended() {
    let h = mine();
    h.late = true;
    h.passed();
}

/// The running thread has taken the mutex of a condition variable again.
pub fn took_again(mutex: Address, pc: u64) {
    let h = mine();
    if !core::mem::replace(&mut h.late, false) {
        return effect();
    }
    if h.visits > 0 {
        h.settle();
        h.keep(Read { at: mutex.offset(), address: mutex, pc, took: true, ..Read::NONE });
    }
}

/// A thread has been taken from its queue.
pub fn woken(thread: usize) {
    let f = &mut g().fibers[thread];
    (f.waits, f.tried) = (false, false);
    history(thread).forget();
    guess::begin(thread);
}
