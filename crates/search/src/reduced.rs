//! Depth-first search with reduction: one run for each order of the steps that depend on each other.
//!
//! The search keeps one path. After a run it looks for races and puts what reverses each at the state before the race's
//! first step: a wake-up sequence (`optimal`), the racing thread (`dpor`), or the racing thread at every state where the
//! switch may still be affordable (a bound). Then it leaves the deepest states that have nothing left, and takes the next
//! branch of the first one that has.
//!
//! One plan is out at a time: what comes next depends on every run before.

use crate::bounds;
use crate::cache::Cache;
use crate::depth_first::expected_op;
use crate::estimate::{self, Cost};
use crate::event::Event;
use crate::path::{self, Path};
use crate::wakeup::{Branch, Second, Sequence};
use crate::{Observed, Options, Progress, Reduction, SearchError};
use gabion_analysis::{Order, Races};
use gabion_trace::{Choice, Coverage, Ending, Plan, PlanId, Recording, ThreadId, Trace};

/// The plan that is out.
#[derive(Debug)]
struct Out {
    id: PlanId,
    choices: Vec<Choice>,
    /// Choices that must be possible; those after them are a guess.
    firm: usize,
    /// The node whose branch it takes, and the branch.
    node: usize,
    branch: Option<Branch>,
}

/// The search. See the module's head.
#[derive(Debug)]
pub(crate) struct Reduced {
    template: Plan,
    options: Options,
    path: Path,
    order: Order,
    /// For each race of the path's run: nothing more is ever to be done about it.
    settled: Vec<bool>,
    out: Option<Out>,
    begun: bool,
    exhausted: bool,
    next_id: u64,
    progress: Progress,
    /// A branch was left out because of the bound.
    pub(crate) bounded: bool,
    cost: Cost,
    cache: Cache,
}

impl Reduced {
    /// A search of the space that the template defines.
    pub(crate) fn new(template: Plan, options: Options) -> Self {
        assert!(template.choices.is_empty(), "internal error: a template has no choices");
        let races = if options.bound.is_some() { Races::Pending } else { Races::Direct };
        Reduced {
            template: Plan { recording: template.recording.max(Recording::Accesses), ..template },
            options,
            path: Path::default(),
            order: Order::new(races),
            settled: Vec::new(),
            out: None,
            begun: false,
            exhausted: false,
            next_id: 1,
            progress: Progress::default(),
            bounded: false,
            cost: if options.by_step { Cost::Step(1.0) } else { Cost::Run(1.0) },
            cache: Cache::default(),
        }
    }

    pub(crate) fn next(&mut self) -> Option<Plan> {
        if self.out.is_some() || self.exhausted {
            return None;
        }
        let (choices, firm, node, branch, sleepers) = if self.begun {
            let node = self.leave()?;
            let branch = self.path.nodes[node].tree.remove(0);
            let mut choices = self.path.choices(node);
            self.path.take(node, &branch.event, &mut choices);
            let firm = choices.len();
            let mut followed = vec![&branch.event];
            let mut at = &branch;
            while let Some(child) = at.children.first() {
                path::guide(&mut choices, &at.event, &child.event);
                followed.push(&child.event);
                at = child;
            }
            let sleepers = if self.sleeps() { self.path.sleepers(node, &followed) } else { Vec::new() };
            (choices, firm, node, Some(branch), sleepers)
        } else {
            self.begun = true;
            (Vec::new(), 0, 0, None, Vec::new())
        };
        let id = PlanId(self.next_id);
        self.next_id += 1;
        let plan = Plan { id, choices: choices.clone(), sleepers, ..self.template.clone() };
        self.out = Some(Out { id, choices, firm, node, branch });
        Some(plan)
    }

    /// Leaves all states at the end of the path that have nothing left, and then the branch of the first that has.
    fn leave(&mut self) -> Option<usize> {
        let (mut below, step) = match self.cost {
            Cost::Run(run) => (run, 0.0),
            Cost::Step(step) => (0.0, step),
        };
        while let Some(last) = self.path.nodes.len().checked_sub(1) {
            self.weed(last);
            let node = &self.path.nodes[last];
            if !node.tree.is_empty() {
                if !node.left {
                    let event = Event::of_step(&self.order, last, node.choices());
                    let node = &mut self.path.nodes[last];
                    node.left = true;
                    node.finished += 1;
                    node.finished_cost += below + step;
                    self.path.known.push(event);
                }
                self.path.close_group(last);
                return Some(last);
            }
            below = estimate::cost(&self.path.nodes[last..], if node.left { Cost::Run(0.0) } else { Cost::Run(below + step) });
            self.path.pop();
        }
        self.exhausted = true;
        None
    }

