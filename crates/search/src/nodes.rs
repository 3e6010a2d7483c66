//! The states of a path, as a list that keeps the memory of what it loses.

use crate::path::Node;
use std::ops::{Deref, DerefMut};

/// States from the beginning on. Those that were taken away stay where they were until others come in their place, so that
/// the last run can be asked about as a whole.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
#[serde(from = "Vec<Node>", into = "Vec<Node>")]
pub(crate) struct Nodes {
    all: Vec<Node>,
    /// Those that there are. Invariant: at most as many as in `all`; whoever adds one sees to it.
    len: usize,
}

impl Nodes {
    /// One more, with whatever the one that was there before has left in it.
    pub(crate) fn grow(&mut self) -> &mut Node {
        if self.len == self.all.len() {
            self.all.push(Node::default());
        }
        self.len += 1;
        &mut self.all[self.len - 1]
    }

    /// Takes the last away.
    pub(crate) fn pop(&mut self) -> Option<&Node> {
        self.len = self.len.checked_sub(1)?;
        Some(&self.all[self.len])
    }

    /// Takes all from one on away.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }

    /// The one before a step of the last run, whether or not it was taken away since.
    pub(crate) fn of_last_run(&self, step: usize) -> &Node {
        &self.all[step]
    }
}

impl Deref for Nodes {
    type Target = [Node];

    #[inline]
    fn deref(&self) -> &[Node] {
        &self.all[..self.len]
    }
}

impl DerefMut for Nodes {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Node] {
        &mut self.all[..self.len]
    }
}

impl From<Vec<Node>> for Nodes {
    fn from(all: Vec<Node>) -> Self {
        Nodes { len: all.len(), all }
    }
}

impl From<Nodes> for Vec<Node> {
    fn from(mut nodes: Nodes) -> Self {
        nodes.all.truncate(nodes.len);
        nodes.all
    }
}
