//! What the compiler calls before plain accesses.

use super::own::watched;
use crate::state::WATCHING;
use core::arch::naked_asm;
use gabion_trace::AccessKind;

/// Hooks for accesses of a fixed size. The fast path, while nobody watches, is a compare and a return.
macro_rules! hooks {
    ($($name:ident $size:literal $kind:expr;)*) => {$(
        // ABI: void NAME(void *address), called before the access.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64) {
            naked_asm!(
                "cmp byte ptr [rip + {watching}], 0", "jne 2f", "ret",
                "2: mov rcx, [rsp]", "dec rcx", "mov esi, {size}", "mov edx, {kind}", "jmp {watched}",
                watching = sym WATCHING, size = const $size, kind = const ($kind).0 as u32, watched = sym watched,
            )
        }
    )*};
}

/// Hooks for accesses whose size is an argument.
macro_rules! range_hooks {
    ($($name:ident $kind:expr;)*) => {$(
        // ABI: void NAME(void *address, uintptr_t size), called before the access.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64, _size: u64) {
            naked_asm!(
                "cmp byte ptr [rip + {watching}], 0", "jne 2f", "ret",
                "2: mov rcx, [rsp]", "dec rcx", "mov edx, {kind}", "jmp {watched}",
                watching = sym WATCHING, kind = const ($kind).0 as u32, watched = sym watched,
            )
        }
    )*};
}

const R: AccessKind = AccessKind::READ;
const W: AccessKind = AccessKind::WRITE;
const U: AccessKind = AccessKind::UPDATE;
const V: AccessKind = AccessKind::VOLATILE;
const J: AccessKind = AccessKind::JOINED;

hooks! {
    __tsan_read1 1 R; __tsan_read2 2 R; __tsan_read4 4 R; __tsan_read8 8 R; __tsan_read16 16 R;
    __tsan_write1 1 W; __tsan_write2 2 W; __tsan_write4 4 W; __tsan_write8 8 W; __tsan_write16 16 W;
    __tsan_unaligned_read2 2 R; __tsan_unaligned_read4 4 R; __tsan_unaligned_read8 8 R; __tsan_unaligned_read16 16 R;
    __tsan_unaligned_write2 2 W; __tsan_unaligned_write4 4 W; __tsan_unaligned_write8 8 W;
    __tsan_unaligned_write16 16 W;
    __tsan_read_write1 1 U; __tsan_read_write2 2 U; __tsan_read_write4 4 U; __tsan_read_write8 8 U;
    __tsan_read_write16 16 U;
    __tsan_unaligned_read_write2 2 U; __tsan_unaligned_read_write4 4 U; __tsan_unaligned_read_write8 8 U;
    __tsan_unaligned_read_write16 16 U;
    __tsan_volatile_read1 1 R.with(V); __tsan_volatile_read2 2 R.with(V); __tsan_volatile_read4 4 R.with(V);
    __tsan_volatile_read8 8 R.with(V); __tsan_volatile_read16 16 R.with(V);
    __tsan_volatile_write1 1 W.with(V); __tsan_volatile_write2 2 W.with(V); __tsan_volatile_write4 4 W.with(V);
    __tsan_volatile_write8 8 W.with(V); __tsan_volatile_write16 16 W.with(V);
    __tsan_unaligned_volatile_read2 2 R.with(V); __tsan_unaligned_volatile_read4 4 R.with(V);
    __tsan_unaligned_volatile_read8 8 R.with(V); __tsan_unaligned_volatile_read16 16 R.with(V);
    __tsan_unaligned_volatile_write2 2 W.with(V); __tsan_unaligned_volatile_write4 4 W.with(V);
    __tsan_unaligned_volatile_write8 8 W.with(V); __tsan_unaligned_volatile_write16 16 W.with(V);
    __tsan_vptr_read 8 R; __tsan_vptr_update 8 W;
    __gabion_joined_read1 1 R.with(J); __gabion_joined_read2 2 R.with(J); __gabion_joined_read4 4 R.with(J);
    __gabion_joined_read8 8 R.with(J); __gabion_joined_read16 16 R.with(J);
    __gabion_joined_write1 1 W.with(J); __gabion_joined_write2 2 W.with(J); __gabion_joined_write4 4 W.with(J);
    __gabion_joined_write8 8 W.with(J); __gabion_joined_write16 16 W.with(J);
    __gabion_joined_unaligned_read2 2 R.with(J); __gabion_joined_unaligned_read4 4 R.with(J);
    __gabion_joined_unaligned_read8 8 R.with(J); __gabion_joined_unaligned_read16 16 R.with(J);
    __gabion_joined_unaligned_write2 2 W.with(J); __gabion_joined_unaligned_write4 4 W.with(J);
    __gabion_joined_unaligned_write8 8 W.with(J); __gabion_joined_unaligned_write16 16 W.with(J);
    __gabion_joined_volatile_read1 1 R.with(V).with(J); __gabion_joined_volatile_read2 2 R.with(V).with(J);
    __gabion_joined_volatile_read4 4 R.with(V).with(J); __gabion_joined_volatile_read8 8 R.with(V).with(J);
    __gabion_joined_volatile_read16 16 R.with(V).with(J);
    __gabion_joined_volatile_write1 1 W.with(V).with(J); __gabion_joined_volatile_write2 2 W.with(V).with(J);
    __gabion_joined_volatile_write4 4 W.with(V).with(J); __gabion_joined_volatile_write8 8 W.with(V).with(J);
    __gabion_joined_volatile_write16 16 W.with(V).with(J);
}

range_hooks! {
    __tsan_read_range R.with(AccessKind::RANGE);
    __tsan_write_range W.with(AccessKind::RANGE);
    __gabion_joined_read_range R.with(AccessKind::RANGE).with(J);
    __gabion_joined_write_range W.with(AccessKind::RANGE).with(J);
}
