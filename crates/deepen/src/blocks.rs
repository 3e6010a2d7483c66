//! Blocks of the heap, by where they were allocated: `heap(queue.c:31)+8`, and `heap(queue.c:31)#2+8` where several are from there.

use gabion_trace::{Address, Event, Frame, Role, Space, Trace, Witness};
use std::collections::HashMap;

/// A block that was there for a while.
struct Block {
    at: u64,
    size: u64,
    /// The event that allocated it; None: it was there before the run began.
    since: Option<usize>,
    pc: u64,
    sites: Vec<u64>,
}

/// The blocks of a run, in the order in which they were allocated.
#[derive(Default)]
pub(crate) struct Blocks {
    all: Vec<Block>,
    /// Their names, once somebody has asked for one.
    names: Option<Vec<Option<String>>>,
}

impl Blocks {
    pub(crate) fn of(trace: &Trace) -> Self {
        let told = |role: Role| trace.witnesses.iter().filter(move |witness| witness.role == role);
        let block =
            |w: &Witness| Block { at: w.address, size: w.size.into(), since: None, pc: w.pc, sites: w.stack.clone() };
        // The newest is told first.
        let mut all: Vec<Block> = told(Role::Present).map(block).collect();
        all.reverse();
        for (index, event) in trace.events.iter().enumerate() {
            if let Event::Alloc { address, size, pc, .. } = *event {
                let made = told(Role::Made).find(|witness| (witness.address, witness.pc) == (address, pc));
                let sites = made.map_or(Vec::new(), |witness| witness.stack.clone());
                all.push(Block { at: address, size: size.into(), since: Some(index), pc, sites });
            }
        }
        Blocks { all, names: None }
    }

    /// The name of what is at an address when an event happens. `stack` gives the frames of an instruction and its call sites.
    pub(crate) fn name(
        &mut self,
        address: Address,
        event: usize,
        stack: impl FnMut(u64, &[u64]) -> Vec<Frame>,
    ) -> Option<String> {
        let at = address.offset();
        let holds = |block: &Block| {
            block.since.is_none_or(|since| since <= event) && (block.at..block.at + block.size.max(1)).contains(&at)
        };
        let heap = matches!(address.space(), Some(Space::Memory | Space::Object));
        let index = heap.then(|| self.all.iter().rposition(holds))??;
        let names = self.names.get_or_insert_with(|| named(&self.all, stack));
        let (name, offset) = (names[index].as_ref()?, at - self.all[index].at);
        Some(if offset == 0 { name.clone() } else { format!("{name}+{offset}") })
    }
}

/// Names for blocks, where the program's own line is known.
fn named(blocks: &[Block], mut stack: impl FnMut(u64, &[u64]) -> Vec<Frame>) -> Vec<Option<String>> {
    let places: Vec<Option<String>> = blocks.iter().map(|block| place(&stack(block.pc, &block.sites))).collect();
    let mut all: HashMap<&str, usize> = HashMap::new();
    places.iter().flatten().for_each(|place| *all.entry(place).or_default() += 1);
    let mut seen: HashMap<&str, usize> = HashMap::new();
    let mut names = Vec::with_capacity(places.len());
    for place in places.iter().map(Option::as_deref) {
        names.push(place.map(|place| {
            let nth = seen.entry(place).and_modify(|nth| *nth += 1).or_insert(1);
            if all[place] == 1 { format!("heap({place})") } else { format!("heap({place})#{nth}") }
        }));
    }
    names
}

/// `file:line` of the program's own line, without directories.
fn place(stack: &[Frame]) -> Option<String> {
    let frame = Frame::place(stack).filter(|frame| !frame.is_library())?;
    let (file, line) = (frame.file.as_deref()?, frame.line?);
    Some(format!("{}:{line}", file.rsplit('/').next().unwrap_or(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(at: u64, since: Option<usize>, pc: u64) -> Block {
        Block { at, size: 16, since, pc, sites: Vec::new() }
    }

    /// Each instruction is a line of its own; 9 is a library's.
    fn frames(pc: u64, _: &[u64]) -> Vec<Frame> {
        let file = if pc == 9 { "/usr/include/c++/12/list" } else { "/home/src/queue.c" };
        vec![Frame { file: Some(file.into()), line: Some(pc as u32), ..Frame::default() }]
    }

    #[test]
    fn blocks_have_the_names_of_their_lines_and_numbers_where_several_are_from_one() {
        let all = vec![block(64, None, 7), block(128, Some(2), 8), block(192, Some(5), 7), block(256, Some(6), 9)];
        let mut blocks = Blocks { all, names: None };
        let mut check = |at: u64, event: usize, name: Option<&str>| {
            assert_eq!(blocks.name(Address::memory(at), event, frames).as_deref(), name, "{at} at {event}");
        };
        check(64, 0, Some("heap(queue.c:7)#1"));
        check(72, 0, Some("heap(queue.c:7)#1+8"));
        check(80, 0, None); // behind its end
        check(135, 3, Some("heap(queue.c:8)+7"));
        check(135, 1, None); // not yet allocated
        check(192, 5, Some("heap(queue.c:7)#2"));
        check(256, 9, None); // nobody's line is known
        assert_eq!(blocks.name(Address::thread(gabion_trace::ThreadId(64)), 9, frames), None);
    }

    #[test]
    fn memory_that_is_used_again_is_of_the_last_who_got_it() {
        let mut blocks = Blocks { all: vec![block(64, None, 7), block(64, Some(4), 8)], names: None };
        let mut name = |event| blocks.name(Address::object(64), event, frames).expect("a block is there");
        assert_eq!([name(3), name(4)], ["heap(queue.c:7)", "heap(queue.c:8)"]);
    }
}
