//! The allocation functions. They are called long before anything is set up, so passing on goes to the names that glibc
//! exports for this and needs no look-up.

use super::errno::{EINVAL, ENOMEM, fail};
use crate::control::controlled;
use crate::heap;
use crate::interpose::CALLER;
use core::sync::atomic::Ordering;

unsafe extern "C" {
    // ABI: glibc's own allocator under its internal names.
    fn __libc_malloc(size: usize) -> u64;
    fn __libc_calloc(count: usize, size: usize) -> u64;
    fn __libc_realloc(block: u64, size: usize) -> u64;
    fn __libc_memalign(align: usize, size: usize) -> u64;
    fn __libc_free(block: u64);
}

fn pc() -> u64 {
    (CALLER.load(Ordering::Relaxed) as u64).wrapping_sub(1)
}

fn give(size: usize, align: usize) -> u64 {
    let at = heap::allocate(size as u64, align.max(16) as u64, pc());
    if at == 0 {
        fail(ENOMEM);
    }
    at
}

fn resize(block: u64, size: usize) -> u64 {
    if block == 0 {
        return give(size, 16);
    }
    let pc = pc();
    let Some(old) = heap::size_of_block(block) else {
        heap::release(block, pc); // says what is wrong with it
        return give(size, 16);
    };
    if size == 0 {
        heap::release(block, pc);
        return 0;
    }
    let new = give(size, 16);
    if new != 0 {
        // SAFETY: both blocks have at least this many bytes.
        unsafe { core::ptr::copy_nonoverlapping(block as *const u8, new as *mut u8, (old as usize).min(size)) };
        heap::release(block, pc);
    }
    new
}

/// Defines an allocation function: entry stub, then ours or glibc's.
macro_rules! allocator {
    ($($name:ident($($a:ident : $t:ty),*) $(-> $r:ty)? { passive $passive:expr; controlled $controlled:expr })*) => {$(
        const _: () = {
            unsafe extern "C" fn body($($a: $t),*) $(-> $r)? {
                if controlled() {
                    $controlled
                } else {
                    // SAFETY: the caller's arguments, unchanged.
                    unsafe { $passive }
                }
            }
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $name($(_: $t),*) $(-> $r)? {
                core::arch::naked_asm!(
                    "mov rax, [rsp]", "mov [rip + {caller}], rax", "jmp {body}",
                    caller = sym CALLER, body = sym body,
                )
            }
        };
    )*};
}

const PAGE: usize = 4096;

// ABI: stdlib.h, malloc.h
allocator! {
    malloc(size: usize) -> u64 { passive __libc_malloc(size); controlled give(size, 16) }
    calloc(count: usize, size: usize) -> u64 {
        passive __libc_calloc(count, size);
        controlled match count.checked_mul(size) {
            Some(total) => {
                let at = give(total, 16);
                if at != 0 {
                    // SAFETY: a new block of that size. Memory used before (by reuse) has old contents.
                    unsafe { core::ptr::write_bytes(at as *mut u8, 0, total) };
                }
                at
            }
            None => {
                fail(ENOMEM);
                0
            }
        }
    }
    realloc(block: u64, size: usize) -> u64 { passive __libc_realloc(block, size); controlled resize(block, size) }
    reallocarray(block: u64, count: usize, size: usize) -> u64 {
        passive match count.checked_mul(size) { Some(total) => __libc_realloc(block, total), None => { fail(ENOMEM); 0 } };
        controlled match count.checked_mul(size) { Some(total) => resize(block, total), None => { fail(ENOMEM); 0 } }
    }
    free(block: u64) {
        passive __libc_free(block);
        controlled if block != 0 { heap::release(block, pc()) }
    }
    memalign(align: usize, size: usize) -> u64 {
        passive __libc_memalign(align, size);
        controlled give(size, align.next_power_of_two())
    }
    aligned_alloc(align: usize, size: usize) -> u64 {
        passive __libc_memalign(align, size);
        controlled if align.is_power_of_two() { give(size, align) } else { fail(EINVAL); 0 }
    }
    valloc(size: usize) -> u64 { passive __libc_memalign(PAGE, size); controlled give(size, PAGE) }
    pvalloc(size: usize) -> u64 {
        passive __libc_memalign(PAGE, size.checked_next_multiple_of(PAGE).unwrap_or(usize::MAX));
        controlled give(size.checked_next_multiple_of(PAGE).unwrap_or(usize::MAX), PAGE)
    }
    posix_memalign(place: *mut u64, align: usize, size: usize) -> i32 {
        passive {
            let at = __libc_memalign(align, size);
            if at == 0 { ENOMEM } else { *place = at; 0 }
        };
        controlled if !align.is_power_of_two() || !align.is_multiple_of(8) {
            EINVAL
        } else {
            match heap::allocate(size as u64, align.max(16) as u64, pc()) {
                0 => ENOMEM,
                at => {
                    // SAFETY: the program's variable.
                    unsafe { *place = at };
                    0
                }
            }
        }
    }
    malloc_usable_size(block: u64) -> usize {
        passive real!(malloc_usable_size: fn(u64) -> usize)(block);
        controlled heap::size_of_block(block).unwrap_or(0) as usize
    }
    malloc_trim(pad: usize) -> i32 { passive real!(malloc_trim: fn(usize) -> i32)(pad); controlled 0 }
    mallopt(what: i32, value: i32) -> i32 { passive real!(mallopt: fn(i32, i32) -> i32)(what, value); controlled 1 }
}
