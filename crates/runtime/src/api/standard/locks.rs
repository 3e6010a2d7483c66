//! `Mutex` and `RwLock`: a word each.
//!
//! A mutex that is held names its holder, in a way that the library takes for "locked, nobody waits". Of a reader-writer lock
//! the word is as the library has it; who holds it is asked of the threads. Readers wait for writers that wait, as in the
//! library, so to begin to wait is a step of its own there.

use super::super::errno::EBUSY;
use super::super::mutex::after_unlock;
use super::super::spin;
use super::{WORD, models};
use crate::interpose::caller;
use crate::state::{ThreadSet, g, me};
use crate::waiting;
use crate::{record, sched};
use gabion_trace::standard::Site;
use gabion_trace::{Address, OpKind};

/// A mutex that was taken as part of an operation, which nobody comes in between.
const LOCKED: u32 = 1;
/// Readers, or all of these bits: a writer.
const MASK: u32 = (1 << 30) - 1;
/// A writer waits. Here only while a reader looks.
const WRITERS_WAITING: u32 = 1 << 31;
/// Detail: a write lock that has been tried and now waits.
const WAITS: u64 = 1;

fn word(address: u64) -> &'static mut u32 {
    // SAFETY: the program's lock.
    unsafe { &mut *(address as *mut u32) }
}

/// Would a read lock by this thread not block?
pub fn free_for_reader(address: u64, thread: usize) -> bool {
    *word(address) & MASK != MASK && !writer_waits(address, thread)
}

pub fn free_for_writer(address: u64) -> bool {
    *word(address) & MASK == 0
}

fn writer_waits(address: u64, thread: usize) -> bool {
    let g = g();
    g.live.iter().any(|t| {
        let p = &g.fibers[t].pending;
        t != thread && p.op == OpKind::WriteLock && p.detail == WORD | WAITS && p.object == Address::object(address)
    })
}

/// Who holds it, as far as threads' locks are counted.
pub fn owners(address: u64) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    for t in g.live.iter().filter(|t| g.fibers[*t].locks.contains(&Address::object(address).0)) {
        set.insert(t);
    }
    set
}

/// Whose an exchange or addition on a word is. One of two functions may have been inlined into an operation, where it is no lock's,
/// and the other not: a mutex is given back as it was taken.
pub fn of_update(site: Site, at: u64) -> Site {
    match site {
        Site::Own => given_back(at),
        Site::Part if given_back(at) == Site::Unlock => Site::Unlock,
        Site::Unlock if *word(at) == LOCKED => Site::Part,
        _ => site,
    }
}

/// The running thread exchanges or adds to a word, in code of nobody in particular. If it holds the lock that lies there, it gives
/// it back: a compiler that merges two drops of a guard into one keeps no record of where the code came from.
fn given_back(at: u64) -> Site {
    if !me().locks.contains(&Address::object(at).0) {
        return Site::Own;
    }
    match *word(at) {
        held if held == spin::held() => Site::Unlock,
        state if state & MASK == MASK => Site::WriteUnlock,
        state if state & MASK > 0 => Site::ReadUnlock,
        _ => Site::Own,
    }
}

/// The point of an access. True: the access is this operation.
pub fn before(site: Site, op: OpKind, at: u64, pc: u64) -> bool {
    use OpKind::{AtomicLoad, AtomicUpdate};
    let object = Address::object(at);
    match (site, op) {
        (Site::Lock, AtomicUpdate) => sched::reach_detailed(OpKind::SpinLock, object, pc, WORD),
        (Site::TryLock, AtomicUpdate) => sched::reach_detailed(OpKind::SpinTryLock, object, pc, WORD),
        (Site::Unlock, AtomicUpdate) => sched::reach_detailed(OpKind::SpinUnlock, object, pc, WORD),
        (Site::Read, AtomicLoad) => sched::reach_detailed(OpKind::ReadLock, object, pc, WORD),
        (Site::TryRead, AtomicLoad) => {
            sched::reach_detailed(OpKind::ReadTryLock, object, pc, WORD);
            if writer_waits(at, g().current) {
                *word(at) |= WRITERS_WAITING; // for the load that follows
            }
        }
        (Site::TryWrite, AtomicLoad) => sched::reach_detailed(OpKind::WriteTryLock, object, pc, WORD),
        // Part of the step that looked and found it free.
        (Site::Read | Site::TryRead | Site::TryWrite, AtomicUpdate) => {}
        (Site::Write, AtomicUpdate) => await_writing(at, pc),
        (Site::ReadUnlock, AtomicUpdate) => sched::reach_detailed(OpKind::ReadUnlock, object, pc, WORD),
        (Site::WriteUnlock | Site::Downgrade, AtomicUpdate) => {
            sched::reach_detailed(OpKind::WriteUnlock, object, pc, WORD);
        }
        _ => return false,
    }
    true
}

