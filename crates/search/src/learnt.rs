//! What runs show about the program that decides where points are: whose stack others touch, and at which memory threads
//! meet. A run that shows something new belongs to a space that is no longer searched: the space begins again.

use gabion_trace::{Contended, Coverage, Plan, ThreadId, Trace};

/// Ranges of contended memory beyond which all memory is.
const MANY: usize = 4096;
/// Largest unit to which contended memory is rounded, in bits.
const WIDEST: u32 = 12;

/// How often a space had to learn.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Learnt {
    /// Times that threads met at memory which was not known for it.
    met: u32,
}

/// To what contended memory is rounded: each time to more (8 bytes, 64, 512, 4096), so that what is met bit by bit, run after
/// run, does not make the space begin again for every bit.
const fn unit(met: u32) -> u64 {
    let bits = 3 + 3 * met;
    1 << if met > 3 || bits > WIDEST { WIDEST } else { bits }
}

impl Learnt {
    /// Takes what is new in a trace over into the template. True: something was.
    pub(crate) fn take(&mut self, plan: &mut Plan, trace: &Trace, number: impl Fn(ThreadId) -> ThreadId) -> bool {
        let new = Coverage::NEW_SHARED_STACK.with(Coverage::NEW_CONTENDED);
        if trace.coverage.0 & new.0 == 0 {
            return false;
        }
        let stacks = plan.shared_stacks.len();
        for thread in trace.shared_stacks.iter().map(|thread| number(*thread)) {
            if !plan.shared_stacks.contains(&thread) {
                plan.shared_stacks.push(thread);
            }
        }
        let contended = union(&plan.contended, &trace.contended, unit(self.met));
        let met = contended != plan.contended;
        if met {
            self.met += 1;
            plan.contended = contended;
        }
        met || plan.shared_stacks.len() > stacks
    }
}

/// All of both, in order and apart.
pub fn met_at(known: &[Contended], new: &[Contended]) -> Vec<Contended> {
    union(known, new, unit(0))
}

/// All of both, those of the second rounded, in order and apart.
fn union(known: &[Contended], new: &[Contended], unit: u64) -> Vec<Contended> {
    let round = |range: &Contended| Contended {
        from: range.from / unit * unit,
        to: range.to.checked_next_multiple_of(unit).unwrap_or(u64::MAX),
    };
    let mut all: Vec<Contended> = known.iter().copied().chain(new.iter().map(round)).collect();
    all.sort_unstable();
    let mut apart: Vec<Contended> = Vec::with_capacity(all.len());
    for range in all {
        match apart.last_mut() {
            Some(last) if range.from <= last.to => last.to = last.to.max(range.to),
            _ => apart.push(range),
        }
    }
    if apart.len() > MANY { vec![Contended::ALL] } else { apart }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(known: &[(u64, u64)], new: &[(u64, u64)], unit: u64, expected: &[(u64, u64)]) {
        let ranges = |list: &[(u64, u64)]| list.iter().map(|(from, to)| Contended { from: *from, to: *to }).collect();
        let (known, new): (Vec<_>, Vec<_>) = (ranges(known), ranges(new));
        let expected: Vec<Contended> = ranges(expected);
        assert_eq!(union(&known, &new, unit), expected);
    }

    #[test]
    fn contended_memory_is_rounded_and_joined() {
        check(&[], &[(16, 24), (8, 16), (40, 41)], 8, &[(8, 24), (40, 48)]);
        check(&[(8, 16)], &[(70, 71)], 64, &[(8, 16), (64, 128)]);
        check(&[(8, 16), (200, 208)], &[(0, u64::MAX)], 8, &[(0, u64::MAX)]);
    }

    proptest! {
        #[test]
        fn a_union_holds_all_and_is_apart(
            known in prop::collection::vec((0u64..100, 1u64..20), 0..8),
            new in prop::collection::vec((0u64..100, 1u64..20), 0..8),
        ) {
            let ranges = |list: &[(u64, u64)]| -> Vec<Contended> {
                list.iter().map(|(from, length)| Contended { from: *from, to: from + length }).collect()
            };
            let (known, new) = (union(&[], &ranges(&known), 1), ranges(&new));
            let all = union(&known, &new, 8);
            let holds = |range: &Contended| all.iter().any(|r| r.from <= range.from && range.to <= r.to);
            prop_assert!(known.iter().chain(&new).all(holds));
            prop_assert!(all.windows(2).all(|pair| pair[0].to < pair[1].from));
        }
    }
}
