//! What statements do to the heap.

use super::{Stepper, World};
use crate::program::{self, Statement};
use crate::state::Block;
use gabion_trace::{AccessKind, Address, Ending, Event, OpKind, Pseudo, ThreadId};

impl<W: World> Stepper<'_, W> {
    /// The block that was freed last, if memory is recycled and there is one, as it is; otherwise a new one.
    pub(super) fn allocate(&mut self, me: usize, register: usize) {
        let address = self.state.recycled.as_mut().and_then(Vec::pop).unwrap_or_else(|| {
            let t = &mut self.state.threads[me];
            t.allocations += 1;
            program::block(t.name, t.allocations - 1)
        });
        self.state.threads[me].registers[register] = address as i64;
        match self.state.blocks.iter_mut().find(|b| b.address == address) {
            Some(block) => block.freed = false,
            None => self.state.blocks.push(Block { address, content: 0, freed: false }),
        }
        let pc = self.state.pc(me);
        self.world.event(Event::Alloc { address, size: 8, pc, thread: ThreadId(me as u16) });
    }

    /// Where memory is recycled, all of the heap can be touched, as that of a process.
    fn find(&mut self, address: u64) -> Option<usize> {
        let blocks = &mut self.state.blocks;
        let found = blocks.iter().position(|b| b.address == address);
        if found.is_none() && address >= program::HEAP && self.state.recycled.is_some() {
            blocks.push(Block { address, content: 0, freed: true });
            return Some(blocks.len() - 1);
        }
        found
    }

    pub(super) fn block(&mut self, me: usize, statement: Statement) {
        use Statement::*;
        let (ReadAt(pointer, _) | WriteAt(pointer, _) | Free(pointer)) = statement else {
            unreachable!("internal error: no access to a block")
        };
        let address = self.state.threads[me].registers[pointer] as u64;
        let Some(found) = self.find(address) else {
            let ending = if matches!(statement, Free(_)) { Ending::BadFree } else { Ending::Segfault };
            return self.fail(ending, me, address, "the register points to no block");
        };
        let old = self.state.blocks[found].content;
        let kind = match statement {
            ReadAt(_, into) => {
                self.state.threads[me].registers[into] = old;
                AccessKind::READ
            }
            WriteAt(_, value) => {
                self.state.blocks[found].content = self.state.threads[me].value(value);
                AccessKind::WRITE
            }
            _ => AccessKind::WRITE.with(AccessKind::FREE),
        };
        self.access(Address::memory(address), 8, kind, Some(old));
        if matches!(statement, Free(_)) {
            if let Some(recycled) = &mut self.state.recycled {
                recycled.push(address);
                self.op(OpKind::Hidden, Address::pseudo(Pseudo::Heap), 0);
            }
            if std::mem::replace(&mut self.state.blocks[found].freed, true) {
                self.fail(Ending::DoubleFree, me, address, "a block is freed that was freed before");
            }
        }
    }
}
