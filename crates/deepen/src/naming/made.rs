//! What a step's first access met and left.

use super::{Namer, number};
use crate::Subject;
use crate::blocks::Blocks;
use gabion_trace::{Access, Address, Trace};

/// An access that was made, with the values before and after it, as far as they are known.
#[derive(Clone, Copy)]
pub(super) struct Made {
    pub(super) access: Access,
    pub(super) met: Option<u64>,
    pub(super) left: Option<u64>,
    pub(super) event: usize,
}

/// Bytes of a pointer.
const POINTER: u32 = 8;

impl<S: Subject> Namer<'_, S> {
    /// `is 1`, `was 1`, `1 -> 2`.
    pub(super) fn values(&mut self, made: &Made) -> Option<String> {
        let writes = made.access.kind.writes();
        let met = self.value(made.met?, made.access.size, made.event)?;
        let left = made.left.filter(|_| writes).and_then(|left| self.value(left, made.access.size, made.event));
        Some(match left {
            Some(left) if met != left => format!("{met} -> {left}"),
            _ if writes => format!("was {met}"),
            _ => format!("is {met}"),
        })
    }

    /// What an access of so many bytes met or left at an event: a number, or what it points to. None: it is no number.
    pub(crate) fn value(&mut self, value: u64, size: u32, event: usize) -> Option<String> {
        let to = if size == POINTER { self.pointed_to(Address::memory(value), event) } else { None };
        (1..=8).contains(&size).then(|| to.map_or_else(|| number(value, size), |name| format!("&{name}")))
    }

    /// A block, or a global variable, and the distance in it: of how many bytes it is a pointer to, nobody knows.
    fn pointed_to(&mut self, address: Address, event: usize) -> Option<String> {
        if let Some(block) = self.block(address, event) {
            return Some(block);
        }
        let (name, offset) = self.subject.variable(address.offset())?;
        Some(if offset == 0 { name } else { format!("{name}+{offset}") })
    }

    /// The same at the end of another run.
    pub(crate) fn value_in(&mut self, run: &Trace, value: u64, size: u32) -> Option<String> {
        self.beside(run, |namer| namer.value(value, size, usize::MAX))
    }

    /// What bytes at an address are at the end of another run.
    pub(crate) fn name_in(&mut self, run: &Trace, address: Address, size: u32) -> String {
        let known = |namer: &mut Self| namer.in_any_run(address, size.into());
        self.beside(run, |namer| namer.block(address, usize::MAX).unwrap_or_else(|| known(namer)))
    }

    /// With the blocks of another run.
    fn beside<T>(&mut self, run: &Trace, ask: impl FnOnce(&mut Self) -> T) -> T {
        let own = std::mem::replace(&mut self.blocks, Blocks::of(run));
        let answer = ask(self);
        self.blocks = own;
        answer
    }
}
