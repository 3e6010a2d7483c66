//! Locked streams (`flockfile`). Each has a recursive mutex of ours, and libc's own lock is left alone: nobody is
//! interrupted while holding that one. A call on a stream waits while another thread has locked it.

use super::touch;
use crate::api::mutex;
use crate::control;
use crate::sched;
use crate::state::g;
use gabion_trace::{AccessKind, Address, OpKind};

/// Streams that a program may lock.
pub const STREAMS: usize = 64;

/// A lock: its stream, and a `pthread_mutex_t`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Lock {
    stream: u64,
    mutex: [u32; 10],
}

impl Lock {
    pub const NONE: Lock = Lock { stream: 0, mutex: [0; 10] };
    /// Free and recursive, in glibc's layout.
    const fn new(stream: u64) -> Lock {
        Lock { stream, mutex: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0] }
    }
    fn mutex(&self) -> u64 {
        self.mutex.as_ptr() as u64
    }
}

/// Streams that were ever locked by the program.
#[derive(Clone, Copy)]
struct Locks {
    each: [Lock; STREAMS],
    /// Somebody has asked for one since they were put back.
    touched: bool,
}

const NEW: Locks = Locks { each: [Lock::NONE; STREAMS], touched: false };
static mut LOCKS: Locks = NEW;
static mut KEPT: Locks = NEW;

fn locks() -> &'static mut Locks {
    // SAFETY: one kernel thread.
    unsafe { &mut LOCKS }
}

/// At the checkpoint: what every later run starts with.
pub fn keep() {
    locks().touched = false;
    // SAFETY: one kernel thread.
    unsafe { KEPT = LOCKS };
}

/// Before every later run.
pub fn restore() {
    if locks().touched {
        // SAFETY: one kernel thread.
        unsafe { LOCKS = KEPT };
    }
}

/// A stream as an object.
pub fn object(stream: u64) -> Address {
    Address::object(stream)
}

/// Slots that a stream's lock may be in. The first depends on the stream alone, so that the mutex has the same address
/// whoever uses it first.
fn slots(stream: u64) -> impl Iterator<Item = usize> {
    let first = (stream.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
    (0..STREAMS).map(move |i| (first + i) % STREAMS)
}

/// The mutex of a stream that was locked before.
fn find(stream: u64) -> Option<u64> {
    let l = locks();
    let found = slots(stream).map(|i| &l.each[i]).take_while(|l| l.stream != 0).find(|l| l.stream == stream);
    let mutex = found.map(Lock::mutex);
    l.touched |= mutex.is_some();
    mutex
}

fn find_or_make(stream: u64, pc: u64) -> u64 {
    find(stream).unwrap_or_else(|| {
        let Locks { each: locks, touched } = locks();
        *touched = true;
        let Some(free) = slots(stream).find(|i| locks[*i].stream == 0) else {
            control::unsupported("flockfile (on more than 64 streams)", pc)
        };
        locks[free] = Lock::new(stream);
        locks[free].mutex()
    })
}

/// `flockfile`.
pub fn lock(stream: u64, pc: u64) {
    mutex::lock(find_or_make(stream, pc), pc);
    touch::also(object(stream), pc);
}

/// `ftrylockfile`.
pub fn try_lock(stream: u64, pc: u64) -> i32 {
    let result = mutex::try_lock(find_or_make(stream, pc), pc);
    touch::also(object(stream), pc);
    result
}

/// `funlockfile`.
pub fn unlock(stream: u64, pc: u64) {
    mutex::unlock(find_or_make(stream, pc), pc);
    touch::also(object(stream), pc);
}

/// Waits while another thread has locked the stream. True: it had to.
pub fn wait(stream: u64, pc: u64) -> bool {
    match find(stream) {
        Some(mutex) if !mutex::free_for(mutex, g().current) => {
            sched::reach_detailed(OpKind::MutexLock, Address::object(mutex), pc, 0);
            true
        }
        _ => false,
    }
}

/// The point before a call on a stream that also touches `places`; returns when no other thread has locked it.
pub fn stream(stream: u64, places: &[(u64, AccessKind)], pc: u64) {
    touch::hidden_point(object(stream), places, pc);
    wait(stream, pc);
    touch::also(object(stream), pc);
}
