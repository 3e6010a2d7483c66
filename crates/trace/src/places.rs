//! Where a thread's memory is in the target's address space, for who names addresses.

use crate::shared::MAX_THREADS;

/// Page size.
pub const PAGE: u64 = 4096;

/// What is added to a power of two between what different threads have.
pub const APART: u64 = 5 * PAGE;

/// Heaps: one stretch of address space per thread, made writable as it is used.
pub const HEAP: u64 = 0x1000_0000_0000;
/// Address space of one thread's heap.
pub const HEAP_SPAN: u64 = 4 << 30;
/// End of the heaps.
pub const HEAP_END: u64 = HEAP + HEAP_SPAN * MAX_THREADS as u64;

/// Stacks: one slot per thread; thread-local storage at its top. Above those that hooks run on (see `apart`), because
/// debuggers take a caller with a lower address for a mistake.
pub const STACKS: u64 = 0x3c00_0000_0000;
/// Address space of one slot. No power of two: what threads use most would lie in the same few sets of the processor's
/// translation caches, which have room for a dozen pages each.
pub const STACK_SPAN: u64 = (64 << 20) + APART;
/// End of the stacks, and of all that is placed.
pub const STACKS_END: u64 = STACKS + STACK_SPAN * MAX_THREADS as u64;

/// The program's arguments and environment. The kernel puts them where the length of paths and of everything else there decides;
/// here they lie at the same place wherever the program is run.
pub const ARGUMENTS: u64 = 0x3f00_0000_0000;
