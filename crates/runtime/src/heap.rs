//! The program's heap: one stretch of address space per thread, so that an address depends only on its thread's history.
//!
//! Freed memory goes into quarantine: it is not handed out again until a thread has freed [`QUARANTINE`] bytes, so that
//! use after free is not hidden by reuse (`recycle` in the plan turns that around). A block carries its size in the
//! sixteen bytes before it. Everything about a thread's heap lies in that heap, so a reset restores it.
//!
//! Not done here: red zones, checks of accesses.

use crate::control::finish;
use crate::places::{HEAP, HEAP_END, HEAP_SPAN, PAGE, PRIVATE, PRIVATE_SPAN};
use crate::record;
use crate::sched;
use crate::state::g;
use crate::sys;
use gabion_trace::shared::{MAX_THREADS, flag};
use gabion_trace::{Access, AccessKind, Address, Coverage, Ending, OpKind};

/// Bytes that a thread frees before its oldest freed blocks are used again.
const QUARANTINE: u64 = 64 << 20;
/// Address space is made writable in pieces of this size.
const PIECE: u64 = 1 << 20;
/// Bytes beyond the last block that are kept writable, and cleared: small overflows stay within a run.
const SLACK: u64 = 4 * PAGE;
/// Size classes of the quarantine: multiples of 16 up to 1024, then powers of two.
const CLASSES: usize = 64 + 32;
const ALLOCATED: u64 = 0x6e6f_6962_6167 << 8;
const FREED: u64 = ALLOCATED | 1;

/// At the start of each thread's heap.
#[repr(C)]
struct Heap {
    /// First byte never handed out.
    bump: u64,
    /// Bytes freed and not used again.
    quarantined: u64,
    /// Oldest and newest freed block of each class.
    queues: [(u64, u64); CLASSES],
}

/// Sixteen bytes before each block.
#[repr(C)]
struct Header {
    size: u64,
    /// [`ALLOCATED`], or [`FREED`].
    state: u64,
}

struct Limits {
    /// End of what is writable, per thread.
    writable: [u64; MAX_THREADS],
    /// Highest bump since the last reset, per thread.
    high: [u64; MAX_THREADS],
    opened: bool,
    /// Allocations come from memory that is not reset.
    private: bool,
    /// Bytes handed out in this run and before it, freed ones included.
    used: u64,
}

static mut LIMITS: Limits =
    Limits { writable: [0; MAX_THREADS], high: [0; MAX_THREADS], opened: false, private: false, used: 0 };

fn limits() -> &'static mut Limits {
    // SAFETY: one kernel thread.
    unsafe { &mut LIMITS }
}

/// Reserves the address space.
pub fn open() {
    if !limits().opened {
        limits().opened = true;
        sys::map(HEAP, HEAP_END - HEAP, 0, sys::RESERVED, -1);
    }
}

fn base(thread: usize) -> u64 {
    HEAP + thread as u64 * HEAP_SPAN
}

fn heap_of(thread: usize) -> &'static mut Heap {
    open();
    let at = base(thread);
    let l = limits();
    if l.writable[thread] == 0 {
        grow(thread, at + PIECE);
    }
    // SAFETY: writable and zero at first; a heap of zeros is an empty one but for the bump.
    let heap = unsafe { &mut *(at as *mut Heap) };
    if heap.bump == 0 {
        heap.bump = (at + size_of::<Heap>() as u64 + 63) & !63;
        l.high[thread] = l.high[thread].max(heap.bump);
    }
    heap
}

/// Makes a heap writable up to `end`. False: the limit, or the kernel, says no.
fn grow(thread: usize, end: u64) -> bool {
    let l = limits();
    let from = l.writable[thread].max(base(thread));
    let to = (end + PIECE - 1) & !(PIECE - 1);
    if to > base(thread) + HEAP_SPAN {
        return false;
    }
    // SAFETY: inside the reserved stretch.
    if unsafe { sys::call(sys::MPROTECT, from, to - from, 3) } != 0 {
        return false;
    }
    l.writable[thread] = to;
    true
}

fn class(size: u64) -> usize {
    if size <= 1024 {
        (size.max(1) as usize - 1) / 16
    } else {
        64 + (64 - (size - 1).leading_zeros() as usize - 11).min(31)
    }
}

fn class_size(class: usize) -> u64 {
    if class < 64 { (class as u64 + 1) * 16 } else { 1 << (class - 64 + 11) }
}

/// Runs `f` with allocations going to memory that is not reset.
pub fn private<R>(f: impl FnOnce() -> R) -> R {
    limits().private = true;
    let result = f();
    limits().private = false;
    result
}

/// Allocates, or gives 0.
pub fn allocate(size: u64, align: u64, pc: u64) -> u64 {
    if limits().private {
        let at = crate::aside::take(size + align) + align - 1;
        return at & !(align - 1);
    }
    let thread = g().current;
    let heap = heap_of(thread);
    let recycle = g().plan.flags & flag::RECYCLE != 0;
    let may_reuse = align <= 16 && size <= 1 << 30 && (recycle || heap.quarantined > QUARANTINE);
    if may_reuse && let Some(at) = reuse(heap, size, recycle) {
        // SAFETY: the block's header lies before it.
        unsafe { *((at - 16) as *mut Header) = Header { size, state: ALLOCATED } };
        record::alloc(at, size, pc);
        return at;
    }
    let room = if size > 1 << 30 { size } else { class_size(class(size)).max(16) };
    let room = if size > 64 << 10 { size.checked_next_multiple_of(64).unwrap_or(u64::MAX) } else { room };
    let at = (heap.bump + 16 + align - 1) & !(align - 1);
    let end = match at.checked_add(room) {
        Some(end) if end <= base(thread) + HEAP_SPAN => end,
        _ => return exhausted(),
    };
    let l = limits();
    let more = end - heap.bump;
    // Before the first plan (constructors) there is no limit but the kernel's.
    let limit = if g().plan.max_memory == 0 { u64::MAX } else { g().plan.max_memory };
    if l.used + more > limit || (end + SLACK > l.writable[thread] && !grow(thread, end + SLACK)) {
        return exhausted();
    }
    heap.bump = end;
    l.used += more;
    l.high[thread] = l.high[thread].max(end);
    // SAFETY: inside the writable part, after everything handed out before.
    unsafe { *((at - 16) as *mut Header) = Header { size, state: ALLOCATED } };
    record::alloc(at, size, pc);
    at
}

