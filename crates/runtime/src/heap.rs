//! The program's heap: one stretch of address space per thread, so that an address depends only on its thread's history.
//!
//! Freed memory goes into quarantine: it is not handed out again until a thread has freed [`QUARANTINE`] bytes, so that
//! use after free is not hidden by reuse. Two options of the plan change that, and then allocations and frees of different
//! threads depend on each other through an object of their own (report 003 §6.4): with `recycle` freed blocks of one size
//! class are used again at once, the last first, whoever freed them; with `strict_malloc` all threads allocate from one
//! heap in the order in which they ask. Everything about a heap lies in that heap, so a reset restores it.
//!
//! What lies around a block is in `block`, which bytes may be accessed in `valid`.

use crate::places::{HEAP, HEAP_END, HEAP_SPAN, PAGE, PRIVATE, PRIVATE_SPAN};
use crate::state::g;
use crate::{blame, block, record, sched, sys, valid};
use gabion_trace::shared::{MAX_THREADS, flag};
use gabion_trace::{Access, AccessKind, Address, Coverage, OpKind, Pseudo, Space};

/// Bytes that a thread frees before its oldest freed blocks are used again.
const QUARANTINE: u64 = 64 << 20;
/// Address space is made writable in pieces of this size.
const PIECE: u64 = 1 << 20;
/// Bytes beyond the last block that are kept writable, and cleared: small overflows stay within a run.
const SLACK: u64 = 4 * PAGE;
/// Size classes of the quarantine: multiples of 16 up to 1024, then powers of two.
const CLASSES: usize = 64 + 32;
/// Blocks beyond this size have as much room as was asked for.
const EXACT: u64 = 64 << 10;
/// Bytes of a spin lock or once, the smallest objects there are.
const SMALLEST_OBJECT: u64 = 4;
/// Blocks beyond this size are never used again.
const HUGE: u64 = 1 << 30;

/// At the start of each thread's heap.
#[repr(C)]
struct Heap {
    /// First byte never handed out, a multiple of 16.
    bump: u64,
    /// Bytes freed and not used again.
    quarantined: u64,
    /// The last block handed out for the first time, and the last large one.
    newest: u64,
    newest_large: u64,
    /// Freed blocks of each class: the first to be used again, and the last.
    queues: [(u64, u64); CLASSES],
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
        valid::open();
    }
}

fn base(thread: usize) -> u64 {
    HEAP + thread as u64 * HEAP_SPAN
}

/// Whose heap an address of a heap is in.
pub fn of(at: u64) -> usize {
    ((at - HEAP) / HEAP_SPAN) as usize
}

/// Does the address lie in a heap?
pub fn contains(at: u64) -> bool {
    (HEAP..HEAP_END).contains(&at)
}

/// May the address be that of a block, so that its header can be read?
pub fn is_readable(at: u64) -> bool {
    contains(at) && (base(of(at)) + FIRST..limits().writable[of(at)]).contains(&at)
}

/// Where the first block of a heap can be, from the heap's start.
const FIRST: u64 = size_of::<Heap>() as u64 + block::HEADER;

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

/// The last block that a heap handed out for the first time; 0: none.
pub fn newest(thread: usize) -> u64 {
    if limits().writable[thread] == 0 { 0 } else { heap_of(thread).newest }
}

