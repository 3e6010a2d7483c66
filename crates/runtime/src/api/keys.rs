//! Thread-specific data. The values of main lie beside the table of keys, in memory that is reset, of which only the part
//! in use; those of other threads lie at the top of their stack slots.

use super::errno::{EAGAIN, EINVAL};
use super::{put_joined, usable};
use crate::interpose::caller;
use crate::places::slot_end;
use crate::state::g;
use crate::{record, sched, standard};
use gabion_trace::{Address, OpKind, Pseudo};

/// As many as glibc has (`PTHREAD_KEYS_MAX`).
const KEYS: usize = 1024;
/// Rounds of destructors, as POSIX promises.
const ROUNDS: usize = 4;
const USED: u64 = 1;

#[derive(Clone, Copy)]
#[repr(C)]
struct Key {
    /// 0: unused; [`USED`]: no destructor; else the destructor.
    destructor: u64,
    /// Main's value.
    value: u64,
}

#[repr(C)]
struct Table {
    /// One past the highest key ever used.
    // Invariant: what `keys` has from here on means nothing; `create` fills an entry before it counts.
    high: usize,
    keys: [Key; KEYS],
}

static mut TABLE: Table = Table { high: 0, keys: [Key { destructor: 0, value: 0 }; KEYS] };

fn table() -> &'static mut Table {
    // SAFETY: one kernel thread.
    unsafe { &mut TABLE }
}

/// What a reset has to restore: (address, length). Keys that came later vanish with `high`.
pub fn region() -> (u64, u64) {
    (&raw const TABLE as u64, (size_of::<usize>() + table().high * size_of::<Key>()) as u64)
}

/// The entry of a key that exists.
fn entry(key: u32) -> Option<&'static mut Key> {
    let t = table();
    t.keys[..t.high].get_mut(key as usize).filter(|k| k.destructor != 0)
}

/// Keys come and go.
fn change(pc: u64) {
    if standard::trusts(pc) {
        return; // once for each key, whoever comes first
    }
    sched::reach(OpKind::Hidden, Address::pseudo(Pseudo::Keys), pc);
    record::op(OpKind::Hidden, Address::pseudo(Pseudo::Keys), 0, pc);
}

/// A key is used. Whether it exists matters only to a program that deletes keys; others are spared the points.
fn look(pc: u64) {
    if deletion::possible() {
        change(pc);
    }
}

/// Where a thread's values are; also the end of what its stack may use. Main has none there.
pub fn values(thread: usize) -> u64 {
    slot_end(thread) - if thread == 0 { 0 } else { (KEYS * 8) as u64 }
}

fn value(thread: usize, key: usize) -> &'static mut u64 {
    if thread == 0 {
        return &mut table().keys[key].value;
    }
    // SAFETY: inside the thread's slot.
    unsafe { &mut *((values(thread) + key as u64 * 8) as *mut u64) }
}

/// A new thread has no values.
pub fn clear(thread: usize) {
    for key in 0..table().high {
        *value(thread, key) = 0;
    }
}

/// `pthread_key_create`.
pub fn create(to: *mut u32, destructor: u64, pc: u64) -> i32 {
    change(pc);
    let t = table();
    let key = t.keys[..t.high].iter().position(|k| k.destructor == 0).unwrap_or(t.high);
    if key == KEYS {
        return EAGAIN;
    }
    t.keys[key] = Key { destructor: destructor.max(USED), value: 0 };
    t.high = t.high.max(key + 1);
    for thread in 0..g().threads.max(1) {
        if g().fibers[thread].alive() {
            *value(thread, key) = 0;
        }
    }
    usable::check_present(to as u64, pc);
    put_joined(to, key as u32, pc);
    0
}

/// `pthread_key_delete`.
pub fn delete(key: u32, pc: u64) -> i32 {
    change(pc);
    match entry(key) {
        Some(entry) => {
            entry.destructor = 0;
            0
        }
        None => EINVAL,
    }
}

