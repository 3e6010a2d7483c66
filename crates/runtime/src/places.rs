//! Where things are in the target's address space. Fixed, so that addresses are the same in every process of a program.
//!
//! All lie between a position-independent executable (0x5555…) and a fixed one (0x400000), away from libraries and the
//! kernel's stack (0x7fff…). Address-space randomisation is off.

use gabion_trace::shared::MAX_THREADS;

/// Heaps: one stretch of address space per thread, made writable as it is used.
pub const HEAP: u64 = 0x1000_0000_0000;
/// Address space of one thread's heap.
pub const HEAP_SPAN: u64 = 4 << 30;
/// End of the heaps.
pub const HEAP_END: u64 = HEAP + HEAP_SPAN * MAX_THREADS as u64;

/// Memory of the runtime that is never reset: snapshots, thread-local images.
pub const PRIVATE: u64 = 0x3000_0000_0000;
/// Its address space.
pub const PRIVATE_SPAN: u64 = 64 << 30;

/// Notes about the program's memory; see `shadow`. Never reset either.
pub const QUIET: u64 = 0x3400_0000_0000;

/// Which bytes of the heaps belong to blocks; see `valid`. A reset puts it back with the heaps.
pub const VALID: u64 = 0x3600_0000_0000;

/// Call stacks of allocations and frees; see `depot`. Never reset.
pub const DEPOT: u64 = 0x3700_0000_0000;

/// Instructions that note calls; see `calls`.
pub const CALLS: u64 = 0x37f0_0000_0000;

/// The memory shared with the search.
pub const SHARED: u64 = 0x3800_0000_0000;

/// End of what is the runtime's alone, from [`PRIVATE`] on.
pub const OURS_END: u64 = SHARED + (1 << 40);

/// Stacks: one slot per thread; thread-local storage at its top. Above those that hooks run on (see `apart`), because
/// debuggers take a caller with a lower address for a mistake.
pub const STACKS: u64 = 0x3c00_0000_0000;
/// Address space of one slot.
pub const STACK_SPAN: u64 = 64 << 20;
/// End of the stacks, and of all that is placed.
pub const STACKS_END: u64 = STACKS + STACK_SPAN * MAX_THREADS as u64;
/// Stack of a thread that asks for none in particular.
pub const STACK_DEFAULT: u64 = 8 << 20;

/// Page size.
pub const PAGE: u64 = 4096;

/// Lowest address of a thread's stack slot.
pub const fn slot(thread: usize) -> u64 {
    STACKS + thread as u64 * STACK_SPAN
}
/// One past the highest address of a thread's stack slot.
pub const fn slot_end(thread: usize) -> u64 {
    slot(thread) + STACK_SPAN
}
