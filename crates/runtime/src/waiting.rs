//! Loops that only wait.
//!
//! `while (!flag) sched_yield();` never ends as long as nobody sets the flag, and a search that unrolled it would not
//! end either. A thread that comes back to an instruction with exactly the private state that it had there before, and
//! has had no effect in between, will come back again for ever unless something that it read has changed. From then on
//! it is not enabled, until one of the bytes that it read in that round has another value. Nothing is lost: the rounds
//! that are left out change nothing and read what the one that was made has read. The argument in full, and what is
//! deliberately missed, is in `docs/decisions/0006-waiting-loops.md`; the idea of seeing such loops is from the thesis,
//! §3.4.6, which counts instead of comparing.
//!
//! Private state is what a call preserves, and little else: see `private`. An *effect* is whatever this comparison does not cover: a
//! write that others could see, unless it left the bytes as they were, and every library call that is not known here.
//! After an effect all begins again.
//!
//! States are compared with two earlier visits only: the first after an effect (then the third: temporaries on the stack
//! have their values only after the first round), and one that moves up whenever the number of visits doubles (Brent's
//! way of finding a cycle). So a short loop is seen when it first or next comes round, any other when it has come round a
//! few times, and code that does not loop pays for a few copies of a small stack.

mod history;
pub mod locks;
pub mod put_back;
pub mod timed;

pub use history::{Mark, READS, Read, runs};

use crate::api::standard::WORD;
use crate::guess::{self, Advice};
use crate::private::{HEAD, Now, Stage};
use crate::rounds;
use crate::state::{g, me};
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{Access, AccessKind, Address, OpKind, Space};
use history::{History, Write, history, mine, word};

/// Bytes of a deep stack that may be hashed for each visit made, on average.
const PER_VISIT: u64 = 1024;
/// A thread starts.
pub fn begin(thread: usize) {
    history(thread).begin();
    guess::begin(thread);
}

/// The running thread does something that a comparison of its private state would not show.
#[inline(always)]
pub fn effect() {
    let g = g();
    if g.active {
        let h = mine();
        if h.visits > 0 || h.count > 0 || h.announced.is_some() || h.written.is_some() || h.places.any() {
            h.forget();
        }
        guess::progress();
    }
}

/// As [`effect`], of a kind that polling may have in every round.
pub fn minor_effect() {
    let g = g();
    if g.active {
        let h = mine();
        if h.visits > 0 || h.announced.is_some() || h.places.any() {
            h.settle();
            h.forget();
        }
    }
}

/// Operations that may be part of a round without an effect: those that only read, as far as they fail or change
/// nothing, and those that give way.
#[inline(always)]
pub fn concerns(op: OpKind) -> bool {
    use OpKind::*;
    static CONCERNS: [bool; 256] = OpKind::among(&[
        AtomicLoad,
        AtomicStore,
        AtomicUpdate,
        Yield,
        Sleep,
        MutexTryLock,
        MutexTimedLock,
        ReadTryLock,
        WriteTryLock,
        SpinTryLock,
        SemTryWait,
        SemTimedWait,
        SemRead,
        TryJoin,
        ParkTimeout,
    ]);
    CONCERNS[op as usize]
}

/// The running thread did an operation on an object. What it had to look at to fail counts as read.
pub fn did(op: OpKind, object: Address, result: u32, pc: u64) {
    use OpKind::*;
    rounds::value(object.0, u64::from(result));
    if matches!(op, SemWait | SemTryWait | SemTimedWait | SemPost) {
        rounds::value(object.0, word(object.offset(), 4));
    }
    let length = match op {
        Yield | Sleep => return mine().passed(),
        Fence | Preempt => return,
        // See the objects' layouts in `api`.
        MutexTryLock | MutexTimedLock if result != 0 => {
            guess::refused();
            24
        }
        ReadTryLock | WriteTryLock if me().pending.detail == WORD => return effect(),
        ReadTryLock | WriteTryLock if result != 0 && !crate::api::rwlock::sees_waiters(object.offset()) => 56,
        SpinTryLock | SemTryWait | SemTimedWait if result != 0 => 4,
        SemRead => 4,
        ParkTimeout if result != 0 => 4,
        FutexWait => {
            guess::queues(pc);
            return look(object.offset(), 4, Address::memory(object.offset()), pc);
        }
        FutexTimeout if result != 0 => return mine().passed(),
        CondWait if result == 0 => return,
        CondTimeout => return timed::ended(),
        CondReacquire if result == 0 => return timed::took_again(object, pc),
        TryJoin if result != 0 => return joined(object, pc),
        MutexLock | MutexTryLock | MutexTimedLock | SpinLock | SpinTryLock | ReadLock | ReadTryLock if result == 0 => {
            return locks::took(op, object, pc);
        }
        MutexUnlock | SpinUnlock if result == 0 => {
            guess::released(object);
            return locks::released(object);
        }
        ReadUnlock => return locks::released(object),
        CondSignal | CondBroadcast if result == 0 => return awaits_waiter(object, pc),
        MutexLock | MutexUnlock | MutexTryLock | MutexTimedLock => return minor_effect(),
        _ => return effect(),
    };
    look(object.offset(), length, object, pc);
}

