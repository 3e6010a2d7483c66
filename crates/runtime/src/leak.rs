//! Blocks that nothing points to when the process ends.
//!
//! A conservative scan: every aligned word of the program's writable mappings, of the stacks of threads that have not ended,
//! and of blocks that were reached counts as a pointer if it points into a block or just past it. So a block can be missed
//! because a number looks like its address; pointers that are kept in another form are not seen. What the C library
//! allocated for itself is not looked at.

use crate::block;
use crate::maps;
use crate::places::{self, HEAP, STACKS_END};
use crate::state::g;
use crate::{aside, blame, heap, libc};

/// A live block.
#[derive(Clone, Copy)]
struct Block {
    start: u64,
    size: u64,
    reached: bool,
}

/// Blocks by address, and those that are reached and not looked into yet.
struct Scan<'a> {
    blocks: &'a mut [Block],
    todo: &'a mut [u32],
    waiting: usize,
}

impl Scan<'_> {
    /// Looks at every word between two addresses.
    fn look(&mut self, from: u64, to: u64) {
        for at in (from.next_multiple_of(8)..to.saturating_sub(7)).step_by(8) {
            // SAFETY: the caller gives memory that is mapped.
            let word = unsafe { (at as *const u64).read_volatile() };
            if heap::contains(word) {
                self.reach(word);
            }
        }
    }

    fn reach(&mut self, pointer: u64) {
        let Some(i) = self.blocks.partition_point(|b| b.start <= pointer).checked_sub(1) else { return };
        let block = &mut self.blocks[i];
        if !block.reached && pointer <= block.start + block.size {
            block.reached = true;
            self.todo[self.waiting] = i as u32;
            self.waiting += 1;
        }
    }

    fn run(&mut self) {
        let here = 0u64;
        let own = crate::reset::own_image();
        maps::each(|mapping| {
            let ours = (HEAP..STACKS_END).contains(&mapping.from);
            if mapping.writable() && !ours {
                let inside = (own.0..own.1).contains(&mapping.from);
                self.look(if inside { own.1 } else { mapping.from }, mapping.to);
            }
        });
        let g = g();
        for t in g.live.iter() {
            let top = if t == g.current { &raw const here as u64 } else { g.fibers[t].sp };
            for (from, to) in crate::apart::frames(t, top) {
                if from == to || (places::slot(t)..places::slot_end(t)).contains(&from) {
                    self.look(from, to);
                }
            }
        }
        while let Some(next) = self.waiting.checked_sub(1) {
            self.waiting = next;
            let Block { start, size, .. } = self.blocks[self.todo[next] as usize];
            self.look(start, start + size);
        }
    }
}

fn live() -> impl Iterator<Item = Block> {
    (0..g().threads).flat_map(|t| block::each(t).filter(|(_, header)| header.is_live())).map(|(start, header)| Block {
        start,
        size: header.size,
        reached: libc::from_libc(header.allocated.pc),
    })
}

/// The process ends. Does not come back if there is a leak.
pub fn check() {
    let count = live().count();
    if count == 0 {
        return;
    }
    let bytes = count * (size_of::<Block>() + size_of::<u32>());
    let mut found = None;
    aside::with_scratch(bytes as u64, |at| {
        // SAFETY: memory of ours with room for both lists.
        let (blocks, todo) = unsafe {
            let blocks = at as *mut Block;
            live().enumerate().for_each(|(i, block)| blocks.add(i).write(block));
            let todo = blocks.add(count) as *mut u32;
            (core::slice::from_raw_parts_mut(blocks, count), core::slice::from_raw_parts_mut(todo, count))
        };
        blocks.sort_unstable_by_key(|b| b.start);
        let mut scan = Scan { blocks, todo, waiting: 0 };
        // What the C library holds for itself leads on to what it was given.
        for i in 0..count {
            if scan.blocks[i].reached {
                scan.blocks[i].reached = false;
                scan.reach(scan.blocks[i].start);
            }
        }
        scan.run();
        let mut lost = scan.blocks.iter().filter(|b| !b.reached);
        if let Some(first) = lost.next() {
            let (more, size) = lost.fold((1, first.size), |(n, size), b| (n + 1, size + b.size));
            found = Some((first.start, more, size));
        }
    });
    if let Some((start, blocks, bytes)) = found
        && let Some(header) = block::at(start)
    {
        blame::leaked(start, header, blocks, bytes);
    }
}
