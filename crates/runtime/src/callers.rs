//! Where the program called a library that announces nothing.
//!
//! Rust's standard library comes prebuilt: what called it is on no shadow call stack. It is found from the registers at the
//! library's call of ours, by the rules that the library's compiler wrote (`trace/unwind.rs`; the program's linker has put
//! them into the executable), up to the first function that has none: code of the program. Where anything does not fit nobody
//! is told. Done only where stacks are recorded.

use crate::interpose::ENTRY;
use crate::state::g;
use crate::{depot, dispatch, standard};
use gabion_trace::unwind::{Registers, Rule};

/// Functions of a library that call each other, at most.
const DEEPEST: usize = 64;

/// The registers at the last call of ours.
pub fn last() -> Registers {
    // SAFETY: one kernel thread.
    let [stack, _, frame, ..] = unsafe { ENTRY };
    Registers { stack, frame }
}

/// The running thread may not be the next to call: keeps what is needed of its registers.
pub fn keep() {
    crate::state::me().entry = last();
}

/// The return address of the program's call of a library, in which a thread has called the runtime from `pc`. None: `pc` is not in
/// such a library, or it was not called by the program's own code, or that is not certain. 0: in its call that was kept last; a
/// run begins within one.
pub fn of(thread: usize, pc: u64) -> Option<u64> {
    let kept = g().fibers[thread].entry;
    let pc = if pc == 0 { word(thread, kept.stack)?.wrapping_sub(1) } else { pc };
    // Who is in no function of the program was not called by it: before `main`, and after.
    if standard::rule(pc) == 0 || depot::of(thread).is_empty() {
        return None;
    }
    let made_from = |entry: &Registers| word(thread, entry.stack) == Some(pc.wrapping_add(1));
    let entry = [last(), kept].into_iter().find(made_from)?;
    let mut now = Registers { stack: entry.stack + 8, ..entry };
    let mut at = pc.wrapping_add(1);
    for _ in 0..DEEPEST {
        match standard::rule(at.wrapping_sub(1)) {
            0 => return dispatch::is_program(at).then_some(at),
            number => (at, now) = Rule::from_number(number)?.caller(now, |at| word(thread, at))?,
        }
    }
    None
}

/// A word of a thread's stack.
pub fn word(thread: usize, at: u64) -> Option<u64> {
    let f = &g().fibers[thread];
    let inside = at.is_multiple_of(8) && at >= f.stack_low && at < f.base;
    // SAFETY: on the thread's stack.
    inside.then(|| unsafe { *(at as *const u64) })
}