/// The running thread has signalled a condition variable on which nobody waits, which changes nothing.
fn awaits_waiter(object: Address, pc: u64) {
    look(object.offset(), 8, object, pc); // its clock, and whether it was destroyed
}

/// A thread begins to wait on a condition variable: for those who would signal it in their next round, that is a change.
pub fn has_waiter(object: Address) {
    let g = g();
    for t in g.live.iter().filter(|t| g.fibers[*t].waits) {
        let h = history(t);
        h.woken |= h.reads[h.round..h.count].iter().any(|read| read.address == object);
    }
}

/// Whether a thread can be joined depends on its life and on who joined it.
fn joined(object: Address, pc: u64) {
    let f = &g().fibers[object.offset() as usize % MAX_THREADS];
    look(&raw const f.life as u64, 1, object, pc);
    look(&raw const f.joined as u64, 1, object, pc);
    look(&raw const f.detached as u64, 1, object, pc);
}

/// The running thread has changed memory with an atomic operation.
pub fn changed(at: u64, size: u64) {
    rounds::value(at, word(at, size.min(8) as u8));
    put_back::changed(at);
}

/// The running thread has made an atomic load.
pub fn loaded(at: u64, size: u64, pc: u64) {
    rounds::asked(pc, at, word(at, size.min(8) as u8));
    saw(at, size, pc);
}

/// The operation that the running thread has come to will be over before anybody else runs, and leaves the stack as it is now.
pub fn will_be_over() {
    let h = mine();
    if h.visits > 0 {
        h.settle();
        h.passed();
    }
}

/// The running thread has read memory, or left it as it was.
pub fn saw(at: u64, size: u64, pc: u64) {
    look(at, size, Address::memory(at), pc);
}

fn look(at: u64, size: u64, address: Address, pc: u64) {
    let h = mine();
    if h.visits > 0 {
        h.settle();
        h.passed();
        pieces(at, size, address, pc, |read| h.push(Read { value: word(read.at, read.size), ..read }));
    }
}

/// The running thread is about to read memory. Eager reads are kept even when the list of reads is full: a wait may still be guessed, and
/// the guess needs the reads of the last round.
pub fn will_see(at: u64, size: u64, pc: u64, eager: Eager) {
    let h = mine();
    if h.visits == 0 || h.full && eager == Eager::No {
        return;
    }
    h.passed();
    if size <= 8 && h.announced.is_none() {
        h.announced = Some(Read { at, size: size as u8, address: Address::memory(at), pc, ..Read::NONE });
    } else {
        // More than one word, or announcements that are all made before the first of the reads. A place that cannot
        // be read faults in the program in a moment.
        h.full = true;
        h.lose();
    }
}

/// Who accesses a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Seen {
    /// The running thread alone, as far as anybody knows.
    ByItself,
    ByOthers,
}

/// The running thread is about to write: to its own stack if others may see it, or to other memory. What leaves the bytes as they were is no
/// effect; what changes memory of the thread's own is none if a later write changes it back.
#[inline(always)]
pub fn will_write(at: u64, size: u64, seen: Seen, pc: u64) {
    if size > 8 || mine().visits == 0 && !me().alone {
        if seen == Seen::ByItself {
            rounds::unseen();
        }
        return effect();
    }
    note_write(at, size as u8, seen, pc);
}

#[cold]
fn note_write(at: u64, size: u8, seen: Seen, pc: u64) {
    let h = mine();
    h.settle();
    let f = me();
    let on_stack = (f.stack_low..f.base).contains(&at);
    if h.visits == 0 && !f.alone || !(on_stack || h.wrote_before(at, size)) {
        if seen == Seen::ByItself {
            rounds::unseen();
        }
        return effect();
    }
    h.passed();
    let before = Read { at, size, address: Address::memory(at), pc, value: word(at, size), took: false };
    h.written = Some(Write { before, own: seen == Seen::ByItself });
}

fn pieces(at: u64, size: u64, address: Address, pc: u64, mut each: impl FnMut(Read)) {
    let mut done = 0;
    while done < size {
        let n = (size - done).min(8);
        let moved = if address.space() == Some(Space::Memory) { Address::memory(at + done) } else { address };
        each(Read { at: at + done, size: n as u8, address: moved, pc, ..Read::NONE });
        done += n;
    }
}

