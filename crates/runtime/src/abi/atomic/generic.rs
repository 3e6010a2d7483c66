//! Atomic accesses of any size, which compilers leave to libatomic: structs of sixteen bytes and of more.
//!
//! libatomic takes a lock that nobody sees, or uses instructions that nobody announces; here each is one access of all its bytes. The
//! objects that values come from and go to are the caller's, and as a rule its own.

use super::{after, before};
use crate::api::after_point;
use gabion_trace::{AccessKind, OpKind};

/// Bytes of an object.
unsafe fn bytes(at: u64, size: u64) -> &'static mut [u8] {
    // SAFETY: the caller's promise that an object of that size is there.
    unsafe { core::slice::from_raw_parts_mut(at as *mut u8, size as usize) }
}

/// What is met there, as far as a word holds it.
fn word(bytes: &[u8]) -> Option<u64> {
    (bytes.len() <= 8).then(|| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte)))
}

// ABI: libatomic, as gcc and clang call it. SAFETY (all): the program's own objects, of the size that it says. What else a call touches
// is announced after its point and before anything is copied.
interpose_open! {
    fn __atomic_load(size: u64, at: u64, to: u64, order: i32) {
        let made = before(OpKind::AtomicLoad, at, size, order);
        after_point(to, size, AccessKind::WRITE, made.pc);
        let memory = unsafe { bytes(at, size) };
        let met = word(memory);
        unsafe { bytes(to, size) }.copy_from_slice(memory);
        after(AccessKind::READ, at, size as u32, made, (met, false), order);
    }
    fn __atomic_store(size: u64, at: u64, from: u64, order: i32) {
        let made = before(OpKind::AtomicStore, at, size, order);
        after_point(from, size, AccessKind::READ, made.pc);
        let (memory, value) = unsafe { (bytes(at, size), bytes(from, size)) };
        let (met, changed) = (word(memory), *memory != *value);
        memory.copy_from_slice(value);
        after(AccessKind::WRITE, at, size as u32, made, (met, changed), order);
    }
    fn __atomic_exchange(size: u64, at: u64, from: u64, to: u64, order: i32) {
        let made = before(OpKind::AtomicUpdate, at, size, order);
        after_point(from, size, AccessKind::READ, made.pc);
        after_point(to, size, AccessKind::WRITE, made.pc);
        let memory = unsafe { bytes(at, size) };
        let met = word(memory);
        let mut changed = false;
        // Where values come from and go to may be one object.
        for i in 0..size {
            // SAFETY: within the objects.
            let (new, to) = unsafe { (*((from + i) as *const u8), (to + i) as *mut u8) };
            let old = core::mem::replace(&mut memory[i as usize], new);
            changed |= old != new;
            // SAFETY: as above.
            unsafe { *to = old };
        }
        after(AccessKind::UPDATE, at, size as u32, made, (met, changed), order);
    }
    fn __atomic_compare_exchange(size: u64, at: u64, expected: u64, value: u64, order: i32, failure: i32) -> bool {
        let made = before(OpKind::AtomicUpdate, at, size, order);
        let memory = unsafe { bytes(at, size) };
        let same = *memory == *unsafe { bytes(expected, size) };
        let kind = if same { AccessKind::READ } else { AccessKind::UPDATE };
        after_point(expected, size, kind, made.pc);
        let met = word(memory);
        if same {
            after_point(value, size, AccessKind::READ, made.pc);
            let new = unsafe { bytes(value, size) };
            let changed = *memory != *new;
            memory.copy_from_slice(new);
            after(AccessKind::UPDATE, at, size as u32, made, (met, changed), order);
        } else {
            unsafe { bytes(expected, size) }.copy_from_slice(memory);
            after(AccessKind::READ, at, size as u32, made, (met, false), failure);
        }
        same
    }
}
