//! Rounds that take a lock to look.
//!
//! `for (;;) { lock; seen = flag; unlock; if (seen) break; }` changes what others see, but changes it back. Such a round can be
//! left out like one without an effect, if nobody saw the lock held: all others do and see the same without it. What the
//! lock was before it was taken counts as read, so who waits so goes on when somebody else takes it, or when what it
//! protects has changed. A failing try-lock sees the lock held; its holder's round then has an effect. Within the lock nothing
//! matches, because it is not as it was before it was taken.
//!
//! Recursive mutexes taken twice and robust ones are left to `guess`, as are all other kinds of locks.

use super::{Eager, Read, history, mine};
use crate::api::mutex;
use crate::guess;
use crate::interpose::ENTRY;
use crate::private::Stage;
use crate::state::g;
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

/// The running thread is about to take a mutex. True: it waits; see `visit`. The first time at a place costs next to nothing,
/// unless the thread has stepped back.
pub fn visit(op: OpKind, mutex: Address, pc: u64) -> bool {
    // SAFETY: one kernel thread.
    let sp = unsafe { ENTRY[0] };
    let known = mine().places.knows((pc, sp));
    (known || guess::has_stepped_back()) && super::visit(op, mutex.0, pc, Eager::Yes)
}

/// The running thread has taken a mutex.
pub fn took(mutex: Address, pc: u64) {
    let h = mine();
    if h.visits == 0 {
        return;
    }
    h.settle();
    let Some(words) = mutex::before_it_was_taken(mutex.offset()) else { return h.forget() };
    h.passed();
    for (at, value) in (mutex.offset()..).step_by(8).zip(words) {
        h.keep(Read { at, size: 8, address: mutex, pc, value });
    }
}

/// The running thread has taken a mutex that is a word.
pub fn took_word(mutex: Address, pc: u64) {
    let h = mine();
    if h.visits == 0 {
        return;
    }
    h.settle();
    h.passed();
    h.keep(Read { at: mutex.offset(), size: 4, address: mutex, pc, value: 0 });
}

/// The running thread has released a mutex. If it was taken before a visit that is kept, that visit was made with the mutex
/// held and this is no such place.
pub fn released(mutex: Address) {
    let h = mine();
    if h.visits == 0 {
        return;
    }
    h.settle();
    let taken = |r: &Read| (r.address, r.at, r.value) == (mutex, mutex.offset(), 0);
    let Some(taken) = h.reads[..h.count].iter().rposition(taken) else { return h.lose() };
    for visit in h.kept() {
        if visit.from > taken {
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
