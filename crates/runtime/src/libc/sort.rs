//! Sorting and searching arrays with a function of the program, in which other threads may get their turn: what libc
//! does to the array is announced again after every call of that function. (`bsearch` touches nothing itself.)

use super::pass::{Call, Entry, Then};
use super::touch::{self, R, W};
use crate::abi::access::joined_range;
use gabion_trace::AccessKind;

/// What sorting does to an array, element by element.
const EXCHANGES: AccessKind = AccessKind::UPDATE.with(AccessKind::PARTS);

/// What the comparing function of ours needs to know.
struct Sort {
    compare: u64,
    argument: u64,
    base: u64,
    bytes: u64,
    pc: u64,
}

unsafe extern "C-unwind" fn compare(a: u64, b: u64, sort: &Sort) -> i32 {
    type Compare = unsafe extern "C-unwind" fn(u64, u64, u64) -> i32;
    // SAFETY: the program's function; one that takes two arguments does not look at the third.
    let order = unsafe { core::mem::transmute::<u64, Compare>(sort.compare)(a, b, sort.argument) };
    joined_range(sort.base, sort.bytes, EXCHANGES, sort.pc);
    order
}

fn sort(c: &Call, argument: u64) -> Then {
    let (base, count, size, pc) = (c.a[0], c.a[1], c.a[2], c.pc());
    let sort = Sort { compare: c.a[3], argument, base, bytes: count.saturating_mul(size), pc };
    touch::all(&[(base, sort.bytes, EXCHANGES)], pc);
    type Ours = unsafe extern "C-unwind" fn(u64, u64, &Sort) -> i32;
    // SAFETY: the program's array; our function gets our description.
    unsafe { real!(qsort_r: fn(u64, u64, u64, Ours, &Sort))(base, count, size, compare, &sort) };
    joined_range(base, sort.bytes, EXCHANGES, pc);
    Then::Return(0)
}

/// Linear search: libc itself reads the number of elements, and may append the key.
fn search(c: &Call, entry: &Entry) -> Then {
    let (key, base, count, size, pc) = (c.a[0], c.a[1], c.a[2], c.a[3], c.pc());
    touch::point(&[(count, R), (base, R)], pc);
    touch::variable(count, 8, R, pc);
    // SAFETY: the program's variable.
    let before = unsafe { *(count as *const u64) };
    let result = entry.call(&c.a);
    // SAFETY: as above.
    if unsafe { *(count as *const u64) } != before {
        touch::read(key, size as usize, pc);
        touch::write(base + before * size, size as usize, pc);
        touch::variable(count, 8, W, pc);
    }
    Then::Return(result)
}

// ABI: stdlib.h, search.h
pass! {
    qsort => |c, _| sort(c, 0);
    qsort_r => |c, _| sort(c, c.a[4]);
    lfind => |c, e| search(c, e);
    lsearch => |c, e| search(c, e);
}