/// As [`visit`], for a plain read. Most have nothing to compare with, yet or any more: code that does not loop, and long
/// loops over memory.
#[inline(always)]
pub fn visit_plain(at: u64, pc: u64) -> bool {
    let h = mine();
    let nothing = h.visits == 0 || (h.full && !(h.visits + 1).is_power_of_two());
    if nothing && !me().alone {
        if h.visits == 0 {
            guess::part(pc);
        }
        h.visits += 1;
        return false;
    }
    visit(OpKind::Access, at, pc, Eager::No)
}

/// The running thread stands before an operation without an effect so far. True: it has been here before, in every
/// respect, and what it read since then is what it would read again: it waits.
pub fn visit(op: OpKind, object: u64, pc: u64, eager: Eager) -> bool {
    let h = mine();
    h.settle();
    let Some(now) = Now::look(pc, object) else {
        h.forget();
        return false;
    };
    // Who goes on alone and comes to something new that may have an effect has left its loop: others may come before that.
    if !me().alone || op == OpKind::Access || !op.mode().writes() {
        guess::part(pc);
    }
    let advice = match eager {
        _ if me().alone => guess::alone_visit(),
        Eager::Yes => guess::visit(op, object, pc, now.registers[0]),
        Eager::No => Advice::None,
    };
    if advice == Advice::Wait {
        let reads = guess::round();
        h.reads[..reads.len()].copy_from_slice(reads);
        (h.round, h.count, h.woken) = (0, reads.len(), false);
        if op == OpKind::ParkTimeout || op == OpKind::SemTimedWait {
            let (at, address) = (Address(object).offset(), Address(object));
            h.keep(Read { at, size: 4, address, pc, value: word(at, 4), took: false });
        }
        let f = me();
        (f.waits, f.guessed) = (true, !f.sure);
        return true;
    }
    h.visits += 1;
    if me().alone {
        return false;
    }
    for earlier in [&h.first, &h.later, &h.timed] {
        // A round that reads nothing is left alone: it may call code that nobody announced.
        let from = earlier.from;
        if now.equals(earlier) && h.count > from.reads && h.holds(from.reads) && h.is_as_at(from) {
            h.round = from.reads;
            h.woken = false;
            let f = me();
            (f.waits, f.guessed) = (true, false);
            return true;
        }
    }
    if timed::is_limited(op) {
        h.begin_timed(&now);
    } else if h.visits == 1 || h.visits == 3 {
        if eager == Eager::Yes && now.depth <= HEAD && !h.full {
            h.first.begin(&now, h.mark());
        }
    } else if h.visits.is_power_of_two() && h.visits * PER_VISIT >= now.depth.saturating_sub(HEAD) {
        if h.full || h.count > READS / 2 {
            (h.full, h.first.stage, h.timed.stage) = (false, Stage::None, Stage::None);
            (h.count, h.changed) = (0, 0);
        }
        h.later.begin(&now, h.mark());
    }
    false
}

/// Is the first visit after an effect worth keeping? Plain reads are too many, and no way to wait.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Eager {
    Yes,
    No,
}

/// The running thread goes on.
pub fn over() {
    let f = me();
    f.waits = false;
    mine().forget();
    if !f.alone {
        f.tried = false;
        guess::resume();
    }
}

/// The running thread stands at a point: what it was announced to read, it has read.
#[inline(always)]
pub fn settle() {
    let h = mine();
    if h.announced.is_some() || h.written.is_some() {
        h.settle();
    }
}

/// Would the waiting thread's next round differ from the last?
pub fn has_changed(thread: usize) -> bool {
    let h = history(thread);
    h.woken || !h.holds(h.round)
}

/// Memory is unmapped or protected: those who wait have to look for themselves.
pub fn wake_all() {
    let g = g();
    for t in g.live.iter().filter(|t| g.fibers[*t].waits) {
        history(t).woken = true;
    }
}

/// What the waiting thread has read in its round.
pub fn each_read(thread: usize, mut each: impl FnMut(&Access)) {
    let h = history(thread);
    let reads = &h.reads[h.round..h.count];
    for (i, read) in reads.iter().enumerate().filter(|(_, read)| read.size > 0) {
        let size = if read.address.space() == Some(Space::Memory) { u32::from(read.size) } else { 1 };
        let same = |other: &Read| (other.address, other.size) == (read.address, read.size);
        if !reads[..i].iter().any(same) {
            each(&Access { address: read.address, size, kind: AccessKind::READ, pc: read.pc });
        }
    }
}
