//! What a call touches: one point before it, then its ranges.

use super::buffers;
use super::exceptions::told_at;
use crate::abi::access::{self, is_private};
use crate::interpose::find;
use crate::record;
use crate::sched;
use crate::state::{WATCHING, g};
use crate::trust;
use crate::waiting;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use gabion_trace::{AccessKind, Address, OpKind, Point, Space};

pub const R: AccessKind = AccessKind::READ;
pub const W: AccessKind = AccessKind::WRITE;

/// Somebody wants to know.
#[inline(always)]
pub fn watching() -> bool {
    // SAFETY: one kernel thread while anybody watches.
    unsafe { WATCHING != 0 }
}

/// The point before a call, at the first address that is contended; how far the call will go is not known yet,
/// because others may change what it reads until the point is passed. True: there was such an address.
pub fn point(places: &[(u64, AccessKind)], pc: u64) -> bool {
    if !watching() {
        return false;
    }
    let mut others = places.iter().filter(|(at, _)| *at != 0 && !is_private(*at)).peekable();
    let first = others.peek().map(|(at, _)| *at);
    match others.find(|(at, _)| access::counts(*at, pc)) {
        Some((at, kind)) => {
            access::point(*at, *kind, pc);
            true
        }
        None => {
            first.inspect(|at| access::leave_out(*at));
            false
        }
    }
}

/// The point before a call that touches state which the library protects ([`protected`]): no race will ask for one, so it is a point as
/// atomic operations are. True: threads meet at one of the places.
pub fn protected_point(places: &[(u64, AccessKind)], pc: u64) -> bool {
    if !watching() || trust::trusts(pc) {
        return false;
    }
    let Some((at, kind)) = places.iter().copied().find(|(at, _)| *at != 0 && access::counts(*at, pc)) else {
        return false;
    };
    let op = if kind.writes() { OpKind::AtomicUpdate } else { OpKind::AtomicLoad };
    sched::reach(op, Address::memory(at), pc);
    access::leave_out(0); // what follows is part of that
    true
}

/// The point before a call whose ranges are known, and the ranges.
pub fn all(ranges: &[(u64, u64, AccessKind)], pc: u64) {
    if !watching() {
        return;
    }
    let shared = ranges.iter().position(|(at, length, _)| *length > 0 && !is_private(*at));
    if let Some(i) = shared {
        access::range(ranges[i].0, ranges[i].1, ranges[i].2, pc);
    }
    for (i, (at, length, kind)) in ranges.iter().enumerate() {
        if shared != Some(i) {
            access::joined_range(*at, *length, *kind, pc);
        }
    }
}

/// A range of a call that has passed its point, read bit by bit.
#[inline(always)]
pub fn read(at: u64, length: usize, pc: u64) {
    access::joined_range(at, length as u64, R.with(AccessKind::PARTS), pc);
}

/// A range of a call that has passed its point, written bit by bit.
#[inline(always)]
pub fn write(at: u64, length: usize, pc: u64) {
    access::joined_range(at, length as u64, W.with(AccessKind::PARTS), pc);
}

/// A variable that a call reads, writes or both after its point.
#[inline(always)]
pub fn variable(at: u64, size: usize, kind: AccessKind, pc: u64) {
    access::joined_range(at, size as u64, kind, pc);
}

/// A zero-terminated string that a call reads after its point.
pub fn string(at: u64, pc: u64) {
    if at != 0 && watching() {
        read(at, super::plain::length(at as *const u8) + 1, pc);
    }
}

/// The point before a call on a hidden object that also reads or writes at `places`.
pub fn hidden_point(object: Address, places: &[(u64, AccessKind)], pc: u64) {
    let pc = told_at(pc);
    // With points before whatever is visible the object speaks for the call; else its accesses may have one.
    if watching() && !trust::trusts(pc) && (g().points.has(Point::Visible) || !point(places, pc)) {
        sched::reach(OpKind::Hidden, object, pc);
        access::leave_out(0);
    }
}

