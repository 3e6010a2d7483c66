//! Call stacks of allocations and frees, each kept once.
//!
//! Kept only where somebody will read them: before the program is concurrent, which happens once, and in runs that record
//! stacks. So a search pays nothing, and a finding, which is repeated with stacks, has them all. What does not fit is
//! left out.

use crate::places::DEPOT;
use crate::state::{self, g};
use crate::{aside, sys};
use gabion_trace::shared::record;

/// A stack in the depot.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Stack(u32);

impl Stack {
    /// Not known.
    pub const NONE: Stack = Stack(0);
}

/// Frames of a stack that are kept: the innermost.
const DEPTH: u64 = 64;
/// Places of the table, a power of two.
const TABLE: usize = 1 << 18;
const TABLE_BYTES: u64 = (TABLE * size_of::<u32>()) as u64;
/// Words that all stacks may take.
const WORDS: u32 = 1 << 25;

struct Depot {
    mapped: bool,
    stacks: usize,
    /// First word not used; the one at 0 is nobody's.
    used: u32,
}

static mut DEPOT_STATE: Depot = Depot { mapped: false, stacks: 0, used: 1 };

fn depot() -> &'static mut Depot {
    // SAFETY: one kernel thread.
    unsafe { &mut DEPOT_STATE }
}

fn word(index: u32) -> *mut u64 {
    (DEPOT + TABLE_BYTES + u64::from(index) * 8) as *mut u64
}

/// The call sites of a thread as it stands, outermost first.
pub fn of(thread: usize) -> &'static [u64] {
    let g = g();
    let top = if thread == g.current { state::shadow_top() } else { g.fibers[thread].shadow };
    let depth = (top.saturating_sub(aside::shadow_base(thread)) / 8).min(DEPTH);
    if depth == 0 {
        return &[];
    }
    // SAFETY: the top of the thread's shadow call stack.
    unsafe { core::slice::from_raw_parts((top - depth * 8) as *const u64, depth as usize) }
}

/// Keeps the running thread's call stack, if anybody will want to see it.
pub fn keep() -> Stack {
    let g = g();
    if g.active && g.plan.record < record::STACKS {
        return Stack::NONE;
    }
    let frames = of(g.current);
    if frames.is_empty() {
        return Stack::NONE;
    }
    let d = depot();
    if !d.mapped {
        sys::map(DEPOT, TABLE_BYTES + u64::from(WORDS) * 8, 3, sys::RESERVED, -1);
        d.mapped = true;
    }
    let mut hash = frames.len() as u64;
    for frame in frames {
        hash = (hash ^ frame).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
    let mut i = hash as usize % TABLE;
    loop {
        // SAFETY: inside the table.
        let place = unsafe { &mut *(DEPOT as *mut u32).add(i) };
        match *place {
            0 => break add(place, frames),
            index if each(Stack(index)) == frames => break Stack(index),
            _ => i = (i + 1) % TABLE,
        }
    }
}

fn add(place: &mut u32, frames: &[u64]) -> Stack {
    let d = depot();
    let length = frames.len() as u32;
    if d.stacks >= TABLE / 2 || d.used + length + 1 > WORDS {
        return Stack::NONE;
    }
    let index = d.used;
    // SAFETY: there is room for the length and the frames.
    unsafe {
        *word(index) = u64::from(length);
        core::ptr::copy_nonoverlapping(frames.as_ptr(), word(index + 1), frames.len());
    }
    d.used += length + 1;
    d.stacks += 1;
    *place = index;
    Stack(index)
}

/// The call sites of a stack, outermost first.
pub fn each(stack: Stack) -> &'static [u64] {
    if stack.0 == 0 || stack.0 >= depot().used {
        return &[];
    }
    // SAFETY: below what is used; a number that the program made up finds some length, which is limited.
    unsafe {
        let length = (*word(stack.0)).min(DEPTH).min(u64::from(depot().used - stack.0 - 1));
        core::slice::from_raw_parts(word(stack.0 + 1), length as usize)
    }
}
