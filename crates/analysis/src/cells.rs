//! Who touched which bytes, and in which order.
//!
//! Memory is cut into granules of eight bytes, each with the list of its accesses. A run that shares a prefix with the
//! one before takes back what came after it: nothing is ever removed but the latest. A few large accesses (a block of
//! megabytes is freed) are kept as they are; they hide nothing and are not hidden, which the clocks of whoever meets them
//! make good.

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

/// Bytes from which on an access is large.
const LARGE: u32 = 4096;
/// Large accesses that are kept as they are; each is looked at for every access.
const FEW: usize = 32;
/// A large access in the log.
const IS_LARGE: u32 = u32::MAX;

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
    touches: Vec<Vec<Touch>>,
    /// Which granule each access was to, in order.
    log: Vec<u32>,
    large: Vec<(u32, Access)>,
}

impl Cells {
    /// How much there is; for `take_back`.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets what was added after the mark.
    pub(crate) fn take_back(&mut self, mark: usize) {
        for number in self.log.drain(mark..) {
            match number {
                IS_LARGE => _ = self.large.pop(),
                number => _ = self.touches[number as usize].pop(),
            }
        }
    }

    /// Calls `each` with every step whose access conflicts with this one. `all`: otherwise only those met directly, with
    /// no write to the same bytes in between.
    pub(crate) fn conflicts(&self, access: &Access, all: bool, mut each: impl FnMut(u32)) {
        self.large.iter().filter(|(_, large)| large.conflicts(access)).for_each(|(step, _)| each(*step));
        let writes = access.kind.writes();
        let mut meet = |number: u32, mut mask: u8| {
            for touch in self.touches[number as usize].iter().rev() {
                if touch.mask & mask != 0 && (writes || touch.writes) {
                    each(touch.step);
                    if touch.writes && !all {
                        mask &= !touch.mask;
                        if mask == 0 {
                            break;
                        }
                    }
                }
            }
        };
        if access.size as usize / 8 > self.numbers.len() {
            self.numbers.iter().for_each(|(granule, number)| meet(*number, mask(access, *granule)));
            return;
        }
        for (granule, mask) in granules(access) {
            if let Some(number) = self.numbers.get(&granule) {
                meet(*number, mask);
            }
        }
    }

    /// Adds an access of a step.
    pub(crate) fn add(&mut self, step: u32, access: &Access) {
        if access.size >= LARGE && self.large.len() < FEW {
            self.large.push((step, *access));
            self.log.push(IS_LARGE);
            return;
        }
        let writes = access.kind.writes();
        for (granule, mask) in granules(access) {
            let next = self.touches.len() as u32;
            let number = *self.numbers.entry(granule).or_insert(next);
            if number == next {
                self.touches.push(Vec::new());
            }
            self.touches[number as usize].push(Touch { step, mask, writes });
            self.log.push(number);
        }
    }
}

/// The granules of an access, each with a bit for every byte touched.
pub(crate) fn granules(access: &Access) -> impl Iterator<Item = (u64, u8)> {
    let (from, to) = (access.address.0, access.address.0.saturating_add(u64::from(access.size)));
    let last = if access.size == 0 { 0 } else { (to + 7) >> 3 };
    let access = *access;
    (from >> 3..last.max(from >> 3)).map(move |granule| (granule, mask(&access, granule)))
}

/// A bit for every byte of the granule that the access touches.
fn mask(access: &Access, granule: u64) -> u8 {
    let (from, to) = (access.address.0, access.address.0.saturating_add(u64::from(access.size)));
    let low = from.clamp(granule << 3, (granule + 1) << 3) - (granule << 3);
    let high = to.clamp(granule << 3, (granule + 1) << 3) - (granule << 3);
    (0xffu16 << low & 0xffu16 >> (8 - high)) as u8
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
        cells.conflicts(access, false, |step| met.push(step));
        met.sort_unstable();
        met.dedup();
        met
    }

    #[test]
    fn a_write_hides_what_it_covers_and_nothing_else() {
        let mut cells = Cells::default();
        cells.add(0, &access(0, 8, AccessKind::WRITE));
        cells.add(1, &access(4, 4, AccessKind::READ));
        cells.add(2, &access(4, 8, AccessKind::WRITE));
        assert_eq!(met(&cells, &access(0, 16, AccessKind::READ)), [0, 2]);
        assert_eq!(met(&cells, &access(6, 1, AccessKind::READ)), [2]);
        assert!(met(&cells, &access(12, 4, AccessKind::WRITE)).is_empty());
        cells.take_back(0);
        assert!(met(&cells, &access(0, 64, AccessKind::WRITE)).is_empty());
    }

    #[test]
    fn large_accesses_meet_all_that_they_touch() {
        let mut cells = Cells::default();
        cells.add(0, &access(8, 8, AccessKind::WRITE));
        cells.add(1, &access(0, LARGE, AccessKind::WRITE));
        cells.add(2, &access(100, 4, AccessKind::READ));
        let mark = cells.mark();
        cells.add(3, &access(u64::from(LARGE), 4, AccessKind::WRITE));
        cells.add(4, &access(64, LARGE, AccessKind::READ));
        let large = access(4, LARGE - 4, AccessKind::READ);
        assert_eq!(met(&cells, &large), [0, 1]);
        assert_eq!(met(&cells, &Access { kind: AccessKind::WRITE, ..large }), [0, 1, 2, 4]);
        cells.take_back(mark);
        assert_eq!(met(&cells, &access(200, 1, AccessKind::WRITE)), [1]);
        cells.take_back(0);
        assert!(met(&cells, &access(0, LARGE, AccessKind::WRITE)).is_empty());
    }

    #[test]
    fn granules_agree_with_the_definition_of_conflict() {
        for (a, n) in (0..20).flat_map(|a| (0..12).map(move |n| (a, n))) {
            for (b, m) in (0..20).flat_map(|b| (0..12).map(move |m| (b, m))) {
                let (first, second) = (access(a, n, AccessKind::WRITE), access(b, m, AccessKind::READ));
                let mut cells = Cells::default();
                cells.add(7, &first);
                assert_eq!(!met(&cells, &second).is_empty(), first.conflicts(&second), "{a}+{n} {b}+{m}");
            }
        }
    }
}
