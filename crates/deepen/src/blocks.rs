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

/// Where a block is from.
struct Origin {
    /// `file:line`.
    place: String,
    /// Which of those that are from there; None: it is the only one.
    nth: Option<usize>,
}

/// The blocks of a run, in the order in which they were allocated.
#[derive(Default)]
pub(crate) struct Blocks {
    all: Vec<Block>,
    /// Where they are from, once somebody has asked.
    origins: Option<Vec<Option<Origin>>>,
}

impl Blocks {
    pub(crate) fn of(trace: &Trace) -> Self {
        let told = |role: Role| trace.witnesses.iter().filter(move |witness| witness.role == role);
        let block =
            |w: &Witness| Block { at: w.address, size: w.size.into(), since: None, pc: w.pc, sites: w.stack.clone() };
        // The newest is told first.
        let mut all: Vec<Block> = told(Role::Present).map(block).collect();
        all.reverse();
        // Of memory that is used again, call sites are told of the last who got it.
        let mut last: HashMap<u64, usize> = HashMap::new();
        for (index, event) in trace.events.iter().enumerate() {
            if let Event::Alloc { address, size, pc, .. } = *event {
                last.insert(address, all.len());
                all.push(Block { at: address, size: size.into(), since: Some(index), pc, sites: Vec::new() });
            }
        }
        for made in told(Role::Made) {
            if let Some(block) = last.get(&made.address).map(|index| &mut all[*index]).filter(|b| b.pc == made.pc) {
                block.sites.clone_from(&made.stack);
            }
        }
        Blocks { all, origins: None }
    }

    /// The name of what is at an address when an event happens. `stack` gives the frames of an instruction and its call sites.
    pub(crate) fn name(
        &mut self,
        address: Address,
        event: usize,
        stack: impl FnMut(u64, &[u64]) -> Vec<Frame>,
    ) -> Option<String> {
        let (block, origin) = self.find(address, event, stack)?;
        let number = origin.nth.map_or(String::new(), |nth| format!("#{nth}"));
        Some(format!("heap({}){number}{}", origin.place, distance(address, block)))
    }

    /// The same at the end of another run, in words of this one: numbers of another run's blocks would mean others here.
    pub(crate) fn name_in(
        &mut self,
        mut other: Blocks,
        address: Address,
        mut stack: impl FnMut(u64, &[u64]) -> Vec<Frame>,
    ) -> Option<String> {
        let (block, there) = other.find(address, usize::MAX, &mut stack)?;
        let here = self.find(address, usize::MAX, &mut stack);
        if here.is_some_and(|(own, origin)| own.at == block.at && origin.place == there.place) {
            return self.name(address, usize::MAX, stack);
        }
        Some(format!("heap({}){}", there.place, distance(address, block)))
    }

    /// The instruction that allocated what is at an address when an event happens, and its call sites.
    pub(crate) fn allocation(&self, address: Address, event: usize) -> Option<(u64, &[u64])> {
        let block = &self.all[self.index(address, event)?];
        Some((block.pc, &block.sites))
    }

    fn index(&self, address: Address, event: usize) -> Option<usize> {
        let at = address.offset();
        let holds = |block: &Block| {
            block.since.is_none_or(|since| since <= event) && (block.at..block.at + block.size.max(1)).contains(&at)
        };
        let heap = matches!(address.space(), Some(Space::Memory | Space::Object));
        heap.then(|| self.all.iter().rposition(holds))?
    }

    fn find(
        &mut self,
        address: Address,
        event: usize,
        stack: impl FnMut(u64, &[u64]) -> Vec<Frame>,
    ) -> Option<(&Block, &Origin)> {
        let index = self.index(address, event)?;
        let origins = self.origins.get_or_insert_with(|| origins(&self.all, stack));
        Some((&self.all[index], origins[index].as_ref()?))
    }
}

fn distance(address: Address, block: &Block) -> String {
    let distance = address.offset() - block.at;
    if distance == 0 { String::new() } else { format!("+{distance}") }
}

/// Where blocks are from, where the program's own line is known.
fn origins(blocks: &[Block], mut stack: impl FnMut(u64, &[u64]) -> Vec<Frame>) -> Vec<Option<Origin>> {
    let places: Vec<Option<String>> = blocks.iter().map(|block| place(&stack(block.pc, &block.sites))).collect();
    let mut all: HashMap<String, usize> = HashMap::new();
    places.iter().flatten().for_each(|place| *all.entry(place.clone()).or_default() += 1);
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut origin = |place: String| {
        let nth = *seen.entry(place.clone()).and_modify(|nth| *nth += 1).or_insert(1);
        Origin { nth: (all[&place] > 1).then_some(nth), place }
    };
    places.into_iter().map(|place| place.map(&mut origin)).collect()
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
        let mut blocks = Blocks { all, origins: None };
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
        let mut blocks = Blocks { all: vec![block(64, None, 7), block(64, Some(4), 8)], origins: None };
        let mut name = |event| blocks.name(Address::object(64), event, frames).expect("a block is there");
        assert_eq!([name(3), name(4)], ["heap(queue.c:7)", "heap(queue.c:8)"]);
    }

    #[test]
    fn blocks_of_another_run_have_no_numbers_of_their_own() {
        let blocks = |all: Vec<Block>| Blocks { all, origins: None };
        let mut own = blocks(vec![block(64, Some(1), 7), block(128, Some(2), 7), block(192, Some(3), 8)]);
        let other = || blocks(vec![block(128, Some(1), 7), block(64, Some(2), 7), block(192, Some(3), 7)]);
        let mut name = |at| own.name_in(other(), Address::memory(at), frames).expect("a block is there");
        // As here, though it was allocated first there; and one that is from somewhere else.
        assert_eq!([name(128), name(192 + 4)], ["heap(queue.c:7)#2", "heap(queue.c:7)+4"]);
    }
}
