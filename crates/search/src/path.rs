//! The path from the beginning to the last run's end, with what is left to explore at each state on it.

use crate::Extent;
use crate::event::Event;
use crate::nodes::Nodes;
use crate::wakeup::Branch;
use gabion_analysis::Order;
use gabion_trace::{Choice, ChoiceKind, Decision, Footprint, OpKind, Sleeper, Step, ThreadId, Trace, Values};

/// A state, and the step that the path takes from it.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Node {
    /// Choices before it, in the path's list.
    pub(crate) from: usize,
    /// The choice of the thread, if there was one.
    pub(crate) choice: Option<Choice>,
    /// Switching here is no preemption.
    pub(crate) free: bool,
    /// Who could run.
    pub(crate) enabled: Values,
    /// Whose step it is, and its number.
    pub(crate) thread: u16,
    pub(crate) number: u32,
    /// Other choices that the step made.
    pub(crate) data: Vec<Decision>,
    /// Preemptions before this state.
    pub(crate) preemptions: u32,
    /// How large the run is up to this state.
    #[serde(default)]
    pub(crate) extent: Extent,
    /// What sleeps here, as indices into the path's list.
    pub(crate) sleep: Vec<u32>,
    /// Where in that list the events explored from here begin.
    pub(crate) done_from: usize,
    /// What is to be explored from here, besides the path's own step.
    pub(crate) tree: Vec<Branch>,
    /// One more is being run for the first time.
    pub(crate) out: bool,
    /// The path's own step was explored and left: it is one of the finished.
    pub(crate) left: bool,
    /// Branches explored and left, and what they are thought to have cost.
    pub(crate) finished: u32,
    pub(crate) finished_cost: f64,
}

impl Node {
    /// The choices other than threads of the node's step.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        self.data.iter().map(|d| d.choice).collect()
    }
    /// Branches known at the node: explored, being explored, to be explored.
    pub(crate) fn marked(&self) -> usize {
        self.explored() as usize + self.tree.len() + usize::from(self.out)
    }
    /// Branches explored, or being explored.
    pub(crate) fn explored(&self) -> u32 {
        self.finished + u32::from(!self.left)
    }
}

/// The path.
#[derive(Debug, Default, Clone, serde::Serialize, serde::Deserialize)]
pub(crate) struct Path {
    pub(crate) nodes: Nodes,
    /// Explored events that still matter. Those of a node follow those of the nodes before it.
    pub(crate) known: Vec<Event>,
    /// The choices that the last run made.
    choices: Vec<Choice>,
}

impl Path {
    /// The events explored from a node, as indices into `known`.
    pub(crate) fn done(&self, node: usize) -> std::ops::Range<usize> {
        let to = self.nodes.get(node + 1).map_or(self.known.len(), |next| next.done_from);
        self.nodes[node].done_from..to
    }

    /// What sleeps at a node: what did before, and what was explored from it.
    pub(crate) fn asleep(&self, node: usize) -> impl Iterator<Item = &Event> {
        let inherited = self.nodes[node].sleep.iter().map(|i| *i as usize);
        inherited.chain(self.done(node)).map(|i| &self.known[i])
    }

    /// If a node's next branch is another thread's, the event last explored from it has no values left.
    pub(crate) fn close_group(&mut self, node: usize) {
        let next = self.nodes[node].tree.first().map(|branch| branch.event.thread);
        let done = self.done(node);
        let Some(last) = self.known[done.clone()].last().filter(|e| !e.data.is_empty() && next != Some(e.thread))
        else {
            return;
        };
        let thread = last.thread;
        for index in done.clone() {
            let (event, all) = (&self.known[index], &self.known[done.clone()]);
            let alike = |choices: usize| all.iter().filter(|e| e.begins_as(event, choices)).count() as u32;
            if event.thread == thread {
                self.known[index].groups = (0..event.data.len()).map(alike).collect();
            }
        }
    }

    /// Leaves the last node for good.
    pub(crate) fn pop(&mut self) {
        if let Some(node) = self.nodes.pop() {
            self.known.truncate(node.done_from);
        }
    }

    /// Is it this run's?
    pub(crate) fn is_of(&self, trace: &Trace) -> bool {
        self.nodes.len() == trace.steps.len() && self.choices.iter().eq(trace.decisions.iter().map(|d| &d.choice))
    }

    /// The choices that lead to a node.
    pub(crate) fn choices(&self, node: usize) -> &[Choice] {
        &self.choices[..self.nodes[node].from]
    }

    /// The choices that take an event at a node.
    pub(crate) fn take(&self, node: usize, event: &Event, choices: &mut Vec<Choice>) {
        let node = &self.nodes[node];
        if let Some(choice) = node.choice {
            let op = if choice.value == u32::from(event.thread) { choice.op } else { OpKind::Run };
            choices.push(Choice { value: u32::from(event.thread), op, ..choice });
        }
        choices.extend_from_slice(&event.data);
    }

    /// Adds the states of a run from step `from` on. Their sleep sets follow from the node before.
    pub(crate) fn extend(&mut self, trace: &Trace, order: &Order, from: usize) {
        let known = self.nodes.last().map_or(0, |last| last.from);
        self.choices.truncate(known);
        self.choices.extend(trace.decisions[known..].iter().map(|d| d.choice));
        for (index, step) in trace.steps.iter().enumerate().skip(from) {
            let node = self.nodes.grow();
            node.tree.clear();
            node.sleep.clear();
            (node.done_from, node.preemptions, node.out) = (self.known.len(), 0, false);
            (node.finished, node.finished_cost, node.extent) = (0, 0.0, Extent::default());
            fill(node, trace, index, step);
            if let Some(before) = index.checked_sub(1) {
                let last = &self.nodes[before];
                let preemptions = last.preemptions + u32::from(preempts(last));
                (self.nodes[index].extent, self.nodes[index].preemptions) = (self.extent_with(before), preemptions);
                self.awake_after(order, before);
            }
        }
    }

