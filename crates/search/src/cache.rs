//! Happens-before caching (CHESS §4.4.2): two prefixes with the same order of their steps lead to the same state, so what
//! comes after the second need not be explored again, if the same thread ran last and as many preemptions are left.

use crate::path::Path;
use gabion_analysis::Order;
use std::collections::HashSet;

/// States that were entered.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Cache(HashSet<u128>);

impl Cache {
    /// Enters the states after each step from `from` on. Gives the first that was entered before, if any.
    pub(crate) fn enter(&mut self, path: &Path, order: &Order, from: usize) -> Option<usize> {
        let mut sum = 0u128;
        for step in 0..path.nodes.len() {
            sum = sum.wrapping_add(event(path, order, step));
            let Some(next) = path.nodes.get(step + 1).filter(|_| step >= from) else { continue };
            let last = u64::from(path.nodes[step].thread) << 32 | u64::from(next.preemptions);
            if !self.0.insert(mix(sum, last)) {
                return Some(step + 1);
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
