//! Thread-specific data. Values lie at the top of each thread's stack slot, the table of keys in memory that is reset.

use super::errno::{EAGAIN, EINVAL};
use crate::places::slot_end;
use crate::state::g;

/// As many as POSIX promises.
const KEYS: usize = 128;
/// Rounds of destructors, as POSIX promises.
const ROUNDS: usize = 4;
const USED: u64 = 1;

struct Table {
    /// 0: unused; [`USED`]: no destructor; else the destructor.
    keys: [u64; KEYS],
    /// One past the highest key ever used.
    high: usize,
}

static mut TABLE: Table = Table { keys: [0; KEYS], high: 0 };

fn table() -> &'static mut Table {
    // SAFETY: one kernel thread.
    unsafe { &mut TABLE }
}

/// What a reset has to restore: (address, length).
pub fn region() -> (u64, u64) {
    (&raw const TABLE as u64, size_of::<Table>() as u64)
}

/// Where a thread's values are; also the end of what its stack may use.
pub fn values(thread: usize) -> u64 {
    slot_end(thread) - (KEYS * 8) as u64
}

fn value(thread: usize, key: usize) -> &'static mut u64 {
    // SAFETY: inside the thread's slot.
    unsafe { &mut *((values(thread) + key as u64 * 8) as *mut u64) }
}

/// A new thread has no values.
pub fn clear(thread: usize) {
    for key in 0..table().high {
        *value(thread, key) = 0;
    }
}

pub fn create(destructor: u64) -> Result<u32, i32> {
    let t = table();
    let key = t.keys.iter().position(|k| *k == 0).ok_or(EAGAIN)?;
    t.keys[key] = destructor.max(USED);
    t.high = t.high.max(key + 1);
    for thread in 0..g().threads.max(1) {
        if g().fibers[thread].alive() {
            *value(thread, key) = 0;
        }
    }
    Ok(key as u32)
}

pub fn delete(key: u32) -> i32 {
    match table().keys.get_mut(key as usize) {
        Some(entry) if *entry != 0 => {
            *entry = 0;
            0
        }
        _ => EINVAL,
    }
}

pub fn get(key: u32) -> u64 {
    if (key as usize) < KEYS && table().keys[key as usize] != 0 { *value(g().current, key as usize) } else { 0 }
}

pub fn set(key: u32, new: u64) -> i32 {
    if (key as usize) >= KEYS || table().keys[key as usize] == 0 {
        return EINVAL;
    }
    *value(g().current, key as usize) = new;
    0
}

/// The running thread ends: destructors of its values run.
pub fn run_destructors() {
    for _ in 0..ROUNDS {
        let mut any = false;
        for key in 0..table().high {
            let thread = g().current;
            let old = core::mem::replace(value(thread, key), 0);
            let destructor = table().keys[key];
            if old != 0 && destructor > USED {
                any = true;
                // SAFETY: the program's destructor takes the value.
                unsafe { core::mem::transmute::<u64, unsafe extern "C-unwind" fn(u64)>(destructor)(old) };
            }
        }
        if !any {
            return;
        }
    }
}

// ABI: pthread.h
interpose! {
    fn pthread_key_create(key: *mut u32, destructor: u64) -> i32 {
        match create(destructor) {
            Ok(new) => {
                // SAFETY: the program's variable.
                unsafe { *key = new };
                0
            }
            Err(error) => error,
        }
    }
    fn pthread_key_delete(key: u32) -> i32 { delete(key) }
    fn pthread_getspecific(key: u32) -> u64 { get(key) }
    fn pthread_setspecific(key: u32, new: u64) -> i32 { set(key, new) }
}