    /// Drops what cannot be run from a node, and what need not.
    fn weed(&mut self, node: usize) {
        let mut tree = std::mem::take(&mut self.path.nodes[node].tree);
        // Who waited there cannot come first, whatever it did later.
        let enabled = &self.path.nodes[node].enabled;
        tree.retain(|branch| enabled.contains(u32::from(branch.event.thread)));
        if self.sleeps() && !tree.is_empty() {
            let mut asleep: Vec<&Event> = self.path.asleep(node).collect();
            if self.path.nodes[node].left {
                tree.retain_mut(|branch| branch.wakes(&mut asleep.clone()));
            } else {
                // What is about to be left will sleep too.
                let own = Event::of_step(&self.order, node, self.path.nodes[node].choices());
                asleep.push(&own);
                tree.retain_mut(|branch| branch.wakes(&mut asleep.clone()));
            }
        }
        self.path.nodes[node].tree = tree;
    }

    fn sleeps(&self) -> bool {
        !self.options.no_sleep && self.options.bound.is_none()
    }

    pub(crate) fn observe(&mut self, trace: &Trace) -> Result<Observed, SearchError> {
        let out = self.out.take().filter(|out| out.id == trace.id).ok_or(SearchError::Unasked(trace.id.0))?;
        if trace.coverage.has(Coverage::NEW_SHARED_STACK) && self.extend_shared_stacks(trace) {
            self.begin_again();
            return Ok(Observed::Restarted);
        }
        self.template.threads.clone_from(&trace.threads);
        if let Some(observed) = self.check(&out, trace)? {
            return Ok(observed);
        }
        let node = out.node;
        self.order.read(trace, node);
        self.settled.truncate(self.order.races_before(node.min(self.order.steps().len())));
        let new = self.enter(out, trace);
        self.reverse();
        self.progress.depth = self.progress.depth.max(trace.decisions.len());
        self.cost = match self.cost {
            Cost::Run(_) => Cost::Run(trace.cost as f64),
            step @ Cost::Step(_) => step,
        };
        let observed = match trace.outcome.ending {
            Ending::Asleep => Observed::Blocked,
            _ if !new => Observed::Blocked,
            Ending::Hung | Ending::Died | Ending::Scribbled => Observed::Cut,
            _ if trace.outcome.is_whole() => Observed::Explored,
            _ => Observed::Cut,
        };
        match observed {
            Observed::Explored => self.progress.runs += 1,
            Observed::Cut => self.progress.cut += 1,
            Observed::Blocked => self.progress.blocked += 1,
            Observed::Restarted | Observed::Ignored => {}
        }
        self.progress.cost += trace.cost as f64;
        self.progress.share = estimate::share(&self.path.nodes);
        self.progress.total_cost = estimate::cost(&self.path.nodes, self.cost);
        Ok(observed)
    }

    /// Did the run follow its plan? What comes after the firm part was a guess: if it was wrong, the plan is made again
    /// without it.
    fn check(&mut self, out: &Out, trace: &Trace) -> Result<Option<Observed>, SearchError> {
        let ending = trace.outcome.ending;
        let made = trace.decisions.len();
        let wrong = out.choices[..out.firm].iter().zip(&trace.decisions).position(|(p, m)| !follows(p, &m.choice));
        let lost = matches!(ending, Ending::Hung | Ending::Died | Ending::Scribbled);
        let whole = trace.steps.len() > out.node;
        if ending == Ending::Scribbled || lost && (!whole || wrong.is_some()) {
            self.progress.cut += 1;
            self.path.nodes.truncate(out.node + 1);
            return Ok(Some(Observed::Cut));
        }
        let what = match wrong {
            Some(at) => Some((at, format!("planned {:?}, made {:?}", out.choices[at], trace.decisions[at].choice))),
            None if ending == Ending::Diverged && (made < out.firm || !whole) => {
                Some((made, trace.outcome.message.clone()))
            }
            None if made < out.firm => Some((made, format!("the run was over ({ending:?})"))),
            None => None,
        };
        let impossible = ending == Ending::Diverged && trace.steps.len() == out.node && made + 1 == out.firm;
        if impossible && out.branch.is_some() {
            // The thread that was to run could not: the race cannot be reversed there.
            self.progress.blocked += 1;
            return Ok(Some(Observed::Blocked));
        }
        if let Some((at, what)) = what {
            let plan = Plan { id: out.id, choices: out.choices.clone(), ..self.template.clone() };
            return Err(SearchError::Diverged { plan: Box::new(plan), at, what });
        }
        if ending == Ending::Diverged {
            let followed = trace.steps.len() - out.node;
            let mut branch = out.branch.clone().expect("internal error: a guess belongs to a branch");
            forget(&mut branch, followed);
            self.path.nodes[out.node].tree.insert(0, branch);
            self.progress.blocked += 1;
            return Ok(Some(Observed::Blocked));
        }
        Ok(None)
    }

