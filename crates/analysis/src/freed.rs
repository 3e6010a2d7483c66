//! Blocks that a run gives back. Nobody touches most of them again, so each is kept as one, not in every granule.

use gabion_trace::Access;
use std::collections::BTreeMap;

/// Something for each block. They do not overlap.
#[derive(Clone, Debug)]
pub(crate) struct Freed<T> {
    /// By where they begin: where they end, and what is known.
    blocks: BTreeMap<u64, (u64, T)>,
    /// In the order in which they came.
    order: Vec<u64>,
}

impl<T> Default for Freed<T> {
    fn default() -> Self {
        Freed { blocks: BTreeMap::new(), order: Vec::new() }
    }
}

impl<T> Freed<T> {
    /// How many there are; for `take_back`.
    pub(crate) fn mark(&self) -> usize {
        self.order.len()
    }

    /// Forgets those that came after the mark.
    pub(crate) fn take_back(&mut self, mark: usize) {
        for start in self.order.drain(mark..) {
            self.blocks.remove(&start);
        }
    }

    /// Those that an access overlaps, the highest first.
    pub(crate) fn at(&self, access: &Access) -> impl Iterator<Item = &T> {
        let (start, end) = bytes(access);
        let below = self.blocks.range(..end).rev();
        below.take_while(move |(_, (stop, _))| *stop > start && end > start).map(|(_, (_, known))| known)
    }

    /// One more. False: it has no bytes, or overlaps another, which had been allocated again.
    pub(crate) fn add(&mut self, access: &Access, known: T) -> bool {
        let is_new = access.size > 0 && self.at(access).next().is_none();
        if is_new {
            let (start, end) = bytes(access);
            self.blocks.insert(start, (end, known));
            self.order.push(start);
        }
        is_new
    }
}

fn bytes(access: &Access) -> (u64, u64) {
    let start = access.address.0;
    (start, start.saturating_add(access.size.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::{AccessKind, Address};

    fn block(at: u64, size: u32) -> Access {
        Access { address: Address::memory(at), size, kind: AccessKind::FREE, pc: 0 }
    }

    #[test]
    fn blocks_are_found_by_every_byte_and_forgotten_in_the_order_in_which_they_came() {
        let mut freed = Freed::default();
        assert!(freed.add(&block(100, 20), 'a') && freed.add(&block(60, 40), 'b') && freed.add(&block(120, 1), 'c'));
        assert!(!freed.add(&block(90, 11), 'd') && !freed.add(&block(60, 1), 'd') && !freed.add(&block(0, 500), 'd'));
        let at = |freed: &Freed<char>, at, size| freed.at(&block(at, size)).collect::<String>();
        let found = [(59, 1), (60, 1), (99, 1), (99, 2), (119, 8), (0, 500), (121, 9)].map(|(a, s)| at(&freed, a, s));
        assert_eq!(found, ["", "b", "b", "ab", "ca", "cab", ""]);
        assert!(!freed.add(&block(300, 0), 'd') && at(&freed, 70, 0).is_empty());
        freed.take_back(1);
        assert_eq!((freed.mark(), at(&freed, 0, 500)), (1, "a".to_string()));
        assert!(freed.add(&block(60, 40), 'e'));
    }
}