/// The last large one.
pub fn newest_large(thread: usize) -> u64 {
    if limits().writable[thread] == 0 { 0 } else { heap_of(thread).newest_large }
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
    if unsafe { sys::call(sys::MPROTECT, from, to - from, 3) } != 0 || !valid::grow(from, to) {
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

/// Bytes from the start of a block to what comes next.
fn room(size: u64) -> u64 {
    let asked = if size > EXACT { size.checked_next_multiple_of(64) } else { Some(class_size(class(size))) };
    asked.and_then(|room| room.checked_add(block::REDZONE)).unwrap_or(u64::MAX)
}

/// Runs `f` with allocations going to memory that is not reset.
pub fn private<R>(f: impl FnOnce() -> R) -> R {
    limits().private = true;
    let result = f();
    limits().private = false;
    result
}

fn has(flag: u8) -> bool {
    g().plan.flags & flag != 0
}

/// Whose heap hands out new memory, and whose keeps freed blocks. With `strict-malloc` all use one; with `recycle` all free
/// into one.
fn homes() -> (usize, usize) {
    let me = g().current;
    match (has(flag::STRICT_MALLOC), has(flag::RECYCLE)) {
        (true, _) => (0, 0),
        (_, true) => (me, 0),
        _ => (me, me),
    }
}

/// What allocations and frees of other threads have in common with one of this size; None: nothing.
fn common(size: u64) -> Option<Address> {
    let all = Pseudo::Heap as u64;
    if has(flag::STRICT_MALLOC) {
        return Some(Address::pseudo(Pseudo::Heap));
    }
    has(flag::RECYCLE).then(|| Address::new(Space::Pseudo, all | (class(size) as u64 + 1) << 8))
}

/// Allocates, or gives 0.
pub fn allocate(size: u64, align: u64, pc: u64) -> u64 {
    if limits().private {
        let at = crate::aside::take(size + align) + align - 1;
        return at & !(align - 1);
    }
    if let Some(object) = common(size).filter(|_| g().active) {
        if !crate::libc::from_libc(pc) {
            sched::reach(OpKind::Allocate, object, pc);
        }
        record::op(OpKind::Allocate, object, 0, pc);
    }
    let (home, freed) = homes();
    let heap = heap_of(freed);
    let may_reuse = align <= 16 && size <= HUGE && (has(flag::RECYCLE) || heap.quarantined > QUARANTINE);
    let again = if may_reuse { reuse(heap, size) } else { None };
    let Some(at) = again.or_else(|| extend(home, size, align)) else {
        record::cover(Coverage::MEMORY_LIMIT);
        return 0;
    };
    let previous = match again {
        Some(_) => block::at(at).map_or(0, |header| header.previous),
        None => core::mem::replace(&mut heap_of(home).newest, at),
    };
    let header = block::begin(at, size, room(size), pc, previous);
    if again.is_none() {
        header.large = 0;
        if size >= valid::LARGE {
            header.large = core::mem::replace(&mut heap_of(home).newest_large, at);
        }
    }
    valid::add(at, header);
    if again.is_some() && g().active {
        // Whoever still knows the old block sees freed memory before this, and the new block's after it.
        let access = Access {
            address: Address::memory(at),
            size: size.clamp(1, u64::from(u32::MAX)) as u32,
            kind: AccessKind::REUSE,
            pc,
        };
        crate::quiet::loud(at, size.max(1), access.kind);
        record::access(&access);
    }
    record::alloc(at, size, pc);
    at
}

/// Memory that was never handed out.
fn extend(thread: usize, size: u64, align: u64) -> Option<u64> {
    let heap = heap_of(thread);
    let at = (heap.bump + block::HEADER).checked_next_multiple_of(align)?;
    let end = at.checked_add(room(size)).filter(|end| *end <= base(thread) + HEAP_SPAN)?;
    let l = limits();
    let more = end - heap.bump;
    // Before the first plan (constructors) there is no limit but the kernel's.
    let limit = if g().plan.max_memory == 0 { u64::MAX } else { g().plan.max_memory };
    if l.used + more > limit || (end + SLACK > l.writable[thread] && !grow(thread, end + SLACK)) {
        return None;
    }
    heap.bump = end;
    l.used += more;
    l.high[thread] = l.high[thread].max(end);
    Some(at)
}

/// The first freed block of the class.
fn reuse(heap: &mut Heap, size: u64) -> Option<u64> {
    let class = class(size);
    let (first, last) = heap.queues[class];
    let header = block::at(first)?;
    if size > EXACT && header.size < size {
        return None; // it has no more room than it was asked for
    }
    heap.queues[class] = if first == last { (0, 0) } else { (header.link, last) };
    heap.quarantined = heap.quarantined.saturating_sub(class_size(class));
    Some(first)
}

/// Size of a block that was handed out and not freed; None: not such a block.
pub fn size_of_block(at: u64) -> Option<u64> {
    block::at(at).filter(|header| header.is_live()).map(|header| header.size)
}

/// The point before a free, and what a free touches: all of the block. Gives its size; None: the block is the C library's,
/// from [`private`].
pub fn claim(at: u64, pc: u64) -> Option<u64> {
    if (PRIVATE..PRIVATE + PRIVATE_SPAN).contains(&at) {
        return None;
    }
    let address = Address::memory(at);
    // Blocks of a Rust standard library's own: that of a thread's result, of its handle.
    let active = g().active && !crate::standard::owns(pc);
    if active && !crate::libc::from_libc(pc) {
        sched::reach(OpKind::Free, address, pc);
    }
    let Some(header) = block::at(at).filter(|header| header.is_live()) else { blame::free(at, pc) };
    let size = header.size;
    if let Some(damage) = block::damage(at, header) {
        blame::damaged(at, header, damage, pc);
    }
    if active {
        let kind = AccessKind::WRITE.with(AccessKind::FREE);
        crate::quiet::loud(at, size.max(1), kind);
        let access = Access { address, size: size.clamp(1, u64::from(u32::MAX)) as u32, kind, pc };
        record::access(&access);
        if size >= SMALLEST_OBJECT {
            // Operations on locks and their like are no accesses to memory; the free meets them as well.
            record::access(&Access { address: Address::object(at), ..access });
        }
        record::cover(Coverage::FREED);
        if let Some(object) = common(size) {
            record::op(OpKind::Allocate, object, 0, pc);
        }
    }
    Some(size)
}

/// Takes back a block that was claimed.
pub fn retire(at: u64, pc: u64) {
    let Some(header) = block::at(at) else { return };
    let size = header.size;
    valid::remove(at, header);
    block::end(header, pc);
    if size > HUGE {
        return;
    }
    let heap = heap_of(homes().1);
    let class = class(size);
    heap.quarantined += class_size(class);
    let (first, last) = heap.queues[class];
    if first == 0 {
        heap.queues[class] = (at, at);
    } else if has(flag::RECYCLE) {
        header.link = first;
        heap.queues[class].0 = at;
    } else {
        if let Some(last) = block::at(last) {
            last.link = at;
        }
        heap.queues[class].1 = at;
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
            let to = (l.high[t] + SLACK).min(l.writable[t]);
            each(from, to);
            each(valid::place(from), valid::place(to));
            l.high[t] = if t == 0 { main_end } else { 0 };
        }
    }
}
