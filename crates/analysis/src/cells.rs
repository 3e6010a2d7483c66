//! Who touched which bytes, and in which order.
//!
//! Memory is cut into granules of eight bytes, each with the list of its accesses. A run that shares a prefix with the
//! one before takes back what came after it: nothing is ever removed but the latest. Blocks that are freed, and a few large accesses,
//! are kept as they are; they hide nothing and are not hidden, which the clocks of whoever meets them make good.

use crate::freed::Freed;
use gabion_trace::{Access, AccessKind};
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
/// Granules whose numbers are at hand.
const NEAR: usize = 128;
/// A large access in the log.
const IS_LARGE: u32 = u32::MAX;
/// A freed block in the log.
const IS_FREED: u32 = u32::MAX - 1;

#[derive(Clone, Copy, Debug)]
struct Touch {
    step: u32,
    mask: u8,
    writes: bool,
    /// Index of the last write before this touch, plus one; 0 if there is none. A read conflicts with writes only, so it follows these
    /// links: a thread that spins makes very many reads between two writes.
    written: u32,
}

/// The granules touched so far in a run.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    numbers: ByAddress<u32>,
    /// Some of them, each granule at one place. Invariant: what is here is also there, for good; [`Cells::number`] sees to it.
    near: Box<[(u64, u32); NEAR]>,
    touches: Vec<Vec<Touch>>,
    /// Which granule each access was to, in order.
    log: Vec<u32>,
    large: Vec<(u32, Access)>,
    freed: Freed<u32>,
}

impl Default for Cells {
    fn default() -> Self {
        let near = Box::new([(u64::MAX, 0); NEAR]); // of no granule
        Cells {
            numbers: ByAddress::default(),
            near,
            touches: Vec::new(),
            log: Vec::new(),
            large: Vec::new(),
            freed: Freed::default(),
        }
    }
}

impl Cells {
    /// A granule's number.
    #[inline]
    fn number(&mut self, granule: u64) -> Option<u32> {
        let near = &mut self.near[granule as usize % NEAR];
        if near.0 != granule {
            *near = (granule, *self.numbers.get(&granule)?);
        }
        Some(near.1)
    }

    /// The same, with a number for a granule that has none.
    #[inline]
    fn numbered(&mut self, granule: u64) -> u32 {
        self.number(granule).unwrap_or_else(|| {
            let next = self.touches.len() as u32;
            self.numbers.insert(granule, next);
            self.touches.push(Vec::new());
            next
        })
    }

    /// How much there is; for `take_back`.
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets what was added after the mark.
    pub(crate) fn take_back(&mut self, mark: usize) {
        for number in self.log.drain(mark..) {
            match number {
                IS_LARGE => _ = self.large.pop(),
                IS_FREED => self.freed.take_back(self.freed.mark() - 1),
                number => _ = self.touches[number as usize].pop(),
            }
        }
    }

    /// Calls `each` with every step whose access conflicts with this one. `all`: otherwise only those met directly, with
    /// no write to the same bytes in between.
    pub(crate) fn conflicts(&mut self, access: &Access, all: bool, mut each: impl FnMut(u32)) {
        self.large.iter().filter(|(_, large)| large.conflicts(access)).for_each(|(step, _)| each(*step));
        self.freed.at(access).for_each(|step| each(*step)); // whatever touches a block conflicts with its end
        let writes = access.kind.writes();
        if let Some((granule, mask)) = single(access) {
            if let Some(number) = self.number(granule) {
                meet(&self.touches[number as usize], mask, writes, all, &mut each);
            }
        } else if access.size as usize / 8 > self.numbers.len() {
            for (granule, number) in &self.numbers {
                meet(&self.touches[*number as usize], mask(access, *granule), writes, all, &mut each);
            }
        } else {
            for (granule, mask) in granules(access) {
                if let Some(number) = self.number(granule) {
                    meet(&self.touches[number as usize], mask, writes, all, &mut each);
                }
            }
        }
    }

