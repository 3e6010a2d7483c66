//! Atomic accesses of 8 to 128 bits, and fences.
//!
//! Controlled, one kernel thread runs everything and a plain operation would do; passive, the program's own threads run
//! in parallel, so the operations are really atomic. All are executed as sequentially consistent; a weaker order is
//! noted for the verdict.

mod generic;

use crate::abi::access::is_private;
use crate::api::standard as models;
use crate::control::controlled;
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::standard;
use crate::standard::known::{self, KNOWN};
use crate::state::g;
use crate::trust;
use crate::valid;
use crate::waiting;
use core::sync::atomic::Ordering::SeqCst;
use gabion_trace::standard::Site;
use gabion_trace::{Access, AccessKind, Address, Coverage, OpKind};

// ABI: memory orders.
const CONSUME: i32 = 1;
const ACQUIRE: i32 = 2;
const RELEASE: i32 = 3;
const ACQ_REL: i32 = 4;
const SEQ_CST: i32 = 5;
/// Bits of an order. Above them gcc passes on that a lock may be elided.
const ORDER: i32 = 0xffff;

/// An atomic access that is being made.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pc: u64,
    pub(super) op: OpKind,
    /// Whose it is.
    site: Site,
}

/// The point before an atomic access.
#[inline(always)]
fn before(op: OpKind, at: u64, size: u64, order: i32) -> Made {
    let pc = caller();
    let site = if controlled() { standard::site(pc) } else { Site::Own };
    before_of(site, op, at, size, order, pc)
}

/// As [`before`], for an exchange or an addition: those that give locks back.
#[inline(always)]
fn before_update(at: u64, size: u64, order: i32) -> Made {
    let pc = caller();
    let mut site = if controlled() { standard::site(pc) } else { Site::Own };
    if size == 4 && controlled() && standard::present() {
        site = models::locks::of_update(site, at);
    }
    before_of(site, OpKind::AtomicUpdate, at, size, order, pc)
}

#[inline(always)]
fn before_of(site: Site, op: OpKind, at: u64, size: u64, order: i32, pc: u64) -> Made {
    let mut made = Made { pc, op, site };
    if !controlled() {
        return made;
    }
    if made.site != Site::Own {
        if models::before(made.site, op, at, size, pc) {
            return made;
        }
        made.site = Site::Own;
        if models::is_part(site, size) {
            if g().active {
                crate::abi::access::learn_shared(at);
                sched::pass(op, Address::memory(at), pc);
                valid::check(at, size, op.mode().with(AccessKind::ATOMIC), pc);
                waiting::put_back::will_change(op, at, size, pc);
            }
            return made;
        }
    }
    if g().active {
        if order != SEQ_CST {
            record::cover(Coverage::WEAK_ATOMIC);
        }
        let kind = op.mode().with(AccessKind::ATOMIC);
        crate::abi::access::learn_shared(at);
        sched::reach(op, Address::memory(at), pc);
        valid::check(at, size, kind, pc);
        if kind.writes() {
            waiting::put_back::will_change(op, at, size, pc);
        }
    }
    made
}

/// What a memory order of the language's means to the race analysis.
const fn ordered(order: i32) -> AccessKind {
    let order = order & ORDER;
    let acquires = matches!(order, CONSUME | ACQUIRE | ACQ_REL | SEQ_CST);
    let releases = matches!(order, RELEASE | ACQ_REL | SEQ_CST);
    let kind = if acquires { AccessKind::ATOMIC.with(AccessKind::ACQUIRE) } else { AccessKind::ATOMIC };
    if releases { kind.with(AccessKind::RELEASE) } else { kind }
}

/// The record of it, once it is known what it did: what it met, and whether memory is another now.
#[inline(always)]
fn after(kind: AccessKind, at: u64, size: u32, made: Made, (met, changed): (Option<u64>, bool), order: i32) {
    let pc = made.pc;
    if made.site != Site::Own {
        return models::after(made.site, made.op, at, kind.writes(), changed, pc);
    }
    if controlled() && g().active {
        if changed {
            waiting::changed(at, size.into());
        } else if kind == AccessKind::READ {
            waiting::loaded(at, size.into(), pc);
        } else {
            waiting::saw(at, size.into(), pc);
        }
        if trust::ignores(Address::memory(at)) {
            return;
        }
        crate::abi::access::new_segment();
        crate::quiet::loud(at, u64::from(size), kind);
        let access = Access { address: Address::memory(at), size, kind: kind.with(ordered(order)), pc };
        super::wide::check_whole(&access);
        record::atomic(&access, met);
    }
}

/// The point before an access of inline assembly. A load acquires, a store releases, an update does both.
pub(super) fn reach(op: OpKind, at: u64, size: u64, pc: u64) -> Made {
    before_of(Site::Own, op, at, size, of_assembly(op), pc)
}

/// It was made.
pub(super) fn made(kind: AccessKind, at: u64, size: u32, made: Made, came: (Option<u64>, bool)) {
    after(kind, at, size, made, came, of_assembly(made.op));
}

