//! Whether an access is announced right before it.
//!
//! An announcement is meant for what follows it, up to the next announcement or call. gcc makes all announcements of a
//! statement and then its accesses, so hooks with no access to shared memory between them are one group. Going back from
//! an access, on every way, the first group must announce its bytes, as a write if it writes. A group is good for one
//! access: where the same bytes were touched since (`p->a = 1; f(*p)`, `x = p->a; f(*p)`) somebody could have come in
//! between, at a point that is missing. A load that goes before the store of what is announced as a write is the first
//! half of an update, which [`split`](super::split) looks after.
//!
//! Compilers merge the ends of ways that are alike, so a group may be in another block than its access, and the address
//! there in another register: going back, it is put in terms of each way. Value numbering does not find all addresses that
//! are equal (a branch has compared them, or one is counted in 32 bits): an announcement that no access belongs to is
//! taken for that of the first access after it which is of its kind and size, in the same block.

use std::collections::HashSet;

use super::access::Direction;
use super::announced::{Access, announced};
use super::assembly::Instruction;
use super::flow::Flow;
use super::graph::Graph;
use super::state::{Context, State};
use super::values::{Nature, Origin, Sum};

const WORD: i64 = 8;

/// Blocks that are gone through for one access.
const BLOCKS: usize = 400;

/// What matters of an instruction.
#[derive(Debug)]
enum Event {
    Announces(Access),
    /// Shared memory, or nothing.
    Touches(Vec<Access>),
    /// Anything may happen.
    Leaves,
}

/// All groups of a function.
#[derive(Debug, Default)]
pub(super) struct Groups {
    /// By step; what cannot be reached is not in it.
    events: Vec<Event>,
}

/// What is looked for at one place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Search {
    address: Sum,
    size: i64,
    direction: Direction,
    /// Bytes not found yet, from the address on.
    missing: Vec<(i64, i64)>,
    /// Has the group begun?
    begun: bool,
}

impl Groups {
    pub(super) fn new(graph: &Graph) -> Groups {
        Groups { events: graph.steps.iter().map(|_| Event::Leaves).collect() }
    }

    /// Takes note of an instruction and what it touches.
    pub(super) fn note(
        &mut self,
        step: usize,
        instruction: &Instruction,
        touched: &[Access],
        state: &State,
        context: &Context,
    ) {
        let shared = touched.iter().filter(|access| context.values.nature(&access.address) == Nature::Shared);
        let nothing = |name: &str| name.starts_with("__tsan_func_");
        self.events[step] = if let Some(access) = announced(instruction, state) {
            Event::Announces(loaded(access))
        } else if instruction.is_call() && !instruction.target().is_some_and(nothing) {
            Event::Leaves
        } else {
            Event::Touches(shared.copied().collect())
        };
    }

    /// Is the access of that step announced on every way to it?
    pub(super) fn cover<'t>(
        &self,
        step: usize,
        access: &Access,
        graph: &Graph<'t>,
        flow: &Flow,
        context: &mut Context<'_, 't>,
    ) -> bool {
        self.announce(step, access, graph, flow, context) || self.are_left(step, access, graph, context)
    }

    fn announce<'t>(
        &self,
        step: usize,
        access: &Access,
        graph: &Graph<'t>,
        flow: &Flow,
        context: &mut Context<'_, 't>,
    ) -> bool {
        let block = graph.blocks.partition_point(|block| block.start <= step) - 1;
        let Access { address, size, direction } = *access;
        let first = Search { address, size, direction, missing: vec![(0, size)], begun: false };
        let mut seen = HashSet::new();
        let mut open = vec![(block, step, first)];
        while let Some((block, end, mut search)) = open.pop() {
            let start = graph.blocks[block].start;
            match (start..end).rev().find_map(|step| search.back(step, &self.events[step], context)) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            let before = &graph.blocks[block].before;
            if block == 0 || before.is_empty() || seen.len() == BLOCKS {
                return false;
            }
            // What comes round has found neither an announcement nor an access.
            if !seen.insert((block, search.clone())) {
                continue;
            }
            for way in before {
                let Some(address) = flow.on_way(search.address, block, *way, context) else { return false };
                if context.values.nature(&address) == Nature::Shared {
                    open.push((*way, graph.blocks[*way].end, Search { address, ..search.clone() }));
                }
            }
        }
        true
    }
}

