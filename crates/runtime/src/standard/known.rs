//! Whose instructions are, as far as somebody has asked: a word each, so that hooks can ask in a few instructions.

use super::whose::Whose;
use gabion_trace::standard::Site;

/// Words, one for each value of an instruction's lowest bits.
pub const WORDS: usize = 4096;
/// Bits of a word below the instruction's own.
pub const BITS: u32 = 16;
/// Below this: trusted whoever called it, so that an access there is nobody's business.
pub const TRUSTED: u64 = 0x200;
const INSIDE: u64 = 0x100;
const OTHER: u64 = 0x200;

/// The instruction last asked about, and whose it is in such a plan.
pub static mut KNOWN: [u64; WORDS] = [0; WORDS];

#[inline(always)]
fn place(pc: u64) -> &'static mut u64 {
    // SAFETY: one kernel thread; the index is below the length.
    unsafe { &mut KNOWN[pc as usize % WORDS] }
}

/// Whose the instruction is, if that is known.
#[inline(always)]
pub(super) fn get(pc: u64) -> Option<Whose> {
    let word = *place(pc) ^ pc << BITS;
    (word >> BITS == 0)
        .then(|| Whose { site: Site::from_number(word as u8).unwrap_or(Site::Own), inside: word & INSIDE != 0 })
}

pub(super) fn put(pc: u64, whose: Whose) {
    let trusted = whose.site == Site::Trusted || whose.site == Site::Library && whose.inside;
    let inside = if whose.inside { INSIDE } else { 0 };
    *place(pc) = pc << BITS | whose.site as u64 | inside | if trusted { 0 } else { OTHER };
}

/// The plan is another kind of plan.
pub(super) fn forget() {
    // SAFETY: one kernel thread.
    unsafe { KNOWN = [0; WORDS] };
}
