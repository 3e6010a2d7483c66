//! How large a state space will turn out to be, guessed when somebody asks (thesis §3.4.3).
//!
//! *Weighted backtrack*: each run stands for a share of all runs, the product of one over the number of branches known
//! at each state on its way; runs made, divided by the sum of their shares, is the estimate. *Recursive*: a branch not
//! yet explored costs what its explored siblings cost on average. Both are O(depth), because the branches
//! that were left for good have the share 1 of their subtree.

use crate::path::Node;

/// What a step costs in the recursive estimate.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Cost {
    /// A run costs this, whatever it shares with others: prefixes are run again.
    Run(f64),
    /// Each step costs this, once: prefixes are shared, as where states are restored from checkpoints.
    Step(f64),
}

/// The share of all runs that was made.
pub(crate) fn share(nodes: &[Node]) -> f64 {
    nodes.iter().rev().fold(1.0, |below, node| {
        let below = if node.left { 0.0 } else { below };
        (f64::from(node.finished) + below) / node.marked() as f64
    })
}

/// The cost of all runs; `nodes` from the state before the branch in question, the last one's step being the last.
pub(crate) fn cost(nodes: &[Node], cost: Cost) -> f64 {
    let (leaf, step) = match cost {
        Cost::Run(run) => (run, 0.0),
        Cost::Step(step) => (0.0, step),
    };
    nodes.iter().rev().fold(leaf, |below, node| {
        let below = if node.left { 0.0 } else { below + step };
        node.marked() as f64 / f64::from(node.explored()) * (node.finished_cost + below)
    })
}