/// Readers wait for waiting writers, so to begin to wait is a step of its own.
fn await_writing(at: u64, pc: u64) {
    let object = Address::object(at);
    sched::reach_detailed(OpKind::WriteTryLock, object, pc, WORD);
    if !free_for_writer(at) {
        record::word_op(OpKind::WriteTryLock, object, EBUSY as u32, pc);
        sched::reach_detailed(OpKind::WriteLock, object, pc, WORD | WAITS);
    }
}

/// The record of an access.
pub fn after(site: Site, op: OpKind, at: u64, wrote: bool, pc: u64) {
    let object = Address::object(at);
    let looks = op == OpKind::AtomicLoad;
    match site {
        Site::Lock => took(at, OpKind::SpinLock, pc),
        Site::TryLock if wrote => took(at, OpKind::SpinTryLock, pc),
        Site::TryLock => {
            if let Some(holder) = spin::owner(at).filter(|t| *t < g().threads) {
                waiting::locks::was_seen(holder);
            }
            record::word_op(OpKind::SpinTryLock, object, EBUSY as u32, pc);
        }
        Site::Unlock => gave(at, OpKind::SpinUnlock, pc),
        Site::Read if looks => shared(at, OpKind::ReadLock, 0, pc),
        Site::TryRead if looks => {
            let refused = *word(at) & MASK == MASK || *word(at) & WRITERS_WAITING != 0;
            *word(at) &= !WRITERS_WAITING;
            shared(at, OpKind::ReadTryLock, if refused { EBUSY } else { 0 }, pc);
        }
        Site::TryWrite if looks => {
            shared(at, OpKind::WriteTryLock, if free_for_writer(at) { 0 } else { EBUSY }, pc);
        }
        Site::Write => shared(at, OpKind::WriteLock, 0, pc),
        Site::ReadUnlock => gave(at, OpKind::ReadUnlock, pc),
        Site::WriteUnlock => gave(at, OpKind::WriteUnlock, pc),
        Site::Downgrade => {
            record::word_op(OpKind::WriteUnlock, object, 0, pc);
            record::word_op(OpKind::ReadLock, object, 0, pc);
        }
        _ => {}
    }
}

/// The running thread has taken a mutex.
fn took(at: u64, op: OpKind, pc: u64) {
    *word(at) = spin::held();
    record::word_op(op, Address::object(at), 0, pc);
}

/// It has, or has not, taken a reader-writer lock.
fn shared(at: u64, op: OpKind, result: i32, pc: u64) {
    record::word_op(op, Address::object(at), result as u32, pc);
}

fn gave(at: u64, op: OpKind, pc: u64) {
    record::word_op(op, Address::object(at), 0, pc);
    after_unlock(pc);
}

/// Releases the mutex of a wait: its step, and its point, are the wait's.
pub fn release(at: u64, pc: u64) {
    *word(at) = 0;
    record::word_op(OpKind::SpinUnlock, Address::object(at), 0, pc);
}

/// Takes the mutex again, which is free.
pub fn reacquire(at: u64, pc: u64) {
    took(at, OpKind::CondReacquire, pc);
}

models! {
    /// What uninstrumented code calls when a mutex is held.
    fn lock_contended(at: u64) {
        let pc = caller();
        sched::reach_detailed(OpKind::SpinLock, Address::object(at), pc, WORD);
        took(at, OpKind::SpinLock, pc);
    }
    /// Likewise for a read lock.
    fn read_contended(at: u64) {
        let pc = caller();
        sched::reach_detailed(OpKind::ReadLock, Address::object(at), pc, WORD);
        *word(at) += 1;
        shared(at, OpKind::ReadLock, 0, pc);
    }
    /// And for a write lock.
    fn write_contended(at: u64) {
        let pc = caller();
        await_writing(at, pc);
        *word(at) |= MASK;
        shared(at, OpKind::WriteLock, 0, pc);
    }
}
