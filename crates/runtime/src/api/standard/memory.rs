//! The default allocator of Rust, which hands on to the C library and forgets what a layout says.
//!
//! Stood in for, so that a block is seen that is made larger with another layout than it was taken with, or given back with another
//! alignment. What is taken past it (`System`, an allocator of the program's own) has no alignment that is known, and is not judged
//! by it.

use super::super::malloc::{give_at, give_back, move_to, pc};
use crate::block::{self, Giving, Way};
use crate::control::controlled;
use crate::interpose::CALLER;

unsafe extern "C" {
    // ABI: glibc's own allocator under its internal names.
    fn __libc_memalign(align: usize, size: usize) -> u64;
    fn __libc_realloc(block: u64, size: usize) -> u64;
    fn __libc_free(block: u64);
}

unsafe extern "C" {
    // ABI: Rust's, which passes a few words like C's; defined below.
    pub(super) fn __gabion_alloc(size: usize, align: usize) -> u64;
    pub(super) fn __gabion_alloc_zeroed(size: usize, align: usize) -> u64;
    pub(super) fn __gabion_realloc(block: u64, size: usize, align: usize, new: usize) -> u64;
    pub(super) fn __gabion_dealloc(block: u64, size: usize, align: usize);
}

/// What a layout says.
fn layout(size: usize, align: usize) -> Giving {
    Giving { way: Way::Malloc, size: Some(size as u64), align: Some(align as u64) }
}

/// Notes with which alignment a block was taken, if there is one.
fn taken(at: u64, align: usize) -> u64 {
    if let Some(header) = block::at(at).filter(|_| at != 0) {
        header.allocated.asked(Way::Malloc, Some(align as u64));
    }
    at
}

fn zeroed(at: u64, size: usize) -> u64 {
    if at != 0 {
        // SAFETY: a new block of that size. Memory used before (by reuse) has old contents.
        unsafe { core::ptr::write_bytes(at as *mut u8, 0, size) };
    }
    at
}

// ABI: library/std/src/alloc.rs, __default_lib_allocator
allocator! {
    __gabion_alloc(size: usize, align: usize) -> u64 {
        passive __libc_memalign(align, size);
        controlled taken(give_at(size, align, pc()), align)
    }
    __gabion_alloc_zeroed(size: usize, align: usize) -> u64 {
        passive zeroed(__libc_memalign(align, size), size);
        controlled taken(zeroed(give_at(size, align, pc()), size), align)
    }
    __gabion_realloc(block: u64, size: usize, align: usize, new: usize) -> u64 {
        passive __libc_realloc(block, new);
        controlled taken(move_to(block, new, align, &layout(size, align), pc()), align)
    }
    __gabion_dealloc(block: u64, _size: usize, align: usize) {
        passive __libc_free(block);
        controlled if block != 0 {
            // Of `dealloc(realloc(block, …), layout)` compilers leave `dealloc(block, layout)`: another size is no mistake.
            give_back(block, &Giving { size: None, ..layout(0, align) }, pc())
        }
    }
}
