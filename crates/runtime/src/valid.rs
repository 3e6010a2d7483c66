//! Which bytes of the heaps may be accessed: one byte of a map for every eight (Serebryany and others, AddressSanitizer, 2012).
//!
//! A byte of the map says how many of its eight are valid, from the first one on. Address space that was never handed out
//! reads as zero: nothing there is valid. Redzones and freed blocks are zero as well.
//!
//! Large blocks are marked page by page when they are first accessed, so that a block costs what is used of it.
//!
//! The stacks of threads that have ended are looked after here too: no slot is used twice in a run, so whose memory it was
//! is known from the address.

use crate::block::{self, Header};
use crate::fiber::Life;
use crate::places::{HEAP, HEAP_END, PAGE, STACK_SPAN, STACKS, STACKS_END, VALID};
use crate::state::g;
use crate::{blame, sys};
use gabion_trace::AccessKind;

/// Bytes that a byte of the map stands for.
pub const GRANULE: u64 = 8;
/// Blocks from this size on are marked as they are used.
pub const LARGE: u64 = 1 << 20;

/// Reserves the map: all of it can be read.
pub fn open() {
    sys::map(VALID, (HEAP_END - HEAP) / GRANULE, 1, sys::RESERVED, -1);
}

/// Makes it writable for a part of a heap, in whole pages. False: the kernel says no.
pub fn grow(from: u64, to: u64) -> bool {
    // SAFETY: inside what `open` reserved.
    unsafe { sys::call(sys::MPROTECT, place(from), place(to) - place(from), 3) == 0 }
}

/// Where the map has the byte for an address in a heap.
pub fn place(at: u64) -> u64 {
    VALID + (at - HEAP) / GRANULE
}

fn bytes(at: u64, size: u64) -> &'static mut [u8] {
    let length = size.div_ceil(GRANULE) as usize;
    // SAFETY: `at` is the start of a granule in a heap; the map covers all of them. One kernel thread, and nobody keeps it.
    unsafe { core::slice::from_raw_parts_mut(place(at) as *mut u8, length) }
}

/// These bytes, from a multiple of eight on, are valid.
pub fn mark(at: u64, size: u64) {
    let map = bytes(at, size);
    map.fill(GRANULE as u8);
    if let (Some(last), rest @ 1..) = (map.last_mut(), size % GRANULE) {
        *last = rest as u8;
    }
}

/// A new block.
pub fn add(at: u64, header: &mut Header) {
    if header.size < LARGE {
        mark(at, header.size);
    } else {
        header.marked = at;
    }
}

/// A block is gone.
pub fn remove(at: u64, header: &Header) {
    let size = if header.size < LARGE { header.size } else { header.marked.saturating_sub(at).min(header.size) };
    bytes(at, size).fill(0);
}

/// Are all these bytes of a heap valid, as far as the map knows?
#[inline(always)]
pub fn holds(at: u64, size: u64) -> bool {
    // SAFETY: the map covers all heaps.
    let valid = u64::from(unsafe { *(place(at) as *const u8) });
    at % GRANULE + size <= valid || holds_all(at, size)
}

#[inline(never)]
fn holds_all(at: u64, size: u64) -> bool {
    let end = at.saturating_add(size);
    if at % GRANULE + size <= GRANULE || end > HEAP_END {
        return false;
    }
    let first = at & !(GRANULE - 1);
    let map = bytes(first, end - first);
    let (last, whole) = map.split_last().expect("internal error: an access of no bytes");
    let rest = end - (first + whole.len() as u64 * GRANULE);
    whole.iter().all(|byte| *byte >= GRANULE as u8) && u64::from(*last) >= rest
}

/// The running thread accesses these bytes next. Does not come back if they are not its to access.
#[inline(always)]
pub fn check(at: u64, size: u64, kind: AccessKind, pc: u64) {
    if at.wrapping_sub(HEAP) < HEAP_END - HEAP {
        if !holds(at, size) {
            suspect(at, size, kind, pc);
        }
    } else if at.wrapping_sub(STACKS) < STACKS_END - STACKS {
        check_stack(at, size, kind, pc);
    }
}

/// A large block that was not used there before, or an error.
#[cold]
#[inline(never)]
fn suspect(at: u64, size: u64, kind: AccessKind, pc: u64) {
    if let Some((start, header)) = block::large_at(at) {
        let end = start + header.size;
        let (from, to) = (start.max(at & !(PAGE - 1)), end.min(at.saturating_add(size).next_multiple_of(PAGE)));
        if header.is_live() && from < to {
            mark(from, to - from);
            header.marked = header.marked.max(to);
        }
    }
    if size > 0 && !holds(at, size) {
        blame::access(at, size, kind, pc);
    }
}

#[inline(always)]
fn check_stack(at: u64, size: u64, kind: AccessKind, pc: u64) {
    let g = g();
    let owner = ((at - STACKS) / STACK_SPAN) as usize;
    if owner != g.current && g.fibers[owner].life == Life::Ended {
        blame::ended_stack(owner, at, size, kind, pc);
    }
}
