//! What is still to be taken, deepest first.
//!
//! Taking the deepest open choice is exactly depth-first order when one plan is out at a time. With a batch of plans it
//! also keeps the frontier small, which a plain stack would not: a choice at depth `d` opens deeper ones only when
//! fewer than a batch of deeper ones are open, so at most `batch × branching` are open at each depth.

use crate::tree::NodeId;
use gabion_trace::Choice;

/// A choice not taken yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Open {
    /// The prefix before it. Invariant: the frontier has a hold on it, which passes to whoever pops.
    pub(crate) parent: NodeId,
    /// The choice.
    pub(crate) choice: Choice,
    /// Its depth: number of choices before it.
    pub(crate) depth: usize,
}

/// Open choices by depth.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frontier {
    by_depth: Vec<Vec<(NodeId, Choice)>>,
    /// Invariant: no bucket at this index or above holds anything.
    bound: usize,
    len: usize,
}

impl Frontier {
    /// Adds one; of those at one depth, the last added comes out first.
    pub(crate) fn push(&mut self, open: Open) {
        if self.by_depth.len() <= open.depth {
            self.by_depth.resize_with(open.depth + 1, Vec::new);
        }
        self.by_depth[open.depth].push((open.parent, open.choice));
        self.bound = self.bound.max(open.depth + 1);
        self.len += 1;
    }

    /// Takes one of the deepest.
    pub(crate) fn pop(&mut self) -> Option<Open> {
        while self.bound > 0 {
            let depth = self.bound - 1;
            if let Some((parent, choice)) = self.by_depth[depth].pop() {
                self.len -= 1;
                return Some(Open { parent, choice, depth });
            }
            self.bound = depth;
        }
        assert_eq!(self.len, 0, "internal error: the frontier lost a choice");
        None
    }

    /// Number of open choices.
    pub(crate) fn len(&self) -> usize {
        self.len
    }
}