    /// How large the run is after a node's step.
    pub(crate) fn extent_with(&self, node: usize) -> Extent {
        let at = &self.nodes[node];
        self.extent_if(node, at.thread, at.number == 0)
    }

    /// How large it would be after another thread's step. One that has made none before, as far as the run goes, makes its
    /// first there.
    pub(crate) fn extent_by(&self, node: usize, thread: u16) -> Extent {
        self.extent_if(node, thread, self.nodes[..node].iter().all(|before| before.thread != thread))
    }

    fn extent_if(&self, node: usize, thread: u16, first: bool) -> Extent {
        let Extent { switches, threads } = self.nodes[node].extent;
        let switch = node.checked_sub(1).is_some_and(|before| self.nodes[before].thread != thread);
        Extent { switches: switches + u32::from(switch), threads: threads + u32::from(first) }
    }

    /// Sets what a node's own step now is.
    pub(crate) fn replace(&mut self, trace: &Trace, index: usize) {
        fill(&mut self.nodes[index], trace, index, &trace.steps[index]);
    }

    /// Finds what still sleeps after a node's step, at the next node.
    fn awake_after(&mut self, order: &Order, node: usize) {
        if self.nodes[node].sleep.is_empty() && self.done(node).is_empty() {
            return;
        }
        let mut sleep = std::mem::take(&mut self.nodes[node + 1].sleep);
        let thread = order.steps().item(node).thread;
        let (footprint, signature) = (order.steps().footprint(node), order.steps().item(node).signature);
        let global = order.ends_process(node);
        let inherited = self.nodes[node].sleep.iter().map(|i| *i as usize);
        let stays = |i: &usize| {
            let event = &self.known[*i];
            event.thread != thread && !event.depends(footprint, signature, global)
        };
        sleep.extend(inherited.chain(self.done(node)).filter(stays).map(|i| i as u32));
        self.nodes[node + 1].sleep = sleep;
    }

    /// What sleeps in the state where the last of some events is taken, the first being taken at a node.
    pub(crate) fn sleepers(&self, node: usize, followed: &[&Event]) -> Vec<Sleeper> {
        let Some((_, before)) = followed.split_last() else { return Vec::new() };
        let mut asleep: Vec<&Event> = self.asleep(node).filter(|event| !event.global).collect();
        let stays =
            |s: &&Event, event: &Event| s.thread != event.thread && !event.depends(&s.footprint, s.signature, s.global);
        for event in before {
            asleep.retain(|s| stays(s, event));
        }
        let mut sleepers: Vec<Sleeper> = asleep.iter().map(|event| event.sleeper()).collect();
        // A thread of whose event every value sleeps need not run to find that out; nor need one choose a value after
        // which all others sleep.
        for event in &asleep {
            for (choices, all) in event.groups.iter().enumerate() {
                let alike: Vec<_> = asleep.iter().filter(|other| other.begins_as(event, choices)).collect();
                let values: Vec<u32> = event.data[..choices].iter().map(|c| c.value).collect();
                let whole = sleepers.iter().any(|s| s.thread.0 == event.thread && s.values == values);
                if alike.len() == *all as usize && !whole {
                    let accesses = alike.iter().flat_map(|e| e.footprint.iter().copied()).collect();
                    sleepers.push(Sleeper { values, footprint: Footprint { accesses }, ..event.sleeper() });
                }
            }
        }
        sleepers
    }
}

/// Choices for events that follow the first, in states that nobody has seen: at each point the asker is the thread that
/// ran before.
pub(crate) fn guide(choices: &mut Vec<Choice>, before: &Event, event: &Event) {
    choices.push(Choice {
        kind: ChoiceKind::Thread,
        thread: ThreadId(before.thread),
        step: before.number + 1,
        op: OpKind::Run,
        alternatives: 0,
        value: u32::from(event.thread),
    });
    choices.extend_from_slice(&event.data);
}

/// Does the node's step switch away from a thread that could have gone on?
pub(crate) fn preempts(node: &Node) -> bool {
    node.choice.is_some_and(|choice| preempting(node, &choice, node.thread))
}

/// Would a thread's step?
pub(crate) fn preempting(node: &Node, choice: &Choice, thread: u16) -> bool {
    !node.free && choice.thread.0 != thread && node.enabled.contains(u32::from(choice.thread.0))
}

fn fill(node: &mut Node, trace: &Trace, index: usize, step: &Step) {
    let decisions = step.decisions as usize;
    let made = step.alternatives > 1;
    let chosen = decisions.checked_sub(1).map(|i| &trace.decisions[i]).filter(|d| made && d.is_thread());
    node.from = decisions.saturating_sub(usize::from(made));
    node.left = false;
    node.choice = chosen.map(|d| d.choice);
    node.free = chosen.is_some_and(|d| d.free);
    node.enabled = step.enabled.clone();
    node.thread = step.thread.0;
    node.number = step.number;
    node.data.clear();
    node.data.extend(trace.decisions[trace.made_within(index)].iter().filter(|d| !d.is_thread()).cloned());
}
