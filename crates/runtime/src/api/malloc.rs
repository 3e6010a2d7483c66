//! The allocation functions. They are called long before anything is set up, so passing on goes to the names that glibc
//! exports for this and needs no look-up.

use super::errno::{EINVAL, ENOMEM, fail};
use crate::blame::{self, Misuse};
use crate::block::{self, Giving};
use crate::control::controlled;
use crate::heap;
use crate::interpose::{CALLER, caller};
use crate::record;
use crate::standard;
use crate::state::g;
use gabion_trace::shared::flag;
use gabion_trace::{Address, Coverage, OpKind};

unsafe extern "C" {
    // ABI: glibc's own allocator under its internal names.
    fn __libc_malloc(size: usize) -> u64;
    fn __libc_calloc(count: usize, size: usize) -> u64;
    fn __libc_realloc(block: u64, size: usize) -> u64;
    fn __libc_memalign(align: usize, size: usize) -> u64;
    fn __libc_free(block: u64);
}

pub(super) fn pc() -> u64 {
    standard::asker(caller())
}

fn give(size: usize, align: usize) -> u64 {
    give_at(size, align, pc())
}

pub(super) fn give_at(size: usize, align: usize, pc: u64) -> u64 {
    let at = heap::allocate(size as u64, align.max(16) as u64, pc);
    if at == 0 {
        fail(ENOMEM);
    }
    at
}

/// Was the block taken as it is given back? What is no block is judged later.
fn check_giving(block: u64, giving: &Giving, pc: u64) {
    let header = block::at(block).filter(|header| header.is_live() && !giving.fits(header));
    if let Some(header) = header {
        blame::mismatched(block, header, giving, pc);
    }
}

/// A block of this size ends now: nobody may hold a lock in it. Where that is to be borne, nobody holds one from now on: whoever
/// uses it uses freed memory.
fn check_locks(block: u64, size: u64, pc: u64) {
    let g = g();
    let inside = |lock: u64| lock != 0 && (block..block + size).contains(&Address(lock).offset());
    for t in g.live.iter_below(g.threads) {
        for lock in g.fibers[t].locks.iter_mut().filter(|lock| inside(**lock)) {
            if g.plan.flags & flag::FREE_HELD == 0 {
                blame::lock(Misuse::FreeHeld, "lock", OpKind::Free, Address(*lock).offset(), Some(t), pc);
            }
            record::cover(Coverage::FREED_HELD);
            *lock = 0;
        }
    }
}

pub(super) fn give_back(block: u64, giving: &Giving, pc: u64) {
    check_giving(block, giving, pc);
    if let Some(size) = heap::claim(block, pc) {
        check_locks(block, size, pc);
        heap::retire(block, pc);
    }
}

fn resize(block: u64, size: usize) -> u64 {
    if block == 0 {
        return give(size, 16);
    }
    let pc = pc();
    if size == 0 {
        give_back(block, &Giving::FREE, pc);
        return 0;
    }
    move_to(block, size, 16, &Giving::FREE, pc)
}

/// A block of another size for one that is given back; 0 if there is none.
pub(super) fn move_to(block: u64, size: usize, align: usize, giving: &Giving, pc: u64) -> u64 {
    check_giving(block, giving, pc);
    // Always to another place, so that old pointers are seen. First, because nothing may come between the look at the old
    // block and its end.
    let new = give_at(size, align, pc);
    if let Some(old) = heap::claim(block, pc).filter(|_| new != 0) {
        check_locks(block, old, pc);
        // SAFETY: both blocks have at least this many bytes.
        unsafe { core::ptr::copy_nonoverlapping(block as *const u8, new as *mut u8, (old as usize).min(size)) };
        heap::retire(block, pc);
    }
    new
}

/// Defines an allocation function: entry stub, then ours or glibc's.
macro_rules! allocator {
    ($($name:ident($($a:ident : $t:ty),*) $(-> $r:ty)? { passive $passive:expr; controlled $controlled:expr })*) => {$(
        const _: () = {
            unsafe extern "C-unwind" fn body($($a: $t),*) $(-> $r)? {
                if controlled() {
                    $controlled
                } else {
                    // SAFETY: the caller's arguments, unchanged.
                    unsafe { $passive }
                }
            }
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C-unwind" fn $name($(_: $t),*) $(-> $r)? {
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
        controlled if block != 0 { give_back(block, &Giving::FREE, pc()) }
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
                    super::usable::check_present(place as u64, pc());
                    super::put(place, at, pc());
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
