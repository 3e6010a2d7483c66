//! Happens-before caching (CHESS §4.4.2): two prefixes with the same order of their steps lead to the same state, so what
//! comes after the second need not be explored again, if the same thread ran last and no more preemptions and switches are
//! left. (How many threads have run is the same then.)

use crate::Options;
use crate::path::Path;
use gabion_analysis::Order;
use std::collections::HashSet;
use std::ops::Range;

/// States that were entered.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cache(HashSet<u128>);

impl Cache {
    /// Enters the states of a range, but for the first. Gives the first that was entered before, if any.
    pub(crate) fn enter(
        &mut self,
        options: &Options,
        path: &Path,
        order: &Order,
        range: Range<usize>,
    ) -> Option<usize> {
        let mut sum = 0u128;
        for state in 1..range.end {
            sum = sum.wrapping_add(event(path, order, state - 1));
            if state > range.start {
                let (last, at) = (&path.nodes[state - 1], &path.nodes[state]);
                let switches = options.below.map_or(0, |_| at.extent.switches);
                let spent = u64::from(last.thread) << 32 | u64::from(at.preemptions);
                if !self.0.insert(mix(sum, spent).wrapping_add(mix(0, u64::from(switches)))) {
                    return Some(state);
                }
            }
        }
        None
    }
}

/// A step with all that happens before it. The sum over a prefix does not depend on the order of independent steps.
fn event(path: &Path, order: &Order, step: usize) -> u128 {
    let item = order.steps().item(step);
    let mut hash = mix(u128::from(item.thread) << 64 | u128::from(item.ordinal), 1);
    for decision in &path.nodes[step].data {
        hash = mix(hash, u64::from(decision.choice.value) + 2);
    }
    // A clock is as long as there were threads when it was read.
    for (thread, count) in order.clock(step).iter().enumerate().filter(|(_, count)| **count != 0) {
        hash = mix(hash, (thread as u64) << 32 | u64::from(*count));
    }
    hash
}

fn mix(hash: u128, word: u64) -> u128 {
    const K: u128 = 0xda94_2042_e4dd_58b5_9e37_79b9_7f4a_7c15;
    let h = (hash ^ u128::from(word)).wrapping_mul(K);
    h ^ h >> 67
}
