//! What the verdict has to name: where a loop was taken to wait.

use crate::aside::shadow_base;
use crate::record;
use crate::state::{g, shadow_top};
use gabion_trace::{Coverage, OpKind, Rec, Tag, ThreadId};

/// Call sites that are told, the innermost ones: the wait itself may lie in a library.
const SITES: u64 = 8;

/// The running thread, before an operation, is taken to wait in a loop, after so many rounds of it (0: not known).
pub fn assume(op: OpKind, pc: u64, rounds: u32) {
    record::cover(Coverage::ASSUMED_WAIT);
    let me = ThreadId(g().current as u16);
    record::keep(Rec::new(Tag::AssumedWait, op as u8, me, 0, u64::from(rounds), pc));
    let (base, top) = (shadow_base(me.index()), shadow_top());
    for i in 1..=(top.saturating_sub(base) / 8).min(SITES) {
        // SAFETY: below the top of the thread's shadow stack.
        let site = unsafe { *((top - i * 8) as *const u64) };
        record::keep(Rec::new(Tag::AssumedWait, op as u8, me, i as u32, 0, site.wrapping_sub(1)));
    }
}
