//! Who touched which bytes last.
//!
//! Memory is cut into granules of eight bytes; a granule remembers the accesses that a later one can still meet
//! directly: a write hides what it covers. In full mode nothing is hidden.

use gabion_trace::Access;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Addresses spread well under one multiplication.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }
    fn write_u64(&mut self, n: u64) {
        let h = (self.0 ^ n).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = h ^ h >> 32;
    }
}

pub(crate) type ByAddress<T> = HashMap<u64, T, BuildHasherDefault<AddressHasher>>;

#[derive(Clone, Copy, Debug)]
struct Touch {
    step: u32,
    mask: u8,
    writes: bool,
}

/// The granules touched so far in a run.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    numbers: ByAddress<u32>,
    /// The first `numbers.len()` are in use; the others wait with their memory.
    touches: Vec<Vec<Touch>>,
}

impl Cells {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        for touches in &mut self.touches[..self.numbers.len()] {
            touches.clear();
        }
        self.numbers.clear();
    }

    /// Calls `each` with every step whose access conflicts directly with this one.
    pub(crate) fn conflicts(&self, access: &Access, mut each: impl FnMut(u32)) {
        let writes = access.kind.writes();
        for (granule, mask) in granules(access) {
            let Some(number) = self.numbers.get(&granule) else { continue };
            let met = self.touches[*number as usize].iter();
            met.filter(|t| t.mask & mask != 0 && (writes || t.writes)).for_each(|t| each(t.step));
        }
    }

    /// Adds an access of a step. `full`: hides nothing.
    pub(crate) fn add(&mut self, step: u32, access: &Access, full: bool) {
        let writes = access.kind.writes();
        for (granule, mask) in granules(access) {
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(granule).or_insert(next) as usize;
            if number == self.touches.len() {
                self.touches.push(Vec::new());
            }
            let touches = &mut self.touches[number];
            if writes && !full {
                touches.retain_mut(|t| {
                    t.mask &= !mask;
                    t.mask != 0
                });
            }
            let new = Touch { step, mask, writes };
            match touches.last_mut() {
                Some(last) if last.step == step && last.writes == writes => last.mask |= mask,
                _ => touches.push(new),
            }
        }
    }
}

/// The granules of an access, each with a bit for every byte touched.
fn granules(access: &Access) -> impl Iterator<Item = (u64, u8)> {
    let (from, to) = (access.address.0, access.address.0.saturating_add(u64::from(access.size)));
    let last = if access.size == 0 { 0 } else { (to + 7) >> 3 };
    (from >> 3..last.max(from >> 3)).map(move |granule| {
        let low = from.max(granule << 3) - (granule << 3);
        let high = to.min((granule + 1) << 3) - (granule << 3);
        (granule, (0xffu16 << low & 0xffu16 >> (8 - high)) as u8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::{AccessKind, Address};

    fn access(at: u64, size: u32, kind: AccessKind) -> Access {
        Access { address: Address::memory(at), size, kind, pc: 0 }
    }

    fn met(cells: &Cells, access: &Access) -> Vec<u32> {
        let mut met = Vec::new();
        cells.conflicts(access, |step| met.push(step));
        met.sort_unstable();
        met.dedup();
        met
    }

    #[test]
    fn a_write_hides_what_it_covers_and_nothing_else() {
        let mut cells = Cells::default();
        cells.add(0, &access(0, 8, AccessKind::WRITE), false);
        cells.add(1, &access(4, 4, AccessKind::READ), false);
        cells.add(2, &access(4, 8, AccessKind::WRITE), false);
        assert_eq!(met(&cells, &access(0, 16, AccessKind::READ)), [0, 2]);
        assert_eq!(met(&cells, &access(6, 1, AccessKind::READ)), [2]);
        assert!(met(&cells, &access(12, 4, AccessKind::WRITE)).is_empty());
        cells.clear();
        assert!(met(&cells, &access(0, 64, AccessKind::WRITE)).is_empty());
    }

    #[test]
    fn granules_agree_with_the_definition_of_conflict() {
        for (a, n) in (0..20).flat_map(|a| (0..12).map(move |n| (a, n))) {
            for (b, m) in (0..20).flat_map(|b| (0..12).map(move |m| (b, m))) {
                let (first, second) = (access(a, n, AccessKind::WRITE), access(b, m, AccessKind::READ));
                let mut cells = Cells::default();
                cells.add(7, &first, false);
                assert_eq!(!met(&cells, &second).is_empty(), first.conflicts(&second), "{a}+{n} {b}+{m}");
            }
        }
    }
}
