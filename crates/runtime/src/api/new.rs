//! `new` and `delete`: stood in for, and not left to the C++ library's use of `malloc`, so that the program's own line is
//! known, and what a `delete` says of its block: the size and the alignment.
//!
//! A program may have operators of its own. Those it has are called, ours are not; default operators that are defined by
//! calling a replaced one are left to the C++ library, which calls it.

use super::malloc::{give_back, pc};
use crate::block::{self, Giving, Way};
use crate::control::controlled;
use crate::heap;
use crate::interpose::{CALLER, find};
use crate::libc::module;
use core::sync::atomic::{AtomicU32, Ordering};

/// A function that only the runtime has: where it is, is the runtime.
const OURS: &str = "__gabion_joined_read1\0";

/// A block for `new`; if there is none, the C++ runtime says so in its own way.
fn give_new(size: usize, align: Option<u64>, way: Way, otherwise: impl FnOnce() -> u64) -> u64 {
    match heap::allocate(size as u64, align.unwrap_or(0).max(16), pc()) {
        0 => otherwise(),
        at => {
            if let Some(header) = block::at(at) {
                header.allocated.asked(way, align);
            }
            at
        }
    }
}

#[derive(Clone, Copy)]
enum Operator {
    New,
    Delete,
}

/// Has the program an operator of its own that the default one of this kind calls? Those for arrays call those for single
/// objects, those that take a size or `std::nothrow` those that do not: then it is left to them, and to the C++ library.
fn is_replaced(operator: Operator, way: Way, align: Option<u64>) -> bool {
    /// Those that others call, by [`Operator`]; two with an alignment follow two without.
    const SINGLE: [&str; 4] = ["_Znwm\0", "_ZdlPv\0", "_ZnwmSt11align_val_t\0", "_ZdlPvSt11align_val_t\0"];
    const ARRAY: [&str; 4] = ["_Znam\0", "_ZdaPv\0", "_ZnamSt11align_val_t\0", "_ZdaPvSt11align_val_t\0"];
    /// A bit for each of them that is the program's, those for arrays last; and one more: looked up.
    static REPLACED: AtomicU32 = AtomicU32::new(0);
    const KNOWN: u32 = 1 << 31;
    let mut replaced = REPLACED.load(Ordering::Relaxed);
    if replaced == 0 {
        let (from, to) = module(OURS);
        let names = SINGLE.iter().chain(&ARRAY).enumerate();
        let theirs = names.filter(|(_, name)| !(from..to).contains(&(find(name) as u64)));
        replaced = theirs.fold(KNOWN, |bits, (i, _)| bits | 1 << i);
        REPLACED.store(replaced, Ordering::Relaxed);
    }
    let bit = 1u32 << (operator as u32 + if align.is_some() { 2 } else { 0 });
    let bits = if way == Way::NewArray { bit | bit << SINGLE.len() } else { bit };
    replaced & bits != 0
}

/// `new` and its relatives, with what they pass on to.
macro_rules! news {
    ($way:ident: $($name:ident($($a:ident : $t:ty),*) $size:expr, $align:expr;)*) => { news! {@ $($way $name($($a: $t),*) $size, $align;)*} };
    (@ $($way:ident $name:ident($($a:ident : $t:ty),*) $size:expr, $align:expr;)*) => { allocator! {$(
        $name($($a: $t),*) -> u64 {
            passive real!($name: fn($($t),*) -> u64)($($a),*);
            controlled {
                // SAFETY: the caller's arguments, unchanged.
                let otherwise = || unsafe { real!($name: fn($($t),*) -> u64)($($a),*) };
                match is_replaced(Operator::New, Way::$way, $align) {
                    true => otherwise(),
                    false => give_new($size, $align, Way::$way, otherwise),
                }
            }
        }
    )*} };
}

/// `delete` and its relatives, with the size and alignment that they are given.
macro_rules! deletes {
    ($way:ident: $($name:ident($($a:ident),*) $size:expr, $align:expr;)*) => {
        deletes! {@ $($way $name($($a: u64),*) $size, $align;)*}
    };
    (@ $($way:ident $name:ident($block:ident : $first:ty $(, $a:ident : $t:ty)*) $size:expr, $align:expr;)*) => { allocator! {$(
        $name($block: $first $(, $a: $t)*) {
            passive real!($name: fn($first $(, $t)*))($block $(, $a)*);
            controlled {
                if is_replaced(Operator::Delete, Way::$way, $align) {
                    // SAFETY: the caller's arguments, unchanged.
                    unsafe { real!($name: fn($first $(, $t)*))($block $(, $a)*) };
                } else if $block != 0 {
                    give_back($block, &Giving { way: Way::$way, size: $size, align: $align }, pc());
                }
            }
        }
    )*} };
}

// ABI: <new>. The names say: nw new, na new[], dl delete, da delete[]; m a size, Pv a block, then an alignment and
// `std::nothrow`.
news! {
    New:
    _Znwm(size: usize) size, None;
    _ZnwmRKSt9nothrow_t(size: usize, tag: u64) size, None;
    _ZnwmSt11align_val_t(size: usize, align: u64) size, Some(align);
    _ZnwmSt11align_val_tRKSt9nothrow_t(size: usize, align: u64, tag: u64) size, Some(align);
}
news! {
    NewArray:
    _Znam(size: usize) size, None;
    _ZnamRKSt9nothrow_t(size: usize, tag: u64) size, None;
    _ZnamSt11align_val_t(size: usize, align: u64) size, Some(align);
    _ZnamSt11align_val_tRKSt9nothrow_t(size: usize, align: u64, tag: u64) size, Some(align);
}

deletes! {
    New:
    _ZdlPv(block) None, None;
    _ZdlPvm(block, size) Some(size), None;
    _ZdlPvRKSt9nothrow_t(block, _tag) None, None;
    _ZdlPvSt11align_val_t(block, align) None, Some(align);
    _ZdlPvmSt11align_val_t(block, size, align) Some(size), Some(align);
    _ZdlPvSt11align_val_tRKSt9nothrow_t(block, align, _tag) None, Some(align);
}
deletes! {
    NewArray:
    _ZdaPv(block) None, None;
    _ZdaPvm(block, size) Some(size), None;
    _ZdaPvRKSt9nothrow_t(block, _tag) None, None;
    _ZdaPvSt11align_val_t(block, align) None, Some(align);
    _ZdaPvmSt11align_val_t(block, size, align) Some(size), Some(align);
    _ZdaPvSt11align_val_tRKSt9nothrow_t(block, align, _tag) None, Some(align);
}
