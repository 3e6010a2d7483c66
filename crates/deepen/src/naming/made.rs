//! What a step's first access met and left.

use super::{Namer, number};
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

impl Namer<'_> {
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
        let block = if size == POINTER { self.block(Address::memory(value), event) } else { None };
        block.map(|name| format!("&{name}")).or_else(|| self.value_anywhere(value, size))
    }

    /// The same whatever run it is: no block. Of how many bytes it is a pointer to, nobody knows.
    fn value_anywhere(&mut self, value: u64, size: u32) -> Option<String> {
        let variable = if size == POINTER { self.subject.variable(value) } else { None };
        (1..=8).contains(&size).then(|| match variable {
            Some((name, 0)) => format!("&{name}"),
            Some((name, offset)) => format!("&{name}+{offset}"),
            None => number(value, size),
        })
    }

    /// The same at the end of another run.
    pub(crate) fn value_in(&mut self, run: &Trace, value: u64, size: u32) -> Option<String> {
        let block = if size == POINTER { self.block_in(run, Address::memory(value)) } else { None };
        block.map(|name| format!("&{name}")).or_else(|| self.value_anywhere(value, size))
    }

    /// What bytes at an address are at the end of another run.
    pub(crate) fn name_in(&mut self, run: &Trace, address: Address, size: u32) -> String {
        self.block_in(run, address).unwrap_or_else(|| self.in_any_run(address, size.into()))
    }

    fn block_in(&mut self, run: &Trace, address: Address) -> Option<String> {
        let mut blocks = std::mem::take(&mut self.blocks);
        let name = blocks.name_in(Blocks::of(run), address, |pc, sites| self.allocated_at(pc, sites));
        self.blocks = blocks;
        name
    }
}
