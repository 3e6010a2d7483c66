//! Blocks of the heap: what lies before, after and around them.
//!
//! ```text
//! | header, 96 bytes | block | at least 16 bytes |
//! ```
//!
//! Both sides are redzones: not valid for the program (see `valid`). The header's last word and the bytes after the block
//! have known values, so that what code without instrumentation wrote there is seen when the block is freed. The program
//! may have overwritten everything here: pointers are checked before they are followed.

use crate::depot::{self, Stack};
use crate::heap;
use crate::state::g;

/// Bytes of a header.
pub const HEADER: u64 = size_of::<Header>() as u64;
/// Bytes after a block, at least.
pub const REDZONE: u64 = 16;
/// Bytes after a block that have a known value, at most.
const CANARY: u64 = 32;
const CANARY_BYTE: u8 = 0xc5;
const ALLOCATED: u64 = 0x6e6f_6962_6167 << 8;
const FREED: u64 = ALLOCATED | 1;
const GUARD: u64 = 0xc5c5_c5c5_6e6f_6962;

/// How a block is taken and given back.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Way {
    Malloc,
    New,
    NewArray,
}

impl Way {
    pub fn taker(self) -> &'static str {
        match self {
            Way::Malloc => "malloc or its like",
            Way::New => "new",
            Way::NewArray => "new[]",
        }
    }
    pub fn giver(self) -> &'static str {
        match self {
            Way::Malloc => "free or realloc",
            Way::New => "delete",
            Way::NewArray => "delete[]",
        }
    }
}

/// Who did something to a block, and where.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Deed {
    pub pc: u64,
    pub stack: Stack,
    pub thread: u16,
    pub way: Way,
    /// The alignment that `new`, or Rust's allocator, was asked for: 1 + its logarithm. 0: none, or not known.
    aligned: u8,
}

impl Deed {
    /// Nobody's.
    pub const NOBODY: Deed = Deed { pc: 0, stack: Stack::NONE, thread: 0, way: Way::Malloc, aligned: 0 };

    /// The running thread, now.
    pub fn now(pc: u64) -> Self {
        Deed { pc, stack: depot::keep(), thread: g().current as u16, way: Way::Malloc, aligned: 0 }
    }
    /// In which way the block was taken, and with which alignment, if one was asked for.
    pub fn asked(&mut self, way: Way, align: Option<u64>) {
        self.way = way;
        self.aligned = align.and_then(u64::checked_ilog2).map_or(0, |log| log as u8 + 1);
    }
    /// The alignment that was asked for.
    pub fn alignment(&self) -> Option<u64> {
        self.aligned.checked_sub(1).map(|log| 1 << log)
    }
}

/// What whoever gives a block back says of it.
#[derive(Clone, Copy)]
pub struct Giving {
    pub way: Way,
    /// The size that a `delete` or a layout has.
    pub size: Option<u64>,
    /// The alignment that a `delete` or a layout has.
    pub align: Option<u64>,
}

impl Giving {
    pub const FREE: Giving = Giving { way: Way::Malloc, size: None, align: None };

    /// Was the block taken in this way, of this size and alignment?
    pub fn fits(&self, header: &Header) -> bool {
        self.way == header.allocated.way
            && self.size.is_none_or(|size| size == header.size)
            && match (self.way, self.align, header.allocated.alignment()) {
                // C does not say, and who takes a block from one may give it to the other.
                (Way::Malloc, None, _) | (Way::Malloc, _, None) => true,
                (_, said, asked) => said == asked,
            }
    }
}

/// What lies before each block.
#[repr(C)]
pub struct Header {
    pub size: u64,
    /// The block handed out before it, in the same heap.
    pub previous: u64,
    /// The large block handed out before it, in the same heap, if this one is large.
    pub large: u64,
    /// A large one: how far it is marked as valid.
    pub marked: u64,
    /// Freed: the next in its queue.
    pub link: u64,
    pub allocated: Deed,
    pub freed: Deed,
    /// Bytes from its start to what comes next.
    room: u64,
    /// [`ALLOCATED`], or [`FREED`].
    state: u64,
    /// [`GUARD`]: what an access before the block overwrites first.
    guard: u64,
}

