//! Where things are in the target's address space. Fixed, so that addresses are the same in every process of a program.
//! What the search knows about too is in `trace`.
//!
//! All lie between a position-independent executable (0x5555…) and a fixed one (0x400000), away from libraries and the
//! kernel's stack (0x7fff…). Address-space randomisation is off.

pub use gabion_trace::places::{APART, HEAP, HEAP_END, HEAP_SPAN, PAGE, STACK_SPAN, STACKS, STACKS_END};

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
/// Instructions that stand before functions that the program has looked up by their names.
pub const FOUND: u64 = CALLS + PAGE;
/// Instructions that refuse calls; see `api/refused/linked.rs`.
pub const REFUSED: u64 = FOUND + PAGE;

/// The memory shared with the search.
pub const SHARED: u64 = 0x3800_0000_0000;

/// End of what is the runtime's alone, from [`PRIVATE`] on.
pub const OURS_END: u64 = SHARED + (1 << 40);

/// Stack of a thread that asks for none in particular.
pub const STACK_DEFAULT: u64 = 8 << 20;
/// The largest stack of a thread.
pub const STACK_MAX: u64 = STACK_SPAN - (1 << 20);

/// Lowest address of a thread's stack slot.
pub const fn slot(thread: usize) -> u64 {
    STACKS + thread as u64 * STACK_SPAN
}
/// One past the highest address of a thread's stack slot.
pub const fn slot_end(thread: usize) -> u64 {
    slot(thread) + STACK_SPAN
}