    /// Puts the run on the path. False: it ends in what was explored before.
    fn enter(&mut self, out: Out, trace: &Trace) -> bool {
        let node = out.node;
        let opened = out.branch.as_ref().map_or(0, |b| b.event.data.len());
        if out.branch.is_some() {
            self.path.nodes.truncate(node + 1);
            self.path.replace(trace, node);
        }
        self.path.extend(trace, &self.order, self.path.nodes.len());
        let mut children = out.branch.map(|b| b.children).unwrap_or_default();
        for index in node + 1..self.path.nodes.len() {
            if children.is_empty() {
                break;
            }
            let thread = self.path.nodes[index].thread;
            let enabled = &self.path.nodes[index].enabled;
            children.retain(|c| enabled.contains(u32::from(c.event.thread)));
            let followed = children.iter().position(|c| c.event.thread == thread).map(|k| children.remove(k));
            self.path.nodes[index].tree = children;
            children = followed.map(|c| c.children).unwrap_or_default();
        }
        let known = match self.options.reduction {
            Reduction::HbCache => self.cache.enter(&self.path, &self.order, node),
            _ => None,
        };
        let to = known.unwrap_or(self.path.nodes.len());
        for index in node..to {
            self.open_values(index, if index == node { opened } else { 0 });
        }
        if matches!(self.options.reduction, Reduction::None | Reduction::HbCache) {
            bounds::open_all(&mut self.path, &self.options, node..to, &mut self.bounded);
        }
        known.is_none()
    }

    /// Every value of a choice other than a thread's is explored, whether or not it races.
    fn open_values(&mut self, index: usize, opened: usize) {
        let node = &self.path.nodes[index];
        if node.data.len() <= opened {
            return;
        }
        let mut branches = Vec::new();
        for (k, decision) in node.data.iter().enumerate().skip(opened) {
            for value in decision.values.iter().filter(|v| *v != decision.choice.value) {
                let mut data: Vec<Choice> = node.data[..k].iter().map(|d| d.choice).collect();
                data.push(Choice { value, op: expected_op(&decision.choice), ..decision.choice });
                let same = |e: &Event| e.thread == node.thread && e.chose(&data);
                let known = node.tree.iter().any(|b| same(&b.event));
                if !known && !(self.sleeps() && self.path.asleep(index).any(same)) {
                    let event = Event { data, number: node.number, ..Event::unknown(node.thread) };
                    branches.push(Branch::leaf(event));
                }
            }
        }
        // All values of one event come before what others do, so that it is known when they all are explored.
        self.path.nodes[index].tree.splice(0..0, branches);
    }

    /// Sees to it that every race is reversed.
    fn reverse(&mut self) {
        if matches!(self.options.reduction, Reduction::None | Reduction::HbCache) {
            return;
        }
        for step in 0..self.order.steps().len() {
            let before = self.order.races_before(step);
            for k in 0..self.order.races(step).len() {
                if self.settled.len() <= before + k {
                    self.settled.push(false);
                }
                if !self.settled[before + k] {
                    let first = self.order.races(step)[k];
                    self.settled[before + k] = self.reverse_one(first, Second::Step(step as u32));
                }
            }
        }
        for k in 0..self.order.pending_races().len() {
            let (first, thread) = self.order.pending_races()[k];
            let pending = self.order.pending().iter().find(|p| p.thread.0 == thread).copied();
            let pending = pending.expect("internal error: a pending race without what is pending");
            let last = self.order.steps().of_thread(thread).last();
            let number = last.map_or(0, |last| self.order.steps().item(*last as usize).number + 1);
            let blocked = !self.path.nodes[first as usize].enabled.contains(u32::from(thread))
                || first as usize + 1 < self.order.steps().len();
            self.reverse_one(first, Second::Pending(Event::of_pending(&pending, number, blocked)));
        }
    }

