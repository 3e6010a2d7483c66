//! Waiting for signals by name: `sigwait` and its like.
//!
//! A waiting thread is queued like one on a futex, on the object that stands for all signals; whoever sends what it waits
//! for lets it go on.

use super::{Info, SI_USER, SOVEREIGN, blocked, change, deliver_pending, object, point, state, take_pending};
use crate::abi::access::joined_range;
use crate::api::Timespec;
use crate::api::errno::{EAGAIN, EINTR, EINVAL, fail};
use crate::control::{become_concurrent, unsupported};
use crate::interpose::caller;
use crate::state::{g, me};
use crate::{record, sched, standard, time};
use gabion_trace::{AccessKind, Address, Coverage, OpKind, Pseudo};

/// How long to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    Endless,
    /// Nanoseconds.
    For(u64),
}

/// What of a set is pending for the running thread.
fn ready(set: u64) -> u64 {
    let s = state();
    (s.masks[g().current].pending | s.pending) & set
}

/// Waits until a signal of the set is pending and takes it. None: time is up.
fn wait(set: *const u64, patience: Patience, pc: u64) -> Option<i32> {
    point(pc);
    joined_range(set as u64, 8, AccessKind::READ, pc);
    // SAFETY: the program's set.
    let set = unsafe { *set } & !SOVEREIGN;
    if ready(set) == 0 {
        let (op, duration) = match patience {
            Patience::Endless => (OpKind::FutexQueued, 0),
            Patience::For(0) => return None,
            Patience::For(duration) => (OpKind::FutexTimeout, duration),
        };
        me().timed_out = false;
        become_concurrent();
        sched::reach_detailed(op, object(), pc, set);
        let late = core::mem::replace(&mut me().timed_out, false);
        if late {
            time::pass(duration);
        }
        record::op(op, object(), u32::from(late), pc);
        if late {
            return None;
        }
    }
    let signal = ready(set).trailing_zeros() as i32 + 1;
    take_pending(signal);
    Some(signal)
}

/// Fills in what the program asked to know about the signal.
fn tell(signal: i32, to: *mut Info, pc: u64) {
    if !to.is_null() {
        joined_range(to as u64, size_of::<Info>() as u64, AccessKind::WRITE, pc);
        // SAFETY: the program's variable.
        unsafe { *to = Info::new(signal, SI_USER, 0) };
    }
}

// ABI: signal.h
interpose! {
    fn sigwait(set: *const u64, signal: *mut i32) -> i32 {
        let pc = caller();
        let Some(taken) = wait(set, Patience::Endless, pc) else { return EINVAL };
        joined_range(signal as u64, 4, AccessKind::WRITE, pc);
        // SAFETY: the program's variable.
        unsafe { *signal = taken };
        0
    }
    fn sigwaitinfo(set: *const u64, info: *mut Info) -> i32 {
        let pc = caller();
        let Some(taken) = wait(set, Patience::Endless, pc) else { return fail(EINVAL) };
        tell(taken, info, pc);
        taken
    }
    fn sigtimedwait(set: *const u64, info: *mut Info, timeout: *const Timespec) -> i32 {
        let pc = caller();
        // SAFETY: the program's timeout, or none.
        let patience = match unsafe { timeout.as_ref() } {
            None => Patience::Endless,
            Some(t) if t.valid() && t.seconds >= 0 => Patience::For(t.total()),
            Some(_) => return fail(EINVAL),
        };
        let Some(taken) = wait(set, patience, pc) else { return fail(EAGAIN) };
        tell(taken, info, pc);
        taken
    }
    fn sigsuspend(set: *const u64) -> i32 {
        let pc = caller();
        point(pc);
        let before = blocked();
        // SAFETY: the program's set.
        change().masks[g().current].blocked = unsafe { *set } & !SOVEREIGN;
        if !deliver_pending(pc) {
            unsupported("sigsuspend", pc);
        }
        change().masks[g().current].blocked = before;
        fail(EINTR)
    }
    fn pause() -> i32 {
        let pc = caller();
        if standard::is_library(pc) {
            // Rust's, of a thread that wants to end the process while another is about to: which of them does may be decided unseen.
            record::cover(Coverage::KEPT_FROM_EXIT);
            sched::reach(OpKind::FutexQueued, Address::pseudo(Pseudo::Process), pc);
        }
        point(pc);
        unsupported("pause", pc)
    }
    fn sigpending(set: *mut u64) -> i32 {
        let pc = caller();
        point(pc);
        joined_range(set as u64, 8, AccessKind::WRITE, pc);
        // SAFETY: the program's set.
        unsafe { *set = ready(blocked()) };
        0
    }
}