impl Groups {
    /// Is there an announcement right before the access that belongs to nothing else?
    fn are_left(&self, step: usize, access: &Access, graph: &Graph, context: &Context) -> bool {
        let block = graph.blocks.partition_point(|block| block.start <= step) - 1;
        let alike = |other: &Access| other.direction == access.direction && other.size == access.size;
        let mut begun = false;
        for at in (graph.blocks[block].start..step).rev() {
            match &self.events[at] {
                _ if is_made_by(&access.address, at, context) => return false, // what is not known yet cannot be announced
                Event::Announces(announced) => {
                    begun = true;
                    let free = || !self.is_used(announced, &self.events[at + 1..graph.blocks[block].end]);
                    if alike(announced) && may_be_equal(&announced.address, &access.address, context) && free() {
                        return true;
                    }
                }
                Event::Touches(touched) if begun && !touched.is_empty() || touched.iter().any(alike) => return false,
                Event::Touches(_) => {}
                Event::Leaves => return false,
            }
        }
        false
    }

    /// Does anything after the announcement touch what it says?
    fn is_used(&self, announced: &Access, after: &[Event]) -> bool {
        let Access { address, size, direction } = *announced;
        let wanted = Search { address, size, direction, missing: Vec::new(), begun: false };
        let mut here = after.iter().take_while(|event| !matches!(event, Event::Leaves));
        here.any(|event| match event {
            Event::Touches(touched) => touched.iter().any(|access| wanted.is_used_by(access)),
            _ => false,
        })
    }
}

/// gcc announces the bytes of a bit-field, which may be any, and then loads the word that they are in.
fn loaded(announced: Access) -> Access {
    let Access { address, size, direction } = announced;
    let plain = size >= WORD || size.count_ones() == 1 && address.offset % size == 0;
    if plain || direction == Direction::Write {
        return announced;
    }
    let start = address.offset & !(WORD - 1);
    let end = (address.offset + size + WORD - 1) & !(WORD - 1);
    Access { address: address.moved(start - address.offset), size: end - start, direction }
}

/// Are two addresses perhaps the same, though they have other names?
fn may_be_equal(a: &Sum, b: &Sum, context: &Context) -> bool {
    let shared = |sum: &Sum| context.values.nature(sum) == Nature::Shared;
    let named = |sum: &Sum| sum.single().is_some_and(|id| matches!(context.values.origin(id), Origin::Symbol(_)));
    shared(a) && shared(b) && a.base() != b.base() && !(named(a) && named(b))
}

impl Search {
    /// Goes back over one instruction; says if that decides it.
    fn back(&mut self, step: usize, event: &Event, context: &Context) -> Option<bool> {
        match event {
            Event::Announces(announced) => {
                self.begun = true;
                if self.direction == Direction::Read || announced.direction == Direction::Write {
                    self.find(announced);
                }
                self.missing.is_empty().then_some(true)
            }
            Event::Touches(touched) if self.begun => (!touched.is_empty()).then_some(false),
            Event::Touches(touched) => touched.iter().any(|other| self.is_used_by(other)).then_some(false),
            Event::Leaves => Some(false),
        }
        .or_else(|| is_made_by(&self.address, step, context).then_some(false))
    }

    fn find(&mut self, announced: &Access) {
        if announced.address.base() != self.address.base() {
            return;
        }
        let from = announced.address.offset - self.address.offset;
        let to = from.saturating_add(announced.size);
        let left = |(start, end): (i64, i64)| [(start, end.min(from)), (start.max(to), end)];
        self.missing = self.missing.iter().copied().flat_map(left).filter(|(start, end)| start < end).collect();
    }

    /// Is the announcement that is looked for meant for that access? Small structs are copied in pieces that overlap.
    fn is_used_by(&self, other: &Access) -> bool {
        let (from, end) = (self.address.offset, self.address.offset.saturating_add(self.size));
        let (other_from, other_end) = (other.address.offset, other.address.offset.saturating_add(other.size));
        let within = from <= other_from && other_end <= end || other_from <= from && end <= other_end;
        let before_store = self.direction == Direction::Write && other.direction == Direction::Read;
        other.address.base() == self.address.base() && within && !before_store
    }
}

/// Is there no such address further back?
fn is_made_by(address: &Sum, step: usize, context: &Context) -> bool {
    address.terms().any(|(id, _)| matches!(context.values.origin(id), Origin::Made(made, _) if made == step))
}
