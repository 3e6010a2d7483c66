//! Copies that are made in one step although the hardware makes them in several.
//!
//! A struct assignment, a `memcpy`, a 16-byte load: the compiler announces the whole range once, and no thread can come in
//! between. Where two threads touch the same bytes, one of them that way and one of them writing, interleavings are
//! missed unless something keeps the two apart. What is known here without clocks: a lock that both hold, an access before
//! the other thread was created, or after it was joined. Anything else is noted for the verdict.

use crate::state::{g, me};
use crate::{record, state};
use gabion_trace::{Access, Coverage, OpKind};

/// What one instruction can access without being torn.
const WORD: u32 = 8;
/// Wide accesses remembered in a run.
const KEPT: usize = 64;
/// Locks remembered per thread; more only makes the note come sooner.
pub const LOCKS: usize = 4;

#[derive(Clone, Copy)]
struct Seen {
    access: Access,
    thread: usize,
    step: u64,
    locks: [u64; LOCKS],
}

struct Wide {
    seen: [Option<Seen>; KEPT],
    next: usize,
    any: bool,
}

static mut WIDE: Wide = Wide { seen: [None; KEPT], next: 0, any: false };

fn wide() -> &'static mut Wide {
    // SAFETY: one kernel thread.
    unsafe { &mut WIDE }
}

/// At the start of a run.
pub fn reset() {
    let w = wide();
    if w.any {
        *w = Wide { seen: [None; KEPT], next: 0, any: false };
    }
}

/// An access of the running thread. Narrow ones are remembered only where they meet a wide one that came before; a
/// narrow one that came first meets the wide one in another interleaving.
#[inline(always)]
pub fn check(access: &Access) {
    if access.size > WORD || wide().any {
        look(access);
    }
}

#[cold]
fn look(access: &Access) {
    let (g, w) = (g(), wide());
    let apart = |s: &Seen| s.thread == g.current || share_lock(&s.locks) || ordered(s);
    if w.seen.iter().flatten().any(|s| s.access.conflicts(access) && !apart(s)) {
        record::cover(Coverage::TORN);
    }
    if access.size > WORD {
        let locks = me().locks;
        w.seen[w.next] = Some(Seen { access: *access, thread: g.current, step: g.steps, locks });
        w.next = (w.next + 1) % KEPT;
        if w.next == 0 {
            record::cover(Coverage::TORN); // too many to keep apart
        }
        w.any = true;
    }
}

fn share_lock(locks: &[u64; LOCKS]) -> bool {
    state::me().locks.iter().any(|l| *l != 0 && locks.contains(l))
}

/// Was the access made before the running thread was created, or by a thread that it has joined?
fn ordered(seen: &Seen) -> bool {
    let g = g();
    let mut child = g.current;
    while child != 0 {
        let f = &g.fibers[child];
        if f.parent as usize == seen.thread && seen.step <= f.born {
            return true;
        }
        child = f.parent as usize;
    }
    g.fibers[seen.thread].joiner == Some(g.current as u16)
}

/// Follows the locks that threads hold, and who created and joined whom.
pub fn follow(op: OpKind, object: u64, result: u32) {
    use OpKind::*;
    let g = g();
    let me = g.current;
    match op {
        MutexLock | MutexTryLock | MutexTimedLock | CondReacquire | ReadLock | WriteLock | ReadTryLock
        | WriteTryLock | SpinLock | SpinTryLock
            if result == 0 =>
        {
            if let Some(place) = g.fibers[me].locks.iter_mut().find(|l| **l == 0) {
                *place = object;
            }
        }
        MutexUnlock | ReadUnlock | WriteUnlock | SpinUnlock => {
            g.fibers[me].locks.iter_mut().filter(|l| **l == object).for_each(|l| *l = 0);
        }
        Create => g.fibers[(object & 0xffff) as usize].born = g.steps,
        Join => g.fibers[(object & 0xffff) as usize].joiner = Some(me as u16),
        _ => {}
    }
}
