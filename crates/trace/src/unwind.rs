//! How to find the caller of a function without instrumentation: a rule for each stretch of its code.
//!
//! Compilers describe it for exceptions (DWARF 5, section 6.4, as System V has it in `.eh_frame`). Of that, what code for x86-64
//! is really made of: a frame ends at a distance from the stack or frame pointer, right below lies the return address, and the
//! frame pointer is where it was or somewhere in the frame. What is described otherwise has no rule, and nobody goes on there.

/// Words of a rule in a table: where its code begins, and its number. It ends where the next begins.
pub const RULE: usize = 2;

/// The pointer from which a frame's end is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// `rsp`.
    Stack,
    /// `rbp`.
    Frame,
}

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    base: Base,
    /// Words from there to the frame's end.
    size: u16,
    /// Words from the frame's end down to where the caller's frame pointer is; 0: it was not changed.
    saved: u16,
}

/// What of a thread's registers is needed to go on to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// `rsp`.
    pub stack: u64,
    /// `rbp`.
    pub frame: u64,
}

impl Rule {
    /// The largest number of words that fits.
    const MOST: u16 = 0x7fff;

    /// Distances are in bytes. None: out of what is described here.
    pub fn new(base: Base, size: i64, saved: Option<i64>) -> Option<Rule> {
        let words = |bytes: i64| {
            let words = u16::try_from(bytes / 8).ok().filter(|_| bytes % 8 == 0)?;
            (1..=Self::MOST).contains(&words).then_some(words)
        };
        let saved = match saved {
            Some(bytes) => words(bytes)?,
            None => 0,
        };
        Some(Rule { base, size: words(size)?, saved })
    }

    /// Stands for code of a library that has no rule. 0 is for code of the program.
    pub const NONE: u32 = 1;

    /// As a number, neither of these.
    pub const fn number(self) -> u32 {
        (self.size as u32) << 16 | (self.saved as u32) << 1 | matches!(self.base, Base::Frame) as u32
    }

    /// From its number.
    pub const fn from_number(number: u32) -> Option<Rule> {
        let (size, saved) = ((number >> 16) as u16, (number as u16) >> 1);
        let base = if number & 1 == 0 { Base::Stack } else { Base::Frame };
        if size == 0 || size > Self::MOST { None } else { Some(Rule { base, size, saved }) }
    }

    /// The return address, and the caller's registers after the call. `word` reads the stack where it is the thread's own.
    pub fn caller(self, now: Registers, word: impl Fn(u64) -> Option<u64>) -> Option<(u64, Registers)> {
        let from = match self.base {
            Base::Stack => now.stack,
            Base::Frame => now.frame,
        };
        let end = from.checked_add(u64::from(self.size) * 8).filter(|end| *end > now.stack)?;
        let frame = match self.saved {
            0 => now.frame,
            words => word(end.checked_sub(u64::from(words) * 8)?)?,
        };
        Some((word(end - 8)?, Registers { stack: end, frame }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        for base in [Base::Stack, Base::Frame] {
            for (size, saved) in [(8, None), (16, Some(16)), (0x7fff * 8, Some(0x7fff * 8)), (24, Some(8))] {
                let rule = Rule::new(base, size, saved).expect("a rule");
                assert!(rule.number() > Rule::NONE);
                assert_eq!(Rule::from_number(rule.number()), Some(rule));
            }
        }
        assert_eq!([0, Rule::NONE].map(Rule::from_number), [None; 2]);
    }

    #[test]
    fn what_has_no_rule() {
        let check = |size, saved| assert_eq!(Rule::new(Base::Stack, size, saved), None);
        check(12, None);
        check(0, None);
        check(-8, None);
        check(16, Some(-8));
        check(16, Some(4));
        check(0x8000 * 8, None);
    }

    #[test]
    fn callers_are_found() {
        // The word at an address is the address and one more.
        let word = |at: u64| (0x1000..0x2000).contains(&at).then_some(at + 1);
        let now = Registers { stack: 0x1010, frame: 0x1100 };
        let check = |base, size, saved, expected: Option<(u64, u64, u64)>| {
            let found = Rule::new(base, size, saved).expect("a rule").caller(now, word);
            assert_eq!(found.map(|(pc, to)| (pc, to.stack, to.frame)), expected);
        };
        check(Base::Stack, 0x20, None, Some((0x1029, 0x1030, 0x1100)));
        check(Base::Stack, 0x20, Some(16), Some((0x1029, 0x1030, 0x1021)));
        check(Base::Frame, 16, Some(16), Some((0x1109, 0x1110, 0x1101)));
        // Beyond the stack, and below where it is now.
        check(Base::Stack, 0x1000, None, None);
        let low = Registers { stack: 0x1010, frame: 0x1000 };
        assert_eq!(Rule::new(Base::Frame, 16, None).expect("a rule").caller(low, word), None);
    }
}