fn exhausted() -> u64 {
    record::cover(Coverage::MEMORY_LIMIT);
    0
}

/// A freed block of the class: the oldest, or the newest when reuse at once is asked for.
fn reuse(heap: &mut Heap, size: u64, newest: bool) -> Option<u64> {
    let class = class(size);
    let (first, last) = heap.queues[class];
    let candidate = if newest { last } else { first };
    // SAFETY: blocks in a queue have their header before them. Large blocks have no more room than they were asked for.
    if candidate == 0 || (size > 64 << 10 && unsafe { (*((candidate - 16) as *const Header)).size } < size) {
        return None;
    }
    // SAFETY: blocks in a queue are ours; their first word links to the next.
    unsafe {
        let taken = if newest && first != last {
            let mut before = first;
            while *(before as *const u64) != last {
                before = *(before as *const u64);
            }
            heap.queues[class].1 = before;
            *(before as *mut u64) = 0;
            last
        } else {
            heap.queues[class].0 = *(first as *const u64);
            if first == last {
                heap.queues[class].1 = 0;
            }
            first
        };
        heap.quarantined = heap.quarantined.saturating_sub(class_size(class));
        Some(taken)
    }
}

/// Size of a block that was handed out and not freed; None: not such a block.
pub fn size_of_block(at: u64) -> Option<u64> {
    if !(HEAP + 64..HEAP_END).contains(&at) || !at.is_multiple_of(16) {
        return None;
    }
    let thread = ((at - HEAP) / HEAP_SPAN) as usize;
    if at - 16 < base(thread) + size_of::<Heap>() as u64 || at >= limits().writable[thread] {
        return None;
    }
    // SAFETY: writable memory of a heap.
    let header = unsafe { &*((at - 16) as *const Header) };
    (header.state == ALLOCATED).then_some(header.size)
}

/// What is freed is no block, or no longer.
fn wrong_free(at: u64, pc: u64) {
    if (PRIVATE..PRIVATE + PRIVATE_SPAN).contains(&at) {
        return; // the C library's, from `private`
    }
    let heap = (HEAP + 64..HEAP_END).contains(&at) && at.is_multiple_of(16);
    // SAFETY: the header of an aligned address in a part of a heap that is writable.
    let freed = heap
        && at < limits().writable[((at - HEAP) / HEAP_SPAN) as usize]
        && unsafe { (*((at - 16) as *const Header)).state } == FREED;
    if freed {
        finish(Ending::DoubleFree, 6, pc, at, b"a block is freed that was freed before");
    }
    finish(Ending::BadFree, 6, pc, at, b"a pointer is freed that is not the start of an allocated block");
}

/// Takes a block back. A free touches all of the block.
pub fn release(at: u64, pc: u64) {
    let Some(size) = size_of_block(at) else { return wrong_free(at, pc) };
    let address = Address::memory(at);
    if g().active {
        if !crate::libc::from_libc(pc) {
            sched::reach(OpKind::Free, address, pc);
        }
        let kind = AccessKind::WRITE.with(AccessKind::FREE);
        crate::quiet::loud(at, size.max(1), kind);
        record::access(&Access { address, size: size.clamp(1, u64::from(u32::MAX)) as u32, kind, pc });
        record::cover(Coverage::FREED);
    }
    if size_of_block(at).is_none() {
        return wrong_free(at, pc); // freed by another thread in between
    }
    let heap = heap_of(g().current);
    let class = class(size);
    // SAFETY: the block and its header are ours again.
    unsafe { (*((at - 16) as *mut Header)).state = FREED };
    if size > 1 << 30 {
        return;
    }
    heap.quarantined += class_size(class);
    // SAFETY: as above; the link goes into the block's first word only when reuse is near, so that most freed blocks
    // keep their last contents.
    unsafe {
        let (first, last) = heap.queues[class];
        if class_size(class) >= 8 {
            *(at as *mut u64) = 0;
            if first == 0 {
                heap.queues[class] = (at, at);
            } else {
                *(last as *mut u64) = at;
                heap.queues[class].1 = at;
            }
        }
    }
}

/// Main's heap in use, for the checkpoint: (start, end).
pub fn main_range() -> (u64, u64) {
    let bump = heap_of(0).bump;
    (base(0), bump)
}

/// Bounds of what threads have used since the checkpoint: calls `each` with (start, end) for what must be zero again.
pub fn used_since(main_end: u64, threads: usize, mut each: impl FnMut(u64, u64)) {
    let l = limits();
    l.used = main_end - base(0);
    for t in 0..threads {
        let from = if t == 0 { main_end } else { base(t) };
        if l.high[t] > from {
            each(from, (l.high[t] + SLACK).min(l.writable[t]));
            l.high[t] = if t == 0 { main_end } else { 0 };
        }
    }
}