const _: () = assert!(HEADER == 96);

impl Header {
    pub fn is_live(&self) -> bool {
        self.state == ALLOCATED
    }
}

/// What is wrong around a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Damage {
    Before,
    After,
}

/// The header of a block, live or freed; None: there is no block.
pub fn at(address: u64) -> Option<&'static mut Header> {
    if !address.is_multiple_of(16) || !heap::is_readable(address) {
        return None;
    }
    // SAFETY: writable memory of a heap. One kernel thread, and nobody keeps the reference across another call.
    let header = unsafe { &mut *((address - HEADER) as *mut Header) };
    (header.state == ALLOCATED || header.state == FREED).then_some(header)
}

/// The block is handed out, with `room` bytes from its start to whatever comes next.
pub fn begin(address: u64, size: u64, room: u64, pc: u64, previous: u64) -> &'static mut Header {
    // SAFETY: the allocator's memory, which it gives to this block.
    let header = unsafe {
        let after = (room - size).min(CANARY) as usize;
        core::ptr::write_bytes((address + size) as *mut u8, CANARY_BYTE, after);
        &mut *((address - HEADER) as *mut Header)
    };
    *header = Header {
        size,
        previous,
        large: header.large,
        marked: 0,
        link: 0,
        allocated: Deed::now(pc),
        freed: Deed::NOBODY,
        room,
        state: ALLOCATED,
        guard: GUARD,
    };
    header
}

/// The block is freed.
pub fn end(header: &mut Header, pc: u64) {
    header.freed = Deed::now(pc);
    header.state = FREED;
}

/// Has anybody written around the block?
pub fn damage(address: u64, header: &Header) -> Option<Damage> {
    if header.guard != GUARD {
        return Some(Damage::Before);
    }
    let (from, after) = (address + header.size, header.room.saturating_sub(header.size).min(CANARY));
    // The header may not be as it was, so all of it is checked to be memory of a heap.
    if after > 0 && !(heap::is_readable(from) && heap::is_readable(from + after - 1)) {
        return Some(Damage::After);
    }
    // SAFETY: memory of one heap, as was seen.
    let bytes = unsafe { core::slice::from_raw_parts(from as *const u8, after as usize) };
    const WHOLE: u128 = u128::from_ne_bytes([CANARY_BYTE; 16]);
    let intact = match (bytes.first_chunk::<16>(), bytes.last_chunk::<16>()) {
        (Some(first), Some(last)) => u128::from_ne_bytes(*first) == WHOLE && u128::from_ne_bytes(*last) == WHOLE,
        _ => bytes.iter().all(|byte| *byte == CANARY_BYTE),
    };
    (!intact).then_some(Damage::After)
}

/// Blocks from this one back, by `next`. What is no block, or does not lie before the last, ends it.
fn back(newest: u64, next: fn(&Header) -> u64) -> impl Iterator<Item = (u64, &'static mut Header)> {
    let mut address = newest;
    core::iter::from_fn(move || {
        let header = at(address)?;
        let here = address;
        address = Some(next(header)).filter(|before| *before < here).unwrap_or(0);
        Some((here, header))
    })
}

/// All blocks of a heap, newest first.
pub fn each(thread: usize) -> impl Iterator<Item = (u64, &'static mut Header)> {
    back(heap::newest(thread), |header| header.previous)
}

/// The large block that an address lies in.
pub fn large_at(address: u64) -> Option<(u64, &'static mut Header)> {
    back(heap::newest_large(heap::of(address)), |header| header.large)
        .find(|(start, header)| (*start..start.saturating_add(header.size)).contains(&address))
}

/// The block that an address lies in or next to.
pub fn nearest(address: u64) -> Option<(u64, &'static mut Header)> {
    let mut after = None;
    for (start, header) in each(heap::of(address)) {
        if start > address {
            after = Some((start, header));
            continue;
        }
        let past = address.saturating_sub(start.saturating_add(header.size));
        return match after {
            Some((next, header)) if next - address <= past => Some((next, header)),
            _ => Some((start, header)),
        };
    }
    after
}