    /// Adds an access of a step.
    pub(crate) fn add(&mut self, step: u32, access: &Access) {
        if access.kind.has(AccessKind::FREE) && self.freed.add(access, step) {
            self.log.push(IS_FREED);
            return;
        }
        if access.size >= LARGE && self.large.len() < FEW {
            self.large.push((step, *access));
            self.log.push(IS_LARGE);
            return;
        }
        match single(access) {
            Some((granule, mask)) => self.touch(granule, step, mask, access.kind.writes()),
            None => granules(access).for_each(|(granule, mask)| self.touch(granule, step, mask, access.kind.writes())),
        }
    }

    #[inline]
    fn touch(&mut self, granule: u64, step: u32, mask: u8, writes: bool) {
        let number = self.numbered(granule);
        let touches = &mut self.touches[number as usize];
        let written = last_written(touches);
        touches.push(Touch { step, mask, writes, written });
        self.log.push(number);
    }
}

/// Index of the last write in a granule's list, plus one; 0 if there is none.
#[inline]
fn last_written(touches: &[Touch]) -> u32 {
    match touches.last() {
        Some(last) if last.writes => touches.len() as u32,
        Some(last) => last.written,
        None => 0,
    }
}

/// Calls `each` with the steps of the touches that conflict with an access of these bytes, latest first.
#[inline]
fn meet(touches: &[Touch], mut mask: u8, writes: bool, all: bool, each: &mut impl FnMut(u32)) {
    // One more than the index of the next touch to look at.
    let mut at = if writes { touches.len() } else { last_written(touches) as usize };
    while let Some(index) = at.checked_sub(1) {
        let touch = &touches[index];
        if touch.mask & mask != 0 {
            each(touch.step);
            if touch.writes && !all {
                mask &= !touch.mask;
                if mask == 0 {
                    break;
                }
            }
        }
        at = if writes { index } else { touch.written as usize };
    }
}

/// The granule of an access that touches only one.
#[inline]
fn single(access: &Access) -> Option<(u64, u8)> {
    let low = access.address.0 & 7;
    let within = access.size != 0 && low + u64::from(access.size) <= 8;
    within.then(|| (access.address.0 >> 3, (((1u16 << access.size) - 1) << low) as u8))
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

    fn met(cells: &mut Cells, access: &Access) -> Vec<u32> {
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
        assert_eq!(met(&mut cells, &access(0, 16, AccessKind::READ)), [0, 2]);
        assert_eq!(met(&mut cells, &access(6, 1, AccessKind::READ)), [2]);
        assert!(met(&mut cells, &access(12, 4, AccessKind::WRITE)).is_empty());
        cells.take_back(0);
        assert!(met(&mut cells, &access(0, 64, AccessKind::WRITE)).is_empty());
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
        assert_eq!(met(&mut cells, &large), [0, 1]);
        assert_eq!(met(&mut cells, &Access { kind: AccessKind::WRITE, ..large }), [0, 1, 2, 4]);
        cells.take_back(mark);
        assert_eq!(met(&mut cells, &access(200, 1, AccessKind::WRITE)), [1]);
        cells.take_back(0);
        assert!(met(&mut cells, &access(0, LARGE, AccessKind::WRITE)).is_empty());
    }

    #[test]
    fn granules_agree_with_the_definition_of_conflict() {
        for (a, n) in (0..20).flat_map(|a| (0..12).map(move |n| (a, n))) {
            for (b, m) in (0..20).flat_map(|b| (0..12).map(move |m| (b, m))) {
                let (first, second) = (access(a, n, AccessKind::WRITE), access(b, m, AccessKind::READ));
                let mut cells = Cells::default();
                cells.add(7, &first);
                assert_eq!(!met(&mut cells, &second).is_empty(), first.conflicts(&second), "{a}+{n} {b}+{m}");
            }
        }
    }
}
