//! What a function announces, and whether that covers an access.

use std::collections::{HashMap, HashSet};

use super::access::Direction;
use super::announcements::{announces, size_in_name};
use super::assembly::{Instruction, Operand, RDI, RSI};
use super::state::{Context, LOADED, State};
use super::values::{Nature, Origin, Sum};

const WORD: i64 = 8;

/// An access to what is not constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) address: Sum,
    pub(super) size: i64,
    pub(super) direction: Direction,
}

/// What a function announces anywhere.
#[derive(Default)]
pub(super) struct Announced {
    /// Any plain access.
    pub(super) any: bool,
    /// By address without offset: from, to, and how.
    ranges: HashMap<Sum, Vec<(i64, i64, Direction)>>,
    /// What atomic operations are done on, and its bytes.
    atomics: HashSet<(Sum, i64)>,
    /// Where pointers to virtual tables are.
    tables: HashSet<Sum>,
}

/// The plain access that a hook announces.
pub(super) fn announced(instruction: &Instruction, state: &State) -> Option<Access> {
    let calls = instruction.is_call() || instruction.is_jump();
    let name = instruction.target().filter(|name| calls && announces(name))?;
    let reads = name.contains("read") && !name.contains("write");
    let direction = if reads { Direction::Read } else { Direction::Write };
    let size = if name.ends_with("_range") { state.value(RSI).as_number() } else { size_in_name(name) };
    let size = size.or(name.contains("vptr").then_some(WORD)).unwrap_or(i64::MAX);
    Some(Access { address: state.value(RDI), size, direction })
}

impl Announced {
    pub(super) fn hook(&mut self, instruction: &Instruction, state: &State) {
        let Some(name) = instruction.target().filter(|_| instruction.is_call() || instruction.is_jump()) else {
            return;
        };
        if name.starts_with("__tsan_atomic") {
            // It does what it announces. clang leaves the plain load beside it, unused, and of 16 bytes a `cmpxchg16b`.
            let size = size_in_name(name).map_or(WORD, |bits| bits / 8);
            let access = Access { address: state.value(RDI), size, direction: Direction::Read };
            self.add(access);
            self.atomics.insert((access.address, size));
        } else if name.starts_with("__tsan_mem") {
            self.any = true;
        } else if let Some(access) = announced(instruction, state) {
            self.any = true;
            self.add(access);
            if name.contains("vptr_read") {
                self.tables.insert(access.address);
            }
        }
    }

    /// What a pointer to a virtual table points at is written by nobody.
    pub(super) fn table<'t>(
        &self,
        step: usize,
        instruction: &Instruction<'t>,
        state: &State,
        context: &mut Context<'_, 't>,
    ) {
        if let ("mov" | "movq", [Operand::Memory(memory), Operand::Register(_)]) =
            (instruction.mnemonic, instruction.operands.as_slice())
            && self.tables.contains(&state.address(memory, context))
        {
            let loaded = context.values.shared(Origin::Made(step, LOADED));
            loaded.single().map(|id| context.values.correct(id, Nature::Constant));
        }
    }

    fn add(&mut self, access: Access) {
        let (from, how) = (access.address.offset, access.direction);
        self.ranges.entry(access.address.base()).or_default().push((from, from.saturating_add(access.size), how));
    }

    /// Is it the plain load that clang leaves beside an atomic operation?
    pub(super) fn is_atomic(&self, access: &Access) -> bool {
        access.direction == Direction::Read && self.atomics.contains(&(access.address, access.size))
    }

    pub(super) fn covers_directly(&self, access: &Access) -> bool {
        let Some(ranges) = self.ranges.get(&access.address.base()) else { return false };
        let (mut at, end) = (access.address.offset, access.address.offset.saturating_add(access.size));
        // Several announcements may cover one access together.
        while at < end {
            let reaching = ranges.iter().filter(|(from, to, how)| {
                (*from..*to).contains(&at) && (access.direction == Direction::Read || *how == Direction::Write)
            });
            match reaching.map(|(_, to, _)| *to).max() {
                Some(to) => at = to,
                None => return false,
            }
        }
        true
    }
}

/// What was announced in the straight line to here, since control last left the function.
#[derive(Default)]
pub(super) struct Recent {
    /// Without the hooks that came before the last call of something else.
    announced: Announced,
    called: bool,
}

impl Recent {
    pub(super) fn call(&mut self, instruction: &Instruction, state: &State) {
        if !instruction.is_call() {
            return;
        }
        match instruction.target().filter(|name| name.starts_with("__tsan_")) {
            Some(_) => self.announced.hook(instruction, state),
            None => *self = Recent { called: true, ..Recent::default() },
        }
    }

    /// Announced here, or perhaps on the way here.
    pub(super) fn covers(&self, access: &Access, anywhere: &Announced) -> bool {
        self.announced.covers_directly(access) || !self.called && anywhere.covers_directly(access)
    }
}
