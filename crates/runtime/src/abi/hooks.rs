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

/// Hooks of rustc's second pass, which calls them before every access whatever its size. The sanitizer's own pass leaves out accesses that
/// are not of 1, 2, 4, 8 or 16 bytes; the others it has announced already, so nothing is left to do for them.
macro_rules! hooks_of_any_size {
    ($($name:ident $kind:expr;)*) => {$(
        // ABI: void NAME(uintptr_t address, uintptr_t size), called before the access.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64, _size: u64) {
            naked_asm!(
                "cmp byte ptr [rip + {watching}], 0", "jne 2f", "ret",
                "2: lea rcx, [rsi - 1]", "test rcx, rsi", "jne 3f", "cmp rsi, 16", "ja 3f", "ret",
                "3: mov rcx, [rsp]", "dec rcx", "mov edx, {kind}", "jmp {watched}",
                watching = sym WATCHING, kind = const ($kind).0 as u32, watched = sym watched,
            )
        }
    )*};
}

hooks_of_any_size! {
    __gabion_any_loadN R.with(AccessKind::RANGE);
    __gabion_any_storeN W.with(AccessKind::RANGE);
}

macro_rules! nothing {
    ($($name:ident)*) => {$(
        // ABI: void NAME(uintptr_t address), called before an access that the sanitizer's own pass announces.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64) {
            naked_asm!("ret")
        }
    )*};
}

nothing! {
    __gabion_any_load1 __gabion_any_load2 __gabion_any_load4 __gabion_any_load8 __gabion_any_load16
    __gabion_any_store1 __gabion_any_store2 __gabion_any_store4 __gabion_any_store8 __gabion_any_store16
}

// ABI: sanitizer/asan_interface.h; called before calls that do not return, so that stacks can be cleared. Ours need not be.
#[unsafe(no_mangle)]
extern "C" fn __asan_handle_no_return() {}
