//! Objects that threads wait for may be neither initialised again nor written over by plain accesses: the C library finds those
//! who wait by the bytes of the object, so nobody would wake them.
//!
//! A thread that stands before an operation which has to wait counts as waiting: without gabion it may already sleep in the kernel.
//! Missed: locks of a language's own library, futexes of the program.

use super::standard::WORD;
use crate::blame::{self, Misuse};
use crate::sched;
use crate::state::g;
use gabion_trace::{OpKind, Space};

/// What a pending operation waits for, and how many bytes that has.
fn object(op: OpKind) -> Option<(&'static str, u64)> {
    use OpKind::*;
    match op {
        CondQueued | CondTimeout => Some(("condition variable", 48)),
        MutexLock | CondReacquire => Some(("mutex", 40)),
        ReadLock | WriteLock => Some(("reader-writer lock", 56)),
        SemWait => Some(("semaphore", 32)),
        BarrierWait => Some(("barrier", 32)),
        _ => None,
    }
}

/// The object with a byte in this range that a thread waits for: what it is and where.
fn find(at: u64, size: u64) -> Option<(&'static str, u64)> {
    let g = g();
    g.live.iter().filter(|t| *t != g.current).find_map(|t| {
        let p = &g.fibers[t].pending;
        let (what, bytes) = object(p.op)?;
        let begin = p.object.offset();
        let there = p.object.space() == Some(Space::Object) && begin < at + size && at < begin + bytes;
        let queued = matches!(p.op, OpKind::CondQueued | OpKind::CondTimeout);
        (there && p.detail & WORD == 0 && (queued || !sched::enabled(t))).then_some((what, begin))
    })
}

/// The running thread is about to initialise the object here. Does not come back if somebody waits for it.
pub fn initialised(op: OpKind, address: u64, pc: u64) {
    if let Some((what, _)) = find(address, 1).filter(|(_, begin)| *begin == address) {
        blame::lock(Misuse::InitAwaited, what, op, address, None, pc);
    }
}

/// The running thread is about to write here, not by an operation on the object.
pub fn written(at: u64, size: u64, pc: u64) {
    if let Some((what, begin)) = find(at, size) {
        blame::written_over(what, begin, pc);
    }
}
