//! Rounds that take a lock to look.
//!
//! `for (;;) { lock; seen = flag; unlock; if (seen) break; }` changes what others see, but changes it back. Such a round can be
//! left out like one without an effect, if nobody saw the lock held: all others do and see the same without it. What the
//! lock was before it was taken counts as read, so who waits so goes on when somebody else takes it, or when what it
//! protects has changed. A failing try-lock sees the lock held; its holder's round then has an effect. Within the lock nothing
//! matches, because it is not as it was before it was taken.
//!
//! Mutexes, spin locks, read locks, and locks that are tried and had. Recursive mutexes taken twice, robust ones, write locks and read locks
//! for which it matters who waits are left to `guess`.

use super::{Eager, Read, history, mine};
use crate::api::standard::WORD;
use crate::api::{mutex, rwlock, spin};
use crate::guess;
use crate::interpose::ENTRY;
use crate::private::Stage;
use crate::state::{g, me};
use gabion_trace::{Address, OpKind};

/// Places followed at once.
const PLACES: usize = 4;

/// Where the thread took locks since its last effect: a place that comes again may be in a loop.
pub struct Places {
    at: [(u64, u64); PLACES],
    used: usize,
}

impl Places {
    pub const NONE: Places = Places { at: [(0, 0); PLACES], used: 0 };

    pub fn forget(&mut self) {
        self.used = 0;
    }

    pub fn any(&self) -> bool {
        self.used > 0
    }

    /// Has the thread been here? If not, it has now.
    fn knows(&mut self, place: (u64, u64)) -> bool {
        if self.at[..self.used.min(PLACES)].contains(&place) {
            return true;
        }
        self.at[self.used % PLACES] = place;
        self.used += 1;
        false
    }
}

/// Is the operation one that takes such a lock, and waits for it?
pub fn concerns(op: OpKind, lock: Address, detail: u64) -> bool {
    match op {
        OpKind::MutexLock | OpKind::SpinLock => true,
        OpKind::ReadLock => detail & WORD == 0 && !rwlock::sees_waiters(lock.offset()),
        _ => false,
    }
}

/// The running thread is about to take a lock. True: it waits; see `visit`. The first time at a place costs next to nothing,
/// unless the thread has stepped back.
pub fn visit(op: OpKind, lock: Address, pc: u64) -> bool {
    // SAFETY: one kernel thread.
    let sp = unsafe { ENTRY[0] };
    let known = mine().places.knows((pc, sp));
    (known || guess::has_stepped_back()) && super::visit(op, lock.0, pc, Eager::Yes)
}

/// The running thread has taken a lock.
pub fn took(op: OpKind, lock: Address, pc: u64) {
    use OpKind::*;
    let h = mine();
    if h.visits == 0 {
        return;
    }
    h.settle();
    let is_word = me().pending.detail == WORD;
    let at = lock.offset();
    let word = |at, size, value| Read { at, size, address: lock, pc, value, took: false };
    let first = match op {
        SpinLock | SpinTryLock if is_word => word(at, 4, 0),
        SpinLock | SpinTryLock => word(at, 4, u64::from(spin::FREE)),
        ReadLock | ReadTryLock if !is_word && !rwlock::sees_waiters(at) => {
            // How many others read it makes no difference, and their locks do not conflict with this one.
            word(at + rwlock::WRITER, 4, 0)
        }
        MutexLock | MutexTryLock | MutexTimedLock => {
            let Some([first, second, third]) = mutex::before_it_was_taken(at) else { return h.forget() };
            h.keep(word(at + 8, 8, second));
            h.keep(word(at + 16, 8, third));
            word(at, 8, first)
        }
        _ => return super::effect(),
    };
    h.passed();
    h.keep(Read { took: true, ..first });
}

/// The running thread has released a lock. If it was taken before a visit that is kept, that visit was made with the lock
/// held and this is no such place.
pub fn released(lock: Address) {
    let h = mine();
    if h.visits == 0 {
        return;
    }
    h.settle();
    let taken = |read: &Read| read.took && read.address == lock;
    let Some(taken) = h.reads[..h.count].iter().rposition(taken) else { return h.lose() };
    h.reads[taken].took = false;
    for visit in h.kept() {
        if visit.from.reads > taken {
            visit.stage = Stage::None;
        }
    }
}

/// Somebody has seen that a thread holds a lock.
pub fn was_seen(holder: usize) {
    let g = g();
    if g.active && holder != g.current && !g.fibers[holder].waits {
        history(holder).forget();
    }
}
