//! Memory of the runtime that no reset touches: copies, the shadow call stacks, and the stacks of `apart`.

use crate::apart;
use crate::places::{APART, PAGE, PRIVATE, PRIVATE_SPAN};
use crate::state::{SHADOW_DEPTH, set_shadow_top};
use crate::sys;
use gabion_trace::shared::MAX_THREADS;

struct Aside {
    used: u64,
    mapped: u64,
}

static mut ASIDE: Aside = Aside { used: PRIVATE, mapped: PRIVATE };

fn state() -> &'static mut Aside {
    // SAFETY: one kernel thread.
    unsafe { &mut ASIDE }
}

/// Memory that no reset touches.
pub fn take(length: u64) -> u64 {
    let s = state();
    let at = (s.used + 63) & !63;
    s.used = at + length;
    if s.used > s.mapped {
        let more = (s.used - s.mapped + (1 << 20)) & !(PAGE - 1);
        sys::map(s.mapped, more, 3, 0x10_4022, -1);
        s.mapped += more;
        assert!(s.mapped < PRIVATE + PRIVATE_SPAN, "internal error: no room for copies");
    }
    at
}

/// Lends memory that no reset touches for the length of a call.
pub fn with_scratch(length: u64, f: impl FnOnce(u64)) {
    let at = take(length);
    f(at);
    state().used = at;
}

/// A copy that no reset touches.
pub fn copy(from: u64, length: u64) -> u64 {
    let to = take(length);
    // SAFETY: `from` is the caller's to read; `to` is new.
    unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length as usize) };
    to
}

/// Reserves the shadow call stacks and the stacks of hooks. The main thread's is in use from here on: what the program's
/// constructors allocate, before its `main`, is told by who called them too.
pub fn begin() {
    sys::map(SHADOWS, SHADOW_SPAN * MAX_THREADS as u64, 0, sys::RESERVED, -1);
    if open_shadow(0) {
        set_shadow_top(shadow_base(0));
    }
}

/// Makes those of a thread usable.
pub fn open_shadow(thread: usize) -> bool {
    // SAFETY: inside what `begin` reserved.
    unsafe { sys::call(sys::MPROTECT, shadow_base(thread), SHADOW_SPAN, 3) == 0 }
}

const SHADOWS: u64 = PRIVATE + PRIVATE_SPAN;
const SHADOW_SPAN: u64 = (SHADOW_DEPTH * 8) as u64 + apart::ROOM + APART;

/// Bottom of a thread's shadow call stack.
pub fn shadow_base(thread: usize) -> u64 {
    SHADOWS + thread as u64 * SHADOW_SPAN
}

/// End of the stack that a thread's hooks run on, above its shadow call stack.
#[inline(always)]
pub fn apart_end(thread: usize) -> u64 {
    shadow_base(thread) + SHADOW_SPAN
}
