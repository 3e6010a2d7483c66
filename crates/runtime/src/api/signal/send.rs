//! Sending: who gets a signal, and what becomes of it.

use super::{SI_TKILL, SOVEREIGN, act, bit, change, die, handler_for, ignored, keeps, object, point, state, valid};
use crate::api::about::thread_number;
use crate::api::errno::{EINVAL, EPERM, ESRCH, fail};
use crate::api::thread::looks_at;
use crate::control::unsupported;
use crate::fiber::Life;
use crate::state::{Pending, ThreadSet, g};
use crate::{plan, record, sys};
use gabion_trace::{ChoiceKind, Coverage, OpKind};

/// Threads that wait for this signal by name.
fn waiters(signal: i32) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    for t in g.live.iter() {
        let p = &g.fibers[t].pending;
        let queued = matches!(p.op, OpKind::FutexQueued | OpKind::FutexTimeout);
        if queued && p.object == object() && p.detail & bit(signal) != 0 {
            set.insert(t);
        }
    }
    set
}

/// A thread that waits for the signal gets it.
fn hand_over(thread: usize, signal: i32) {
    change().masks[thread].pending |= bit(signal);
    let f = &mut g().fibers[thread];
    f.pending = Pending { op: OpKind::Run, ..f.pending };
    record::pending(thread);
}

/// Sends to one thread.
fn send(call: &str, thread: usize, signal: i32, code: i32, value: u64, pc: u64) {
    point(pc);
    if waiters(signal).has(thread) {
        hand_over(thread, signal);
    } else if state().masks[thread].blocked & bit(signal) & !SOVEREIGN != 0 {
        keeps(state().masks[thread].pending, signal, code, value, pc);
        change().masks[thread].pending |= bit(signal);
    } else if thread == g().current {
        act(signal, code, value, pc);
    } else if ignored(signal) || !g().fibers[thread].alive() {
    } else if handler_for(signal).is_some() {
        let text = sys::Text::<96>::format(format_args!("{call} with a handler that would interrupt another thread"));
        unsupported(core::str::from_utf8(text.as_bytes()).unwrap_or(call), pc);
    } else {
        die(signal, pc);
    }
}

/// Sends to the process: to whoever waits for it, else to the sender, else to whoever lets it through.
fn send_process(call: &str, signal: i32, code: i32, value: u64, pc: u64) {
    let me = g().current;
    let open = |t: &usize| state().masks[*t].blocked & bit(signal) & !SOVEREIGN == 0;
    point(pc);
    let waiting = waiters(signal);
    match waiting.len() {
        0 => {}
        1 => return hand_over(waiting.iter().next().unwrap_or(me), signal),
        n => return hand_over(plan::choose_thread(ChoiceKind::Waiter, &waiting, &waiting, n), signal),
    }
    let other = g().live.iter().filter(|t| *t != me).find(open);
    if open(&me) {
        if other.is_some() && handler_for(signal).is_some() {
            record::cover(Coverage::UNMODELLED);
        }
        act(signal, code, value, pc);
    } else if let Some(thread) = other {
        send(call, thread, signal, code, value, pc);
    } else {
        keeps(state().pending, signal, code, value, pc);
        change().pending |= bit(signal);
    }
}

/// `kill` and `sigqueue`: 0, or −1 and errno.
pub fn kill(call: &str, target: i32, signal: i32, code: i32, value: u64, pc: u64) -> i32 {
    if signal != 0 && !valid(signal) {
        return fail(EINVAL);
    }
    if target != process_number() && target != 0 {
        if signal == 0 {
            return fail(if target == 1 { EPERM } else { ESRCH });
        }
        unsupported(call, pc);
    }
    if signal != 0 {
        send_process(call, signal, code, value, pc);
    }
    0
}

/// `pthread_kill` and `pthread_sigqueue`: 0 or an error number.
pub fn thread_kill(call: &str, thread: Option<usize>, signal: i32, code: i32, value: u64, pc: u64) -> i32 {
    let Some(thread) = thread.filter(|t| g().fibers[*t].life != Life::Unborn) else { return ESRCH };
    if signal == 0 {
        return 0;
    }
    if !valid(signal) {
        return EINVAL;
    }
    send(call, thread, signal, code, value, pc);
    0
}

/// The process's number: main's.
pub fn process_number() -> i32 {
    thread_number() - g().current as i32
}

/// `tgkill`: the thread by its number, which is nobody's once it has ended.
pub fn kill_number(number: i32, signal: i32, pc: u64) -> i32 {
    let thread = number - process_number();
    let known = (0..g().threads as i32).contains(&thread).then_some(thread as usize);
    if let Some(thread) = known.filter(|thread| *thread != g().current) {
        looks_at(thread, pc);
        if !crate::control::ends_are_seen() {
            record::cover(Coverage::UNMODELLED); // by `syscall`: ends of threads have no points
        }
    }
    let known = known.filter(|thread| g().fibers[*thread].life != Life::Ended);
    match thread_kill("tgkill", known, signal, SI_TKILL, 0, pc) {
        0 => 0,
        error => fail(error),
    }
}

/// `raise`.
pub fn raise(signal: i32, pc: u64) -> i32 {
    if !valid(signal) {
        return if signal == 0 { 0 } else { fail(EINVAL) };
    }
    send("raise", g().current, signal, SI_TKILL, 0, pc);
    0
}