/// The locale of the process, for what is announced of it: `setlocale` writes it, and whatever depends on it reads it. The library
/// keeps its own elsewhere, out of sight.
#[unsafe(no_mangle)]
pub static __gabion_locale: AtomicU64 = AtomicU64::new(0);

/// The multiplier and addend of `drand48` and its like, which `srand48`, `seed48` and `lcong48` write.
#[unsafe(no_mangle)]
static __gabion_drand48: AtomicU64 = AtomicU64::new(0);

/// The handler for `std::terminate`.
#[unsafe(no_mangle)]
static __gabion_terminate: AtomicU64 = AtomicU64::new(0);

/// Where those are.
pub fn multiplier() -> u64 {
    &raw const __gabion_drand48 as u64
}
pub fn terminate_handler() -> u64 {
    &raw const __gabion_terminate as u64
}

/// May the program change the locale while threads run?
pub static LOCALE_MAY_CHANGE: AtomicBool = AtomicBool::new(true);

/// Where the locale is.
pub fn locale() -> u64 {
    &raw const __gabion_locale as u64
}

/// A call that has passed its point, at [`locale`] among others, depends on the locale.
pub fn reads_locale(pc: u64) {
    goes_on();
    variable(locale(), 8, R, pc);
}

/// A call of nothing but that.
pub fn of_locale(pc: u64) {
    goes_on();
    access::range(locale(), 8, R, pc);
}

/// Whoever looks at the locale again is not waiting for another one: what a library does between two looks is not announced.
fn goes_on() {
    if watching() && LOCALE_MAY_CHANGE.load(Ordering::Relaxed) {
        waiting::effect();
    }
}

/// State that the library's functions protect from each other by a lock of theirs, but not from the program's own accesses.
pub fn protected(at: u64, length: u64, kind: AccessKind, pc: u64) {
    access::joined_range(at, length, kind.with(AccessKind::ATOMIC), pc);
}

/// The point, and the operation on the object.
pub fn hidden(object: Address, places: &[(u64, AccessKind)], pc: u64) {
    hidden_point(object, places, pc);
    also(object, pc);
}

/// The operation of a call that has passed its point on a hidden object.
pub fn also(object: Address, pc: u64) {
    let pc = told_at(pc);
    if watching() && !trust::trusts(pc) {
        record::op(OpKind::Hidden, object, 0, pc);
        if object.space() == Some(Space::Object) {
            buffers::touch(object.offset(), pc);
        }
    }
}

/// Is this an instruction of the C library? What it does there (frees a buffer of its own, for one) must not be a
/// point: it may hold one of its locks.
pub fn from_libc(pc: u64) -> bool {
    static mut RANGE: (u64, u64) = (0, 0);
    // SAFETY: one kernel thread.
    let (from, to) = unsafe { RANGE };
    if to != 0 {
        return (from..to).contains(&pc);
    }
    // Not by a name: the loader's `dlsym` frees the message of the last look-up that failed, and asks this by that.
    let mut range = (0, 0);
    crate::objects::each(|object| {
        if object.name() == b"libc.so.6" {
            range = (object.code().start, object.code().end);
        }
    });
    // SAFETY: as above.
    unsafe { RANGE = range };
    (range.0..range.1).contains(&pc)
}

/// Where the module is that defines a function; `name` ends in a zero byte. Nowhere: an empty range.
pub fn module(name: &str) -> (u64, u64) {
    // ABI: dlfcn.h, struct dl_find_object: flags, start, end, map, frame data, reserved.
    type Find = unsafe extern "C" fn(u64, *mut [u64; 12]) -> i32;
    let mut found = [0u64; 12];
    let (function, inside) = (find("_dl_find_object\0"), find(name) as u64);
    // SAFETY: the function has this type; the result has room to spare.
    if function == 0 || unsafe { core::mem::transmute::<usize, Find>(function)(inside, &mut found) } != 0 {
        return (0, 0);
    }
    (found[1], found[2])
}
