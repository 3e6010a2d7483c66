//! Which instructions the races of a space make preemption points.

use crate::site::RaceSite;
use gabion_analysis::{HappensBefore, Race};
use gabion_trace::AccessKind;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap, HashSet};

type Key = (HappensBefore, RaceSite, RaceSite);

/// Pairs of instructions that race, and the orders in which they came.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(from = "Listed", into = "Listed")]
pub(crate) struct Pairs {
    seen: HashMap<Key, Orders>,
    /// The instructions of each as they came, whoever ran them.
    came: HashSet<(HappensBefore, u64, u64)>,
    /// Instructions that are points anyway where whatever is known without a run is one: atomics, frees.
    known: HashSet<u64>,
}

/// The same as text has it.
#[derive(Serialize, Deserialize)]
struct Listed {
    seen: Vec<(HappensBefore, RaceSite, RaceSite, Orders)>,
    known: Vec<u64>,
}

impl From<Listed> for Pairs {
    fn from(listed: Listed) -> Self {
        let mut pairs = Pairs { known: listed.known.into_iter().collect(), ..Pairs::default() };
        for (relation, low, high, orders) in listed.seen {
            let lower = orders.lower_first.then_some((relation, low.pc, high.pc));
            let higher = orders.higher_first.then_some((relation, high.pc, low.pc));
            pairs.came.extend(lower.into_iter().chain(higher));
            pairs.seen.insert((relation, low, high), orders);
        }
        pairs
    }
}

impl From<Pairs> for Listed {
    fn from(pairs: Pairs) -> Self {
        let seen = pairs.seen.into_iter().map(|((relation, low, high), orders)| (relation, low, high, orders));
        Listed { seen: seen.collect(), known: pairs.known.into_iter().collect() }
    }
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Orders {
    lower_first: bool,
    higher_first: bool,
}

impl Pairs {
    /// Takes a race in. Those whose memory was recycled in between say nothing about where to preempt (report 003 §6).
    pub(crate) fn add(&mut self, relation: HappensBefore, race: &Race, [first, second]: &[RaceSite; 2]) {
        if race.recycled {
            return;
        }
        let orders = self.seen.entry(key(relation, first, second)).or_default();
        orders.lower_first |= first <= second;
        orders.higher_first |= first >= second;
        self.came.insert((relation, first.pc, second.pc));
        let sides = [race.first.access, race.second.access];
        let known = sides.iter().filter(|a| a.kind.has(AccessKind::ATOMIC) || a.kind.has(AccessKind::FREE));
        self.known.extend(known.map(|access| access.pc));
    }

    /// Did both come first?
    pub(crate) fn is_both(&self, relation: HappensBefore, [a, b]: &[RaceSite; 2]) -> bool {
        self.seen.get(&key(relation, a, b)).is_some_and(|o| o.lower_first && o.higher_first)
    }

    /// Did both instructions come first, in any threads?
    pub(crate) fn is_both_anywhere(&self, relation: HappensBefore, (a, b): (u64, u64)) -> bool {
        self.came.contains(&(relation, a, b)) && self.came.contains(&(relation, b, a))
    }

    /// The instructions that must be points for the space to hold every interleaving, as far as its runs know: whoever
    /// came first. While a pair has one order only, a point before the first is enough to find the other (thesis §4.2.5),
    /// unless runs end `early`, with threads left behind: the other order may be the one that ends them.
    pub(crate) fn points<'a>(&'a self, relation: HappensBefore, early: bool) -> BTreeSet<RaceSite> {
        let of_relation = self.seen.iter().filter(|((known, ..), _)| *known == relation);
        let first = |((_, low, high), orders): (&'a Key, &Orders)| {
            [(orders.lower_first || early).then_some(low), (orders.higher_first || early).then_some(high)]
        };
        of_relation.flat_map(first).flatten().filter(|site| !self.known.contains(&site.pc)).cloned().collect()
    }
}

/// A pair as the table has it: the lower first.
fn key(relation: HappensBefore, a: &RaceSite, b: &RaceSite) -> Key {
    let (low, high) = if a <= b { (a, b) } else { (b, a) };
    (relation, low.clone(), high.clone())
}
