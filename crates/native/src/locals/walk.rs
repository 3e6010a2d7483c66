//! From frame to frame of a stack, by what compilers wrote for exceptions.

use addr2line::gimli::{
    BaseAddresses, CfaRule, EhFrame, LittleEndian, Register, RegisterRule, UnwindContext, UnwindSection, X86_64,
};
use gabion_trace::Standing;

/// Frames that are gone through, at most.
const DEEPEST: usize = 256;

/// How to get to the caller from one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The frame ends at a distance from a register.
    base: Register,
    size: i64,
    /// Where the caller's frame pointer is, from there.
    saved: Saved,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Saved {
    /// It has not been changed.
    No,
    At(i64),
    /// Nobody says where.
    Unknown,
}

impl Step {
    /// For an instruction. `address` is where `data`, which tells of it, is to be.
    pub(super) fn at(address: u64, data: &[u8], pc: u64) -> Option<Step> {
        let frames = EhFrame::new(data, LittleEndian);
        let bases = BaseAddresses::default().set_eh_frame(address);
        let mut context = UnwindContext::new();
        let row = frames.unwind_info_for_address(&bases, &mut context, pc, EhFrame::cie_from_offset).ok()?;
        let CfaRule::RegisterAndOffset { register, offset } = *row.cfa() else { return None };
        let saved = match row.register(X86_64::RBP) {
            RegisterRule::Undefined | RegisterRule::SameValue => Saved::No,
            RegisterRule::Offset(offset) => Saved::At(offset),
            _ => Saved::Unknown,
        };
        let returns = row.register(X86_64::RA) == RegisterRule::Offset(-8);
        returns.then_some(Step { base: register, size: offset, saved })
    }
}

/// A frame of a stack, of a function that is at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Activation {
    /// Within the call.
    pub(super) pc: u64,
    /// The stack pointer.
    pub(super) stack: u64,
    /// The frame pointer, if it is known.
    pub(super) frame: Option<u64>,
    /// Where the frame ends: the canonical frame address.
    pub(super) end: u64,
}

impl Activation {
    /// The frame that holds an address. `step` says how to go on from an instruction.
    pub(super) fn holding(
        standing: &Standing,
        address: u64,
        mut step: impl FnMut(u64) -> Option<Step>,
    ) -> Option<Activation> {
        let mut pc = standing.word(standing.stack)?.checked_sub(1)?;
        let mut stack = standing.stack.checked_add(8)?;
        let mut frame = Some(standing.frame);
        for _ in 0..DEEPEST {
            let now = step(pc)?;
            let from = match now.base {
                X86_64::RSP => stack,
                X86_64::RBP => frame?,
                _ => return None,
            };
            let end = from.checked_add_signed(now.size).filter(|end| *end > stack)?;
            if address < end {
                return (address >= stack).then_some(Activation { pc, stack, frame, end });
            }
            frame = match now.saved {
                Saved::No => frame,
                Saved::At(offset) => standing.word(end.checked_add_signed(offset)?),
                Saved::Unknown => None,
            };
            pc = standing.word(end - 8)?.checked_sub(1)?;
            stack = end;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::ThreadId;

    /// A function at 0x100 that has a frame pointer, called by one at 0x200 without one, called by one at 0x300 that has.
    fn step(pc: u64) -> Option<Step> {
        let by_stack = Step { base: X86_64::RSP, size: 32, saved: Saved::At(-16) };
        let by_frame = Step { base: X86_64::RBP, size: 16, saved: Saved::At(-16) };
        match pc {
            0xff | 0x2ff => Some(by_frame),
            0x1ff => Some(by_stack),
            _ => None,
        }
    }

    fn standing(words: &[(u64, u64)]) -> Standing {
        Standing { thread: ThreadId(0), stack: 0x1000, frame: 0x1020, words: words.to_vec() }
    }

    const WORDS: [(u64, u64); 5] =
        [(0x1000, 0x100), (0x1020, 0x77), (0x1028, 0x200), (0x1040, 0x1080), (0x1048, 0x300)];

    #[test]
    fn the_frame_that_holds_an_address() {
        let check = |address: u64, expected: Option<(u64, u64, Option<u64>, u64)>| {
            let found = Activation::holding(&standing(&WORDS), address, step);
            assert_eq!(found.map(|found| (found.pc, found.stack, found.frame, found.end)), expected, "{address:#x}");
        };
        check(0x1008, Some((0xff, 0x1008, Some(0x1020), 0x1030)));
        check(0x102f, Some((0xff, 0x1008, Some(0x1020), 0x1030)));
        check(0x1030, Some((0x1ff, 0x1030, Some(0x77), 0x1050)));
        check(0x1050, Some((0x2ff, 0x1050, Some(0x1080), 0x1090)));
        // Below the frames, and beyond what was told.
        check(0x1000, None);
        check(0x1090, None);
    }

    #[test]
    fn without_a_word_nobody_goes_on() {
        let without = |at: u64| -> Vec<(u64, u64)> { WORDS.into_iter().filter(|(word, _)| *word != at).collect() };
        let check = |at: u64, address: u64, found: bool| {
            let frame = Activation::holding(&standing(&without(at)), address, step);
            assert_eq!(frame.is_some(), found, "{at:#x} {address:#x}");
        };
        check(0x1000, 0x1008, false);
        check(0x1028, 0x1008, true);
        check(0x1028, 0x1030, false);
        // A frame pointer that is not known is missed only where it is needed.
        check(0x1020, 0x1030, true);
        check(0x1040, 0x1030, true);
        check(0x1040, 0x1050, false);
    }
}
