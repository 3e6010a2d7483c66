//! Value numbers: names for what registers hold, such that equal names mean equal values.
//!
//! Global value numbering in the manner of Alpern, Wegman and Zadeck (POPL 1988), on compiled code. Addresses are sums
//! of a few numbered values with factors, and an offset, so that `lea 8(%rbx,%rax,4), %rdi` and `mov 8(%rbx,%rax,4)`
//! name one place however the registers got their contents. What is not a sum is a value of its own, named by what it
//! was computed from, or by the instruction that made it.

use std::collections::HashMap;

use super::assembly::Register;

/// A numbered value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(u32);

/// Numbered values a sum can have.
const TERMS: usize = 6;

/// Values times factors, plus an offset. Invariant: terms are sorted and without zero factors, then filled up with
/// defaults; [`Sum::plus`] and [`Sum::times`] keep it, so that equal sums compare equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Sum {
    terms: [(Id, i32); TERMS],
    pub(super) offset: i64,
}

impl Sum {
    pub(super) fn number(offset: i64) -> Sum {
        Sum { offset, ..Sum::default() }
    }

    pub(super) fn of(id: Id) -> Sum {
        let mut sum = Sum::default();
        sum.terms[0] = (id, 1);
        sum
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = (Id, i32)> {
        self.terms.into_iter().filter(|(_, factor)| *factor != 0)
    }

    pub(super) fn as_number(&self) -> Option<i64> {
        self.terms().next().is_none().then_some(self.offset)
    }

    /// The only value, if it occurs once.
    pub(super) fn single(&self) -> Option<Id> {
        match self.terms {
            [(id, 1), (_, 0), ..] => Some(id),
            _ => None,
        }
    }

    /// Without its offset.
    pub(super) fn base(mut self) -> Sum {
        self.offset = 0;
        self
    }

    pub(super) fn moved(mut self, by: i64) -> Sum {
        self.offset = self.offset.wrapping_add(by);
        self
    }

    /// `None` if there are too many terms.
    pub(super) fn plus(self, other: Sum) -> Option<Sum> {
        let mut all: Vec<(Id, i32)> = self.terms().collect();
        for (id, factor) in other.terms() {
            match all.iter_mut().find(|(known, _)| *known == id) {
                Some((_, known)) => *known = known.checked_add(factor)?,
                None => all.push((id, factor)),
            }
        }
        all.retain(|(_, factor)| *factor != 0);
        all.sort_unstable();
        if all.len() > TERMS {
            return None;
        }
        let mut sum = Sum::number(self.offset.wrapping_add(other.offset));
        sum.terms[..all.len()].copy_from_slice(&all);
        Some(sum)
    }

    /// With a value in place of one of its terms.
    pub(super) fn with(self, id: Id, factor: i32, value: Sum) -> Option<Sum> {
        let factor = i64::from(factor);
        self.plus(Sum::of(id).times(-factor)?)?.plus(value.times(factor)?)
    }

    /// `None` if a factor gets too large.
    pub(super) fn times(mut self, by: i64) -> Option<Sum> {
        if by == 0 {
            return Some(Sum::default());
        }
        for (_, factor) in &mut self.terms {
            *factor = factor.checked_mul(i32::try_from(by).ok()?)?;
        }
        self.offset = self.offset.wrapping_mul(by);
        Some(self)
    }
}

/// Where control flow comes together, a register or stack slot whose value depends on the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    Register(Register),
    Slot(Id, i64),
    /// When memory of the frame that others know was last changed.
    Epoch,
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Origin<'t> {
    /// The stack pointer at the function's entry.
    Frame,
    /// A register at the function's entry.
    Entry(Register),
    /// An address with a name.
    Symbol(&'t str),
    /// Where the thread's own storage is.
    Thread,
    /// Made by the instruction of that number; the second tells its results apart.
    Made(usize, u8),
    /// Where ways meet, at the start of a block.
    Joined(usize, Place),
    /// Where a loop comes back to.
    Looped(usize, Place),
    /// How often a loop has come back since it was entered.
    Count(usize),
    /// In pieces, on one of the ways to a block.
    Scattered(usize, Place),
    /// Found in a stack slot: value, offset, size, and epoch.
    Slot(Id, i64, i64, Option<Sum>),
    /// Bytes of a larger value: from and how many.
    Part(Sum, i64, i64),
    Computed(&'t str, [Sum; 2]),
}

/// All values of a function.
#[derive(Debug, Default)]
pub(super) struct Values<'t> {
    known: Vec<(Origin<'t>, Nature)>,
    index: HashMap<Origin<'t>, Id>,
}

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nature {
    /// This call's part of the stack.
    Private,
    /// Memory that nobody writes.
    Constant,
    Shared,
}

impl<'t> Values<'t> {
    /// The value by that origin; what is there if it is an address is as of its first naming.
    pub(super) fn name(&mut self, origin: Origin<'t>, nature: Nature) -> Sum {
        let id = *self.index.entry(origin).or_insert_with(|| {
            self.known.push((origin, nature));
            Id(u32::try_from(self.known.len()).expect("internal error: too many values"))
        });
        Sum::of(id)
    }

    /// Some value that nothing is known of.
    pub(super) fn shared(&mut self, origin: Origin<'t>) -> Sum {
        self.name(origin, Nature::Shared)
    }

    pub(super) fn origin(&self, id: Id) -> Origin<'t> {
        self.known[id.0 as usize - 1].0
    }

    fn of_id(&self, id: Id) -> Nature {
        self.known[id.0 as usize - 1].1
    }

    /// What was thought to be of that nature is not, or is after all. True if that is news.
    pub(super) fn correct(&mut self, id: Id, nature: Nature) -> bool {
        std::mem::replace(&mut self.known[id.0 as usize - 1].1, nature) != nature
    }

    /// What is at that address: a difference of two private addresses is none.
    pub(super) fn nature(&self, sum: &Sum) -> Nature {
        let count = |nature: Nature| -> i32 {
            sum.terms().filter(|(id, _)| self.of_id(*id) == nature).map(|(_, factor)| factor).sum()
        };
        match (count(Nature::Private), count(Nature::Constant)) {
            (1, _) => Nature::Private,
            (_, 1) => Nature::Constant,
            _ => Nature::Shared,
        }
    }

    /// What a private address is counted from.
    pub(super) fn frame(&self, sum: &Sum) -> Option<Id> {
        let private = self.nature(sum) == Nature::Private;
        sum.terms().map(|(id, _)| id).find(|id| private && self.of_id(*id) == Nature::Private)
    }

    /// The sum, or a value for it if it is too long.
    pub(super) fn add(&mut self, a: Sum, b: Sum) -> Sum {
        match a.plus(b) {
            Some(sum) => sum,
            None => {
                let nature = match (self.nature(&a), self.nature(&b)) {
                    (Nature::Shared, nature) | (nature, _) => nature,
                };
                self.name(Origin::Computed("sum", [a, b]), nature)
            }
        }
    }

    pub(super) fn scale(&mut self, a: Sum, by: i64) -> Sum {
        match a.times(by) {
            Some(sum) => sum,
            None => self.shared(Origin::Computed("product", [a, Sum::number(by)])),
        }
    }
}
