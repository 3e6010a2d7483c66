//! A failing interleaving made small: the one that was found, the switches that matter, its neighbours.

use crate::{ChoiceKind, NamedStep, Plan, ThreadId};
use serde::{Deserialize, Serialize};

/// Another interleaving than the one that the file is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interleaving {
    /// The plan that replays it.
    pub plan: Plan,
    /// Hash of its trace.
    pub hash: u64,
    /// Switches away from a thread that could have gone on.
    pub preemptions: usize,
    /// The steps.
    pub steps: Vec<NamedStep>,
}

/// Why no interleaving with fewer of something shows the bug.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fewest {
    /// All with fewer were explored.
    Proven,
    /// Nobody has looked at all of them.
    #[default]
    Unknown,
}

/// What it took to make the interleaving small.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimisation {
    /// Runs that were made.
    pub runs: u64,
    /// Runs that were allowed.
    pub allowed: u64,
    /// Are there no fewer preemptions?
    pub fewest: Fewest,
    /// With at most as many preemptions, are there no fewer switches?
    #[serde(default)]
    pub fewest_switches: Fewest,
    /// With at most as many of both, are there no fewer threads?
    #[serde(default)]
    pub fewest_threads: Fewest,
    /// Loops were taken to wait in these runs: with more rounds of them there may be smaller ones.
    #[serde(default)]
    pub assumed: bool,
    /// Why it ended early, in words.
    pub stopped: Option<String>,
    /// The interleaving as it was found, if that is another one.
    pub original: Option<Interleaving>,
    /// The switches of the interleaving, in order.
    pub switches: Vec<Switch>,
    /// The closest interleaving that was run and does not fail.
    pub passing: Option<Passing>,
}

/// A switch between two steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// The first step after it: an index into the steps.
    pub step: usize,
    /// Who ran before.
    pub from: ThreadId,
    /// Who runs then.
    pub to: ThreadId,
    /// How much it is of the program's own making.
    pub role: SwitchRole,
    /// Interleavings that were run with this switch earlier or later, nearest first.
    pub neighbours: Vec<Neighbour>,
}

/// What a switch means for the failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchRole {
    /// The thread before it could not go on, as far as that is known for sure.
    Forced,
    /// If the thread before it goes on instead, it does not fail.
    Essential,
    /// If that goes on instead, another failure comes first.
    Diverting,
    /// The failure shows all the same if it does.
    Incidental,
    /// Nobody has tried, or what came of it says nothing.
    Untried,
}

impl SwitchRole {
    /// Does this failure disappear without it?
    pub fn is_essential(self) -> bool {
        matches!(self, SwitchRole::Essential | SwitchRole::Diverting)
    }
}

/// An interleaving that differs in where one switch is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Neighbour {
    /// Steps of the thread before the switch that come before it in addition; negative: that many come after it instead.
    pub shift: i32,
    /// How it ends.
    pub end: NeighbourEnd,
    /// Who ran how many steps, one after the other.
    pub order: Vec<(ThreadId, u32)>,
}

/// How a neighbour ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NeighbourEnd {
    /// Well.
    Passes,
    /// With the same bug.
    Fails,
    /// In another way: the kind of another bug, or what cut it.
    Otherwise(String),
}

/// An interleaving that does not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// The first step in which it differs: an index into the steps of both.
    pub step: usize,
    /// The switch that it differs in: an index into the switches; `None`: it has one more, or differs in what was chosen.
    pub switch: Option<usize>,
    /// By how much, as in [`Neighbour::shift`]; `None`: the switch is not made at all.
    pub shift: Option<i32>,
    /// Choices within steps that differ besides.
    #[serde(default)]
    pub others: usize,
    /// The choice within a step that it differs in, if it is that.
    #[serde(default)]
    pub chosen: Option<Chosen>,
    /// The interleaving.
    pub run: Interleaving,
}

/// A choice within a step that is another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chosen {
    /// The step: an index.
    pub step: usize,
    /// What was chosen.
    pub kind: ChoiceKind,
    /// What is chosen there.
    pub value: u32,
    /// What is chosen where it fails.
    pub instead: u32,
}
