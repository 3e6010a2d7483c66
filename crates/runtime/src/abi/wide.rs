//! What is made in one step although the hardware makes it in several.
//!
//! - An access in parts: a struct assignment, a `memcpy` of seven bytes, a 16-byte load, a `strcpy`, a load across two cache
//!   lines. The whole range is announced once.
//! - A statement or call that touches several places: a struct assignment loads and stores, `sscanf` stores twice.
//!
//! No thread can come in between. Where two threads touch the same bytes, one of them that way and one of them writing, or
//! two places of one statement, interleavings are missed unless something keeps the two apart. What is known here without
//! clocks: a lock that both hold, one of them not only for reading; an access before the other thread was created, or after it
//! was joined. Anything else is noted for the verdict.
//!
//! Not in parts: `memcpy` and `memset` of one, two, four or eight bytes, which compilers and C libraries make with one
//! instruction.

use crate::record;
use crate::state::{g, me};
use gabion_trace::{Access, AccessKind, Coverage, OpKind};

/// What one instruction can access without being torn.
const WORD: u32 = 8;
/// What a core reads and writes at once.
const LINE: u64 = 64;
/// Accesses remembered in a run.
const KEPT: usize = 64;
/// Locks remembered per thread; more only makes the note come sooner.
pub const LOCKS: usize = 4;

#[derive(Clone, Copy)]
struct Seen {
    access: Access,
    thread: usize,
    step: u64,
    locks: [u64; LOCKS],
    reading: u8,
    /// Made in parts. Otherwise it is one of several places that a statement touches, which go by one instruction.
    parts: bool,
    /// Others have met it.
    met: bool,
}

struct Wide {
    seen: [Option<Seen>; KEPT],
    next: usize,
    any: bool,
    /// The last access that began a statement, and its thread.
    first: Option<(Access, usize)>,
}

const NOTHING: Wide = Wide { seen: [None; KEPT], next: 0, any: false, first: None };

static mut WIDE: Wide = NOTHING;

fn wide() -> &'static mut Wide {
    // SAFETY: one kernel thread.
    unsafe { &mut WIDE }
}

/// At the start of a run.
pub fn reset() {
    let w = wide();
    if w.any {
        *w = NOTHING;
    }
    w.first = None;
}

/// Is a plain access made by several instructions, or by one that can be torn?
#[inline(always)]
fn in_parts(access: &Access) -> bool {
    let size = access.size;
    size > WORD
        || !size.is_power_of_two()
        || access.address.0 % LINE + u64::from(size) > LINE
        || access.kind.has(AccessKind::PARTS) && size > 1
}

/// A plain access of the running thread; `joined`: it belongs to the statement of the one before. What is neither in parts nor one
/// of several is held against those that came before and not remembered: if it came first, the two meet in another interleaving.
#[inline(always)]
pub fn check(access: &Access, joined: bool) {
    if joined || wide().any || in_parts(access) {
        look(access, joined);
    } else {
        wide().first = Some((*access, g().current));
    }
}

/// An atomic access, or an operation that touches its object's bytes: whole, whatever its size.
#[inline(always)]
pub fn check_whole(access: &Access) {
    if wide().any {
        meet(&mut seen(access, false));
    }
}

fn seen(access: &Access, parts: bool) -> Seen {
    let f = me();
    let (thread, step) = (g().current, g().steps);
    Seen { access: *access, thread, step, locks: f.locks, reading: f.reading, parts, met: false }
}

/// As [`check`], where there is more to do.
#[cold]
fn look(access: &Access, joined: bool) {
    let w = wide();
    let mut new = seen(access, in_parts(access));
    meet(&mut new);
    if joined {
        match w.first {
            // Of the same statement, both.
            Some((first, thread)) if first.pc == access.pc && thread == new.thread => {
                let first = seen(&first, in_parts(&first));
                if !within(&first, &new) {
                    keep(first);
                }
            }
            // A call that did something to an object, and then to memory.
            _ => new.parts = true,
        }
    } else {
        w.first = Some((*access, new.thread));
    }
    if joined || new.parts {
        keep(new);
    }
}

/// Holds an access of the running thread against those remembered of others.
fn meet(new: &mut Seen) {
    let w = wide();
    let mut torn = false;
    for i in 0..KEPT {
        let Some(s) = &mut w.seen[i] else { continue };
        let apart = s.thread == new.thread || !s.access.conflicts(&new.access);
        if apart || is_object(s) && is_object(new) || share_lock(s, new) || ordered(s) {
            continue;
        }
        new.met = true;
        s.met = true;
        let s = *s;
        torn |= s.parts || new.parts || w.seen.iter().flatten().any(|other| are_two(&s, other));
    }
    if torn {
        record::cover(Coverage::TORN);
    }
}

/// An operation's access to its object's bytes: one keeps out the other.
fn is_object(seen: &Seen) -> bool {
    seen.access.kind.has(AccessKind::OF_OBJECT)
}

/// Are the two places of one statement that others have met?
fn are_two(one: &Seen, other: &Seen) -> bool {
    one.met && other.met && (one.thread, one.access.pc) == (other.thread, other.access.pc) && !within(one, other)
}

/// Do they have a byte in common?
fn within(one: &Seen, other: &Seen) -> bool {
    let (a, b) = (&one.access, &other.access);
    a.address.0 < b.address.0 + u64::from(b.size) && b.address.0 < a.address.0 + u64::from(a.size)
}

/// Remembers an access; what was remembered already, of the same thread with the same locks, only once.
fn keep(new: Seen) {
    let w = wide();
    w.any = true;
    let same = |s: &&mut Seen| {
        (s.thread, s.access, s.parts, s.locks, s.reading) == (new.thread, new.access, new.parts, new.locks, new.reading)
    };
    if let Some(old) = w.seen.iter_mut().flatten().find(same) {
        old.step = new.step;
        old.met |= new.met;
    } else {
        w.seen[w.next] = Some(new);
        w.next = (w.next + 1) % KEPT;
        if w.next == 0 {
            record::cover(Coverage::TORN); // too many to keep apart
        }
    }
    if new.met && w.seen.iter().flatten().any(|other| are_two(&new, other)) {
        record::cover(Coverage::TORN);
    }
}

/// Do both hold a lock that keeps the other out?
fn share_lock(one: &Seen, other: &Seen) -> bool {
    let held = |s: &Seen, lock: u64| s.locks.iter().position(|l| *l == lock).map(|i| s.reading >> i & 1 == 1);
    one.locks.iter().filter(|lock| **lock != 0).any(|lock| match (held(one, *lock), held(other, *lock)) {
        (Some(one_reads), Some(other_reads)) => !(one_reads && other_reads),
        _ => false,
    })
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
            let f = &mut g.fibers[me];
            if let Some(i) = f.locks.iter().position(|l| *l == 0) {
                f.locks[i] = object;
                f.reading = f.reading & !(1 << i) | u8::from(matches!(op, ReadLock | ReadTryLock)) << i;
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
