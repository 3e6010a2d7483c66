//! `Condvar`, as `cond` has it for the C library's: to wait is to release the mutex and enter the queue in one step.
//!
//! The queue is the set of threads whose pending operation names the condition variable. Its word, by which the library
//! notices what comes between, is left alone.

use super::locks;
use super::{WORD, later, models, models_open};
use crate::interpose::caller;
use crate::plan;
use crate::state::{Pending, ThreadSet, g, me};
use crate::waiting::timed;
use crate::{record, sched, time};
use gabion_trace::{Address, ChoiceKind, Coverage, OpKind};

fn waiters(condvar: u64) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    for t in g.live.iter() {
        let p = &g.fibers[t].pending;
        if matches!(p.op, OpKind::CondQueued | OpKind::CondTimeout) && p.object == Address::object(condvar) {
            set.insert(t);
        }
    }
    set
}

/// Waits; the mutex is held again when this returns. `until` is in virtual time. False: that came first.
fn enter(condvar: u64, mutex: u64, until: Option<u64>, pc: u64) -> bool {
    let (object, entry) = (Address::object(condvar), timed::entry());
    sched::reach_detailed(OpKind::CondWait, object, pc, WORD);
    record::cover(Coverage::COND_WAIT);
    record::word_op(OpKind::CondWait, object, 0, pc);
    locks::release(mutex, pc);
    let op = if until.is_some() { OpKind::CondTimeout } else { OpKind::CondQueued };
    me().mutex = mutex;
    timed::queue(Pending { op, object, pc, detail: WORD }, mutex, entry);
    let f = me();
    let alone = core::mem::replace(&mut f.timed_out, false);
    if alone {
        // By time, or spuriously: not through a notification, which would have changed what is pending.
        match until {
            Some(at) => time::reach(at),
            None => f.spurious += 1,
        }
        record::word_op(f.pending.op, object, 0, pc);
        sched::reach_detailed(OpKind::CondReacquire, Address::object(mutex), pc, WORD);
    }
    locks::reacquire(mutex, pc);
    !(alone && until.is_some())
}

/// A waiter leaves the queue and competes for its mutex.
fn wake(thread: usize) {
    let f = &mut g().fibers[thread];
    f.pending = Pending { op: OpKind::CondReacquire, object: Address::object(f.mutex), detail: WORD, ..f.pending };
    timed::woken(thread);
    time::lets_go(thread);
    record::pending(thread);
}

models! {
    fn wait(condvar: u64, mutex: u64) {
        enter(condvar, mutex, None, caller());
    }
    fn notify_one(condvar: u64) {
        let pc = caller();
        sched::reach(OpKind::CondSignal, Address::object(condvar), pc);
        let set = waiters(condvar);
        let woken = match set.len() {
            0 => None,
            1 => set.first(),
            n => Some(plan::choose_thread(ChoiceKind::Waiter, &set, &set, n)),
        };
        record::word_op(OpKind::CondSignal, Address::object(condvar), woken.map_or(0, |t| t as u32 + 1), pc);
        if let Some(thread) = woken {
            wake(thread);
        }
    }
    fn notify_all(condvar: u64) {
        let pc = caller();
        sched::reach(OpKind::CondBroadcast, Address::object(condvar), pc);
        let set = waiters(condvar);
        record::word_op(OpKind::CondBroadcast, Address::object(condvar), set.len() as u32, pc);
        for thread in set.iter() {
            wake(thread);
        }
    }
}

models_open! {
    /// True: not by time.
    fn wait_timeout(condvar: u64, mutex: u64, seconds: u64, nanoseconds: u32) -> bool {
        let pc = caller();
        enter(condvar, mutex, Some(later(seconds, nanoseconds)), pc)
    }
}