/// `pthread_getspecific`.
pub fn get(key: u32, pc: u64) -> u64 {
    look(pc);
    if entry(key).is_some() { *value(g().current, key as usize) } else { 0 }
}

/// `pthread_setspecific`.
pub fn set(key: u32, new: u64, pc: u64) -> i32 {
    look(pc);
    if entry(key).is_none() {
        return EINVAL;
    }
    *value(g().current, key as usize) = new;
    0
}

/// The running thread ends: destructors of its values run.
pub fn run_destructors(pc: u64) {
    for _ in 0..ROUNDS {
        let mut any = false;
        for key in 0..table().high {
            if *value(g().current, key) == 0 {
                continue;
            }
            look(pc);
            let old = core::mem::replace(value(g().current, key), 0);
            let destructor = entry(key as u32).map_or(0, |k| k.destructor);
            if destructor > USED {
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

/// Does the program delete keys at all?
mod deletion {
    use crate::interpose::find;
    use core::sync::atomic::{AtomicU8, Ordering};

    const NAMES: [&[u8]; 2] = [b"pthread_key_delete", b"tss_delete"];

    /// Answered once, from what the executable asks the dynamic linker for: so it is the same in every run.
    pub fn possible() -> bool {
        static ANSWER: AtomicU8 = AtomicU8::new(0);
        if ANSWER.load(Ordering::Relaxed) == 0 {
            ANSWER.store(1 + u8::from(imported()), Ordering::Relaxed);
        }
        ANSWER.load(Ordering::Relaxed) == 2
    }

    // ABI: link.h, elf.h. `_r_debug` has the list of loaded files at offset 8. The first is the executable: at offset 0
    // its slide, at offset 16 its dynamic section, pairs of a tag and a value that the dynamic linker has relocated.
    fn imported() -> bool {
        let debug = find("_r_debug\0") as u64;
        if debug == 0 {
            return true;
        }
        // SAFETY: structures that the dynamic linker keeps for debuggers, and tables that it has used itself.
        unsafe {
            let file = word(debug + 8);
            let (slide, dynamic) = (word(file), word(file + 16));
            let tagged = |tag: u64| {
                let mut at = dynamic;
                while word(at) != 0 && word(at) != tag {
                    at += 16;
                }
                if word(at) == tag { word(at + 8) } else { 0 }
            };
            let placed = |tag: u64| match tagged(tag) {
                at if at != 0 && at < slide => at + slide,
                at => at,
            };
            let (strings, symbols) = (placed(5), placed(6));
            let names = |from: u64, length: u64| {
                (0..length / 24).any(|i| {
                    let symbol = symbols + (word(from + i * 24 + 8) >> 32) * 24;
                    let name = strings + u64::from((symbol as *const u32).read());
                    NAMES.iter().any(|n| starts_with(name, n))
                })
            };
            names(placed(7), tagged(8)) || names(placed(23), tagged(2))
        }
    }

    unsafe fn word(at: u64) -> u64 {
        // SAFETY: the caller's.
        unsafe { (at as *const u64).read() }
    }

    unsafe fn starts_with(name: u64, what: &[u8]) -> bool {
        // SAFETY: a string of the file's: it ends in a zero byte, where the comparison stops.
        what.iter().enumerate().all(|(i, c)| unsafe { (name as *const u8).add(i).read() } == *c)
    }
}

// ABI: pthread.h
interpose! {
    fn pthread_key_create also __pthread_key_create(key: *mut u32, destructor: u64) -> i32 {
        create(key, destructor, caller())
    }
    fn pthread_key_delete(key: u32) -> i32 { delete(key, caller()) }
    fn pthread_getspecific also __pthread_getspecific(key: u32) -> u64 { get(key, caller()) }
    fn pthread_setspecific also __pthread_setspecific(key: u32, new: u64) -> i32 { set(key, new, caller()) }
}
