//! Prefixes of choices, shared.
//!
//! The runs of a depth-first search agree on long prefixes, so a prefix is a path to the root of a tree whose nodes
//! live in one slab: a run costs no allocation, and memory follows what is still open, not what was explored.

use gabion_trace::Choice;

/// A node of the tree; [`NodeId::ROOT`] stands for the empty prefix and is never freed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(u32);

impl NodeId {
    /// The empty prefix.
    pub(crate) const ROOT: NodeId = NodeId(u32::MAX);
}

#[derive(Clone, Debug)]
enum Node {
    Used {
        parent: NodeId,
        choice: Choice,
        /// Invariant: the number of children plus the holds that [`Tree::hold`] gave out; the node is freed at 0.
        holders: u32,
    },
    Free {
        next: Option<u32>,
    },
}

/// The slab.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    free: Option<u32>,
    used: usize,
}

impl Tree {
    /// A child of `parent`, with one hold on it.
    pub(crate) fn push(&mut self, parent: NodeId, choice: Choice) -> NodeId {
        self.hold(parent);
        self.used += 1;
        let node = Node::Used { parent, choice, holders: 1 };
        match self.free {
            Some(index) => {
                let old = std::mem::replace(&mut self.nodes[index as usize], node);
                let Node::Free { next } = old else { panic!("internal error: the free list holds a used node") };
                self.free = next;
                NodeId(index)
            }
            None => {
                let index = u32::try_from(self.nodes.len()).expect("internal error: 2^32 open choices");
                self.nodes.push(node);
                NodeId(index)
            }
        }
    }

    /// One more hold on a node.
    pub(crate) fn hold(&mut self, id: NodeId) {
        if id != NodeId::ROOT {
            *self.parts(id).2 += 1;
        }
    }

    /// Gives a hold back, and with the last one the node and its hold on its parent.
    pub(crate) fn release(&mut self, mut id: NodeId) {
        while id != NodeId::ROOT {
            let (parent, _, holders) = self.parts(id);
            let parent = *parent;
            *holders -= 1;
            if *holders > 0 {
                return;
            }
            self.nodes[id.0 as usize] = Node::Free { next: self.free };
            self.free = Some(id.0);
            self.used -= 1;
            id = parent;
        }
    }

    /// Replaces what is known of a choice: what the chosen thread was about to do shows only when it was taken.
    pub(crate) fn refine(&mut self, id: NodeId, choice: Choice) {
        *self.parts(id).1 = choice;
    }

    /// The choices from the node up to the root: last first.
    pub(crate) fn ancestors(&self, mut id: NodeId) -> impl Iterator<Item = &Choice> {
        std::iter::from_fn(move || {
            if id == NodeId::ROOT {
                return None;
            }
            let Node::Used { parent, choice, .. } = &self.nodes[id.0 as usize] else {
                panic!("internal error: a path leads through a freed node")
            };
            id = *parent;
            Some(choice)
        })
    }

    /// The choices from the root down to the node, `depth` of them.
    pub(crate) fn path(&self, id: NodeId, depth: usize) -> Vec<Choice> {
        let mut path = Vec::with_capacity(depth);
        path.extend(self.ancestors(id));
        assert_eq!(path.len(), depth, "internal error: the tree lost count of its depth");
        path.reverse();
        path
    }

    /// Nodes in use.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    fn parts(&mut self, id: NodeId) -> (&mut NodeId, &mut Choice, &mut u32) {
        match &mut self.nodes[id.0 as usize] {
            Node::Used { parent, choice, holders } => (parent, choice, holders),
            Node::Free { .. } => panic!("internal error: a freed node of the search tree is in use"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gabion_trace::{ChoiceKind, OpKind, ThreadId};

    fn choice(value: u32) -> Choice {
        Choice { kind: ChoiceKind::Thread, thread: ThreadId(0), step: 0, op: OpKind::Run, alternatives: 2, value }
    }

    #[test]
    fn a_released_path_is_freed_as_far_as_nobody_shares_it() {
        let mut tree = Tree::default();
        let a = tree.push(NodeId::ROOT, choice(0));
        let b = tree.push(a, choice(1));
        let c = tree.push(a, choice(2));
        tree.release(a);
        assert_eq!(tree.used(), 3);
        tree.release(b);
        assert_eq!(tree.path(c, 2), [choice(0), choice(2)]);
        tree.release(c);
        assert_eq!(tree.used(), 0);
        let again = tree.push(NodeId::ROOT, choice(3));
        assert!(again == a || again == b || again == c, "slots are used again");
    }
}
