//! Atomic accesses of any size, which compilers leave to libatomic: structs of sixteen bytes and of more.
//!
//! libatomic takes a lock that nobody sees, or uses instructions that nobody announces; here each is one access of all its bytes. The
//! objects that values come from and go to are the caller's, and as a rule its own.

use super::{after, before};
use crate::abi::access::joined_range;
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

// ABI: libatomic, as gcc and clang call it. SAFETY (all): the program's own objects, of the size that it says.
interpose_open! {
    fn __atomic_load(size: u64, at: u64, to: u64, order: i32) {
        let made = before(OpKind::AtomicLoad, at, size, order);
        let (memory, to_bytes) = unsafe { (bytes(at, size), bytes(to, size)) };
        to_bytes.copy_from_slice(memory);
        after(AccessKind::READ, at, size as u32, made, (word(memory), false), order);
        joined_range(to, size, AccessKind::WRITE, made.pc);
    }
    fn __atomic_store(size: u64, at: u64, from: u64, order: i32) {
        let made = before(OpKind::AtomicStore, at, size, order);
        joined_range(from, size, AccessKind::READ, made.pc);
        let (memory, value) = unsafe { (bytes(at, size), bytes(from, size)) };
        let (old, changed) = (word(memory), *memory != *value);
        memory.copy_from_slice(value);
        after(AccessKind::WRITE, at, size as u32, made, (old, changed), order);
    }
    fn __atomic_exchange(size: u64, at: u64, from: u64, to: u64, order: i32) {
        let made = before(OpKind::AtomicUpdate, at, size, order);
        joined_range(from, size, AccessKind::READ, made.pc);
        let (memory, value, to_bytes) = unsafe { (bytes(at, size), bytes(from, size), bytes(to, size)) };
        let (old, changed) = (word(memory), *memory != *value);
        // The two may be one object.
        memory.iter_mut().zip(value).zip(to_bytes).for_each(|((memory, value), to)| {
            let new = *value;
            *to = core::mem::replace(memory, new);
        });
        after(AccessKind::UPDATE, at, size as u32, made, (old, changed), order);
        joined_range(to, size, AccessKind::WRITE, made.pc);
    }
    fn __atomic_compare_exchange(size: u64, at: u64, expected: u64, value: u64, order: i32, failure: i32) -> bool {
        let made = before(OpKind::AtomicUpdate, at, size, order);
        joined_range(expected, size, AccessKind::READ, made.pc);
        joined_range(value, size, AccessKind::READ, made.pc);
        let (memory, wanted, new) = unsafe { (bytes(at, size), bytes(expected, size), bytes(value, size)) };
        let (old, same) = (word(memory), *memory == *wanted);
        let changed = same && *memory != *new;
        if same {
            memory.copy_from_slice(new);
            after(AccessKind::UPDATE, at, size as u32, made, (old, changed), order);
        } else {
            wanted.copy_from_slice(memory);
            after(AccessKind::READ, at, size as u32, made, (old, false), failure);
            joined_range(expected, size, AccessKind::WRITE, made.pc);
        }
        same
    }
}