const fn of_assembly(op: OpKind) -> i32 {
    match op {
        OpKind::AtomicLoad => ACQUIRE,
        OpKind::AtomicStore => RELEASE,
        _ => SEQ_CST,
    }
}

/// Code that stands in for a library's makes an update of four bytes, which acquires and releases; gives the old value.
pub fn update(at: u64, pc: u64, f: impl Fn(u32) -> u32) -> u32 {
    let made = before_of(Site::Own, OpKind::AtomicUpdate, at, 4, ACQ_REL, pc);
    // SAFETY: the library's own access.
    let old = unsafe { c32::update(at as *mut u32, &f) };
    after(AccessKind::UPDATE, at, 4, made, (Some(old.into()), f(old) != old), ACQ_REL);
    old
}

/// A byte was written within an operation of ours, and compiled code reads it with acquire.
pub fn published(at: u64, pc: u64) {
    if controlled() && g().active {
        crate::abi::access::learn_shared(at);
    }
    let made = Made { pc, op: OpKind::AtomicStore, site: Site::Own };
    waiting::effect();
    after(AccessKind::WRITE, at, 1, made, (None, true), RELEASE);
}

/// Exports an atomic access: `$raw`, the program's own access and nothing else, where whoever makes it is surely trusted, and otherwise
/// `$body`.
macro_rules! atomic {
    ($name:expr, fn($($a:ident : $t:ty),*) -> $r:ty, $raw:expr, $body:block) => {
        const _: () = {
            #[allow(unused_variables)] // memory orders
            unsafe extern "C" fn raw($($a: $t),*) -> $r { $raw }
            unsafe extern "C" fn body($($a: $t),*) -> $r $body
            // ABI: sanitizer/tsan_interface_atomic.h
            #[unsafe(export_name = $name)]
            #[unsafe(naked)]
            unsafe extern "C" fn entry($(_: $t),*) -> $r {
                core::arch::naked_asm!(
                    "mov rax, [rsp]", "dec rax", "mov r11d, eax", "and r11d, {last}",
                    "lea r10, [rip + {known}]", "mov r10, [r10 + r11 * 8]",
                    "shl rax, {bits}", "xor r10, rax", "cmp r10, {trusted}", "jae 3f", "jmp {raw}", "3: jmp {other}",
                    known = sym KNOWN, last = const known::WORDS - 1, bits = const known::BITS,
                    trusted = const known::TRUSTED, raw = sym raw, other = sym other,
                )
            }
            #[unsafe(naked)]
            unsafe extern "C" fn other($(_: $t),*) -> $r {
                enter_apart!(body)
            }
        };
    };
}

/// One width. `$load`, `$update` and `$exchange` do the operations; `update(at, f)` replaces the value by f(value) and gives the old one.
macro_rules! width {
    ($bits:literal, $t:ty, $load:path, $update:path, $exchange:path) => {
        // SAFETY (all): the program's own accesses.
        atomic!(concat!("__tsan_atomic", $bits, "_load"), fn(at: *const $t, order: i32) -> $t, unsafe { $load(at) }, {
            let made = before(OpKind::AtomicLoad, at as u64, $bits / 8, order);
            let value = unsafe { $load(at) };
            after(AccessKind::READ, at as u64, $bits / 8, made, (Some(value as u64), false), order);
            value
        });
        atomic!(
            concat!("__tsan_atomic", $bits, "_store"),
            fn(at: *mut $t, value: $t, order: i32) -> u64,
            {
                unsafe { $update(at, |_| value) };
                0 // nobody asks for it: see `announced`
            },
            {
                let made = before(OpKind::AtomicStore, at as u64, $bits / 8, order);
                let old = unsafe { $update(at, |_| value) };
                after(AccessKind::WRITE, at as u64, $bits / 8, made, (Some(old as u64), old != value), order);
                0
            }
        );
        width!(@update $bits, $t, $update, "_exchange", |_old, value| value);
        width!(@update $bits, $t, $update, "_fetch_add", |old, value| old.wrapping_add(value));
        width!(@update $bits, $t, $update, "_fetch_sub", |old, value| old.wrapping_sub(value));
        width!(@update $bits, $t, $update, "_fetch_and", |old, value| old & value);
        width!(@update $bits, $t, $update, "_fetch_or", |old, value| old | value);
        width!(@update $bits, $t, $update, "_fetch_xor", |old, value| old ^ value);
        width!(@update $bits, $t, $update, "_fetch_nand", |old, value| !(old & value));
        width!(@exchange $bits, $t, $exchange, "_compare_exchange_strong");
        width!(@exchange $bits, $t, $exchange, "_compare_exchange_weak");
        atomic!(
            concat!("__tsan_atomic", $bits, "_compare_exchange_val"),
            fn(at: *mut $t, expected: $t, value: $t, order: i32, failure: i32) -> $t,
            unsafe { $exchange(at, expected, value) },
            {
                let made = before(OpKind::AtomicUpdate, at as u64, $bits / 8, order);
                let old = unsafe { $exchange(at, expected, value) };
                let (kind, order) =
                    if old == expected { (AccessKind::UPDATE, order) } else { (AccessKind::READ, failure) };
                after(kind, at as u64, $bits / 8, made, (Some(old as u64), old == expected && old != value), order);
                old
            }
        );
    };
    (@update $bits:literal, $t:ty, $update:path, $name:literal, $f:expr) => {
        atomic!(
            concat!("__tsan_atomic", $bits, $name),
            fn(at: *mut $t, value: $t, order: i32) -> $t,
            {
                let f: fn($t, $t) -> $t = $f;
                unsafe { $update(at, |old| f(old, value)) }
            },
            {
                let made = before_update(at as u64, $bits / 8, order);
                let f: fn($t, $t) -> $t = $f;
                let old = unsafe { $update(at, |old| f(old, value)) };
                after(AccessKind::UPDATE, at as u64, $bits / 8, made, (Some(old as u64), f(old, value) != old), order);
                old
            }
        );
    };
    (@exchange $bits:literal, $t:ty, $exchange:path, $name:literal) => {
        export!(
            concat!("__tsan_atomic", $bits, $name),
            fn(at: *mut $t, expected: *mut $t, value: $t, order: i32, failure: i32) -> i32 {
                let made = before(OpKind::AtomicUpdate, at as u64, $bits / 8, order);
                // `expected` is its private copy.
                unsafe {
                    let wanted = *expected;
                    let old = $exchange(at, wanted, value);
                    let (kind, order) =
                        if old == wanted { (AccessKind::UPDATE, order) } else { (AccessKind::READ, failure) };
                    after(kind, at as u64, $bits / 8, made, (Some(old as u64), old == wanted && old != value), order);
                    if old != wanted && !is_private(expected as u64) {
                        waiting::effect();
                    }
                    *expected = old;
                    i32::from(old == wanted)
                }
            }
        );
    };
}