    /// Reverses one race, unless that was or will be done. True: it never needs to be looked at again.
    fn reverse_one(&mut self, first: u32, second: Second) -> bool {
        let node = first as usize;
        let thread = match &second {
            Second::Step(step) => self.order.steps().item(*step as usize).thread,
            Second::Pending(event) => event.thread,
        };
        if self.options.reduction != Reduction::Optimal {
            let sleeps = self.sleeps();
            if sleeps && self.options.reduction == Reduction::Dpor {
                let initials = self.initials(first, second);
                bounds::open_one(&mut self.path, node, &initials);
                return true;
            }
            bounds::backtrack(&mut self.path, &self.options, node, thread, sleeps, &mut self.bounded);
            return true;
        }
        let mut tree = std::mem::take(&mut self.path.nodes[node].tree);
        let settled = self.insert(first, second, &mut tree);
        self.path.nodes[node].tree = tree;
        settled
    }

    /// Who can come first in the sequence that reverses a race.
    fn initials(&self, first: u32, second: Second) -> Vec<u16> {
        let data = |step: u32| self.path.nodes[step as usize].choices();
        let sequence = Sequence::new(&self.order, &data, first, second);
        let threads =
            (0..self.order.steps().threads().max(1 + usize::from(sequence.last())) as u16).collect::<Vec<_>>();
        threads.into_iter().filter(|thread| sequence.begins_with(*thread)).collect()
    }

    /// Adds what reverses a race to the tree of its first step's node, unless that was explored. True: it never needs to
    /// be looked at again.
    fn insert(&self, first: u32, second: Second, tree: &mut Vec<Branch>) -> bool {
        let node = first as usize;
        let nodes = &self.path.nodes;
        let data = |step: u32| nodes[step as usize].choices();
        let mut sequence = Sequence::new(&self.order, &data, first, second);
        let known = &self.path.known;
        let covered = self.path.done(node).any(|i| sequence.is_reached_by(&known[i], true))
            || nodes[node].sleep.iter().any(|i| sequence.is_reached_by(&known[*i as usize], false));
        if !covered {
            sequence.insert(tree);
        }
        sequence.is_settled()
    }

    /// The same space, searched in another way.
    pub(crate) fn again(&self, options: Options) -> Self {
        Reduced { next_id: self.next_id, ..Reduced::new(self.template.clone(), options) }
    }

    /// Where the search stands.
    pub(crate) fn progress(&self) -> Progress {
        let frontier = self.path.nodes.iter().map(|node| node.tree.len()).sum();
        Progress { frontier, out: usize::from(self.out.is_some()), ..self.progress }
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted && self.out.is_none()
    }

    pub(crate) fn shared_stacks(&self) -> &[ThreadId] {
        &self.template.shared_stacks
    }

    fn extend_shared_stacks(&mut self, trace: &Trace) -> bool {
        let before = self.template.shared_stacks.len();
        for thread in &trace.shared_stacks {
            if !self.template.shared_stacks.contains(thread) {
                self.template.shared_stacks.push(*thread);
            }
        }
        self.template.shared_stacks.len() > before
    }

    /// Drops everything but the template.
    fn begin_again(&mut self) {
        let abandoned = self.progress.executed() + 1;
        let next_id = self.next_id;
        *self = Reduced::new(self.template.clone(), self.options);
        self.next_id = next_id;
        self.progress.abandoned = abandoned;
    }
}

fn follows(planned: &Choice, made: &Choice) -> bool {
    let place = |c: &Choice| (c.kind, c.thread, c.step, c.value);
    place(planned) == place(made)
}

/// Forgets what follows the first `followed` events on a branch's first way.
fn forget(branch: &mut Branch, followed: usize) {
    let mut at = branch;
    for _ in 1..followed {
        at = &mut at.children[0];
    }
    if !at.children.is_empty() {
        at.children.remove(0);
    }
}
