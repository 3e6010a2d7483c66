//! What registers and stack slots hold at one place of a function, by value number; [`follow`](super::follow) says what
//! an instruction makes of it.
//!
//! Slots are known by their distance from the stack pointer at entry, or from where it was aligned to. A slot whose
//! address is taken or announced is *known to others*: calls and stores through pointers may change it. Everything else
//! in the frame is the compiler's own and changes only by name.
//!
//! Deliberately missed: a store into an array of the frame by a variable index does not change what is known of its
//! elements by a fixed one.

use std::collections::BTreeSet;

use super::assembly::{Memory, RDI, RSP, Register};
use super::values::{Id, Nature, Origin, Place, Sum, Values};

const WORD: i64 = 8;

/// Results of an instruction besides those in registers, which have the register's number.
pub(super) const LOADED: u8 = 16;
pub(super) const OPERAND: u8 = 17;
pub(super) const PIECES: u8 = 18;
pub(super) const CHANGED: u8 = 19;
pub(super) const RESULT: u8 = 20;

/// What is known of a function as a whole while it is followed.
pub(super) struct Context<'c, 't> {
    pub(super) values: Values<'t>,
    /// Slots that others may know.
    pub(super) escaped: BTreeSet<(Id, i64)>,
    pub(super) is_constant: &'c dyn Fn(&str) -> bool,
}

impl<'t> Context<'_, 't> {
    pub(super) fn symbol(&mut self, name: &'t str) -> Sum {
        // clang's own name for a symbol that may be interposed.
        let local = name.strip_prefix(".L").and_then(|name| name.strip_suffix("$local"));
        let nature = if local.is_none() && (self.is_constant)(name) { Nature::Constant } else { Nature::Shared };
        self.values.name(Origin::Symbol(local.unwrap_or(name)), nature)
    }
}

/// A slot and what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) key: (Id, i64),
    pub(super) size: i64,
    pub(super) value: Sum,
}

/// Registers and slots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    registers: [Sum; 16],
    /// Invariant: sorted by key and disjoint; kept by [`State::store`].
    pub(super) slots: Vec<Slot>,
    epoch: Sum,
}

impl State {
    /// At the function's first instruction.
    pub(super) fn entry(values: &mut Values) -> State {
        let mut registers = [Sum::default(); 16];
        for (number, value) in registers.iter_mut().enumerate() {
            *value = values.shared(Origin::Entry(Register(number as u8)));
        }
        registers[usize::from(RSP.0)] = values.name(Origin::Frame, Nature::Private);
        State { registers, slots: Vec::new(), epoch: Sum::default() }
    }

    /// Where nothing is known but that the stack pointer is one.
    pub(super) fn unknown(block: usize, values: &mut Values) -> State {
        let mut state = State::entry(values);
        for number in 0..16 {
            let register = Register(number);
            if register != RSP {
                state.set(register, values.shared(Origin::Joined(block, Place::Register(register))));
            }
        }
        state.epoch = values.shared(Origin::Joined(block, Place::Epoch));
        state
    }

    pub(super) fn value(&self, register: Register) -> Sum {
        self.registers[usize::from(register.0)]
    }

    pub(super) fn set(&mut self, register: Register, value: Sum) {
        self.registers[usize::from(register.0)] = value;
    }

    /// The places that may differ from those of another state.
    pub(super) fn places(&self) -> impl Iterator<Item = (Place, i64)> {
        let registers = (0..16).map(|number| (Place::Register(Register(number)), WORD));
        let slots = self.slots.iter().map(|slot| (Place::Slot(slot.key.0, slot.key.1), slot.size));
        registers.chain([(Place::Epoch, WORD)]).chain(slots)
    }

    /// Bytes of a place.
    pub(super) fn size(&self, place: Place) -> i64 {
        let Place::Slot(id, at) = place else { return WORD };
        let found = self.slots.binary_search_by_key(&(id, at), |slot| slot.key);
        found.map_or(WORD, |slot| self.slots[slot].size)
    }

    /// `None` for a slot of several pieces.
    pub(super) fn at(&self, place: Place, size: i64, context: &mut Context) -> Option<Sum> {
        match place {
            Place::Register(register) => Some(self.value(register)),
            Place::Epoch => Some(self.epoch),
            Place::Slot(id, at) => self.slot((id, at), size, context),
        }
    }

    pub(super) fn put(&mut self, place: Place, size: i64, value: Sum) {
        match place {
            Place::Register(register) => self.set(register, value),
            Place::Epoch => self.epoch = value,
            Place::Slot(id, at) => self.store((id, at), size, value),
        }
    }

    /// The address of an operand.
    pub(super) fn address<'t>(&self, memory: &Memory<'t>, context: &mut Context<'_, 't>) -> Sum {
        let mut sum = Sum::number(memory.displacement);
        if memory.segment.is_some_and(|segment| ["fs", "gs"].contains(&segment)) {
            sum = context.values.shared(Origin::Thread).moved(memory.displacement);
        }
        if let Some(base) = memory.base {
            sum = context.values.add(sum, self.value(base));
        }
        if let Some(index) = memory.index {
            let index = context.values.scale(self.value(index), memory.scale);
            sum = context.values.add(sum, index);
        }
        match memory.symbol {
            Some(symbol) => {
                let symbol = context.symbol(symbol);
                context.values.add(sum, symbol)
            }
            None => sum,
        }
    }

    /// What the slots hold there; `None` if it is of several pieces.
    pub(super) fn slot(&self, key: (Id, i64), size: i64, context: &mut Context) -> Option<Sum> {
        let (first, end) = self.overlapping(key, size);
        match &self.slots[first..end] {
            [] => {
                let epoch = context.escaped.contains(&key).then_some(self.epoch);
                Some(context.values.shared(Origin::Slot(key.0, key.1, size, epoch)))
            }
            [one] if one.key == key && one.size == size => Some(one.value),
            [one] if one.key.1 <= key.1 && key.1 + size <= one.key.1 + one.size => {
                Some(context.values.shared(Origin::Part(one.value, key.1 - one.key.1, size)))
            }
            _ => None,
        }
    }

    pub(super) fn overlapping(&self, (id, at): (Id, i64), size: i64) -> (usize, usize) {
        let first =
            self.slots.partition_point(|slot| slot.key.0 < id || slot.key.0 == id && slot.key.1 + slot.size <= at);
        let end = self.slots.partition_point(|slot| slot.key < (id, at + size));
        (first, end.max(first))
    }

    /// What it overlaps is gone; [`State::write`] keeps the rest of larger slots.
    pub(super) fn store(&mut self, key: (Id, i64), size: i64, value: Sum) {
        let (first, end) = self.overlapping(key, size);
        self.slots.splice(first..end, [Slot { key, size, value }]);
    }

    /// Others may have run.
    pub(super) fn forget_escaped(&mut self, step: usize, context: &mut Context) {
        let escaped = &context.escaped;
        self.slots.retain(|slot| !escaped.contains(&slot.key));
        self.epoch = context.values.shared(Origin::Made(step, CHANGED));
    }

    /// Is that the virtual table of an object in the frame, which is the first argument?
    pub(super) fn is_own_table(&self, address: &Sum, context: &mut Context) -> bool {
        let object = self.value(RDI);
        let private = context.values.nature(&object) == Nature::Private;
        let table = object.single().filter(|_| private).and_then(|id| self.slot((id, object.offset), WORD, context));
        table.is_some_and(|table| table.base() == address.base())
    }
}
