//! What a function announces, and whether that covers an access.

use std::collections::{HashMap, HashSet};

use super::access::Direction;
use super::announcements::{announces, size_in_name};
use super::assembly::{Instruction, Operand, RDI, RSI, Register};
use super::flow::Flow;
use super::graph::Graph;
use super::state::{Context, LOADED, State};
use super::values::{Nature, Origin, Sum};

const WORD: i64 = 8;

/// How many joins back an announcement is looked for, and how many ways in all.
const DEPTH: usize = 4;
const WAYS: usize = 64;

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
    /// Where pointers to virtual tables are.
    tables: HashSet<Sum>,
}

impl Announced {
    pub(super) fn hook(&mut self, instruction: &Instruction, state: &State) {
        let Some(name) = instruction.target().filter(|_| instruction.is_call() || instruction.is_jump()) else {
            return;
        };
        if name.starts_with("__tsan_atomic") {
            // It does what it announces. clang leaves the plain load beside it, unused, and of 16 bytes a `cmpxchg16b`.
            self.add(RDI, Some(16), Direction::Read, state);
        } else if name.starts_with("__tsan_mem") {
            self.any = true;
        } else if announces(name) {
            self.any = true;
            let size = if name.ends_with("_range") { state.value(RSI).as_number() } else { size_in_name(name) };
            let size = size.or(name.contains("vptr").then_some(WORD));
            let reads = name.contains("read") && !name.contains("write");
            self.add(RDI, size, if reads { Direction::Read } else { Direction::Write }, state);
            if name.contains("vptr_read") {
                self.tables.insert(state.value(RDI));
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

    fn add(&mut self, register: Register, size: Option<i64>, how: Direction, state: &State) {
        let address = state.value(register);
        let end = size.map_or(i64::MAX, |size| address.offset.saturating_add(size));
        self.ranges.entry(address.base()).or_default().push((address.offset, end, how));
    }

    pub(super) fn covers(&self, access: &Access, graph: &Graph, flow: &Flow, context: &mut Context) -> bool {
        let mut left = WAYS;
        self.covers_ways(access, DEPTH, &mut left, graph, flow, context)
    }

    /// Directly, or on every way to where its address was joined.
    fn covers_ways(
        &self,
        access: &Access,
        depth: usize,
        left: &mut usize,
        graph: &Graph,
        flow: &Flow,
        context: &mut Context,
    ) -> bool {
        if context.values.nature(&access.address) != Nature::Shared || self.covers_directly(access) {
            return true;
        }
        if depth == 0 || *left == 0 {
            return false;
        }
        *left -= 1;
        let terms: Vec<_> = access.address.terms().collect();
        terms.into_iter().any(|(id, factor)| {
            let ways = flow.ways(context.values.origin(id), graph, context);
            ways.is_some_and(|ways| {
                ways.into_iter().all(|value| {
                    let address = access.address.with(id, factor, value);
                    address.is_some_and(|address| {
                        address == access.address
                            || self.covers_ways(&Access { address, ..*access }, depth - 1, left, graph, flow, context)
                    })
                })
            })
        })
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