macro_rules! cell {
    ($module:ident, $t:ty, $atomic:ty) => {
        mod $module {
            use super::SeqCst;
            // SAFETY (all): the caller gives an address that the program accesses atomically itself.
            pub unsafe fn load(at: *const $t) -> $t {
                unsafe { (*(at as *const $atomic)).load(SeqCst) }
            }
            pub unsafe fn update(at: *mut $t, f: impl Fn($t) -> $t) -> $t {
                let cell = unsafe { &*(at as *const $atomic) };
                let mut old = cell.load(SeqCst);
                while let Err(now) = cell.compare_exchange(old, f(old), SeqCst, SeqCst) {
                    old = now;
                }
                old
            }
            pub unsafe fn exchange(at: *mut $t, expected: $t, value: $t) -> $t {
                let cell = unsafe { &*(at as *const $atomic) };
                cell.compare_exchange(expected, value, SeqCst, SeqCst).unwrap_or_else(|old| old)
            }
        }
    };
}

cell!(c8, u8, core::sync::atomic::AtomicU8);
cell!(c16, u16, core::sync::atomic::AtomicU16);
cell!(c32, u32, core::sync::atomic::AtomicU32);
cell!(c64, u64, core::sync::atomic::AtomicU64);

mod c128 {
    use super::SeqCst;
    /// SAFETY: `at` is aligned to 16, as the instruction asks and the language promises; every x86-64 processor of the
    /// last fifteen years has it.
    #[target_feature(enable = "cmpxchg16b")]
    unsafe fn instruction(at: *mut u128, expected: u128, value: u128) -> u128 {
        unsafe { core::arch::x86_64::cmpxchg16b(at, expected, value, SeqCst, SeqCst) }
    }
    /// SAFETY: as above.
    pub unsafe fn exchange(at: *mut u128, expected: u128, value: u128) -> u128 {
        unsafe { instruction(at, expected, value) }
    }
    /// SAFETY: as above; a failing exchange of equal values reads without changing anything.
    pub unsafe fn load(at: *const u128) -> u128 {
        unsafe { exchange(at.cast_mut(), 0, 0) }
    }
    /// SAFETY: as above.
    pub unsafe fn update(at: *mut u128, f: impl Fn(u128) -> u128) -> u128 {
        let mut old = unsafe { load(at) };
        loop {
            let now = unsafe { exchange(at, old, f(old)) };
            if now == old {
                return old;
            }
            old = now;
        }
    }
}

width!(8, u8, c8::load, c8::update, c8::exchange);
width!(16, u16, c16::load, c16::update, c16::exchange);
width!(32, u32, c32::load, c32::update, c32::exchange);
width!(64, u64, c64::load, c64::update, c64::exchange);
width!(128, u128, c128::load, c128::update, c128::exchange);

// ABI: fences. Under sequential consistency they order nothing that is not ordered.
export!("__tsan_atomic_thread_fence", fn(order: i32) {
    core::sync::atomic::fence(SeqCst);
    if controlled() && g().active {
        record::op(OpKind::Fence, Address(0), order as u32, caller());
    }
});
export!("__tsan_atomic_signal_fence", fn(_order: i32) {});
