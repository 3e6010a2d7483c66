//! Depth-first search with reduction: one run for each order of the steps that depend on each other.
//!
//! The search keeps one path. After a run it looks for races and puts what reverses each at the state before the race's
//! first step: a wake-up sequence (`optimal`), somebody who can come first in one (`dpor`), or the racing thread at every
//! state where the switch may still be affordable (a bound); see `reversal`. Then it leaves the deepest states that have
//! nothing left, and takes the next branch of the first one that has.
//!
//! One plan is out at a time: what comes next depends on every run before.

use crate::bounds;
use crate::cache::Cache;
use crate::depth_first::expected_op;
use crate::estimate::{self, Cost};
use crate::event::Event;
use crate::learnt::Learnt;
use crate::made::Made;
use crate::path::{self, Path};
use crate::reversal::{Due, Open};
use crate::wakeup::{Branch, Item};
use crate::{Extent, Observed, Options, Progress, Reduction, SearchError};
use gabion_analysis::{Order, Races};
use gabion_trace::{Choice, Ending, Plan, PlanId, Point, Recording, Trace};

/// The plan that is out.
#[derive(Clone, Debug)]
struct Out {
    id: PlanId,
    /// Of its choices those that must be possible; the others are a guess.
    firm: usize,
    /// The node whose branch it takes, and the branch.
    node: usize,
    branch: Option<Branch>,
}

/// The search. See the module's head.
#[derive(Clone, Debug)]
pub(crate) struct Reduced {
    pub(crate) template: Plan,
    pub(crate) learnt: Learnt,
    pub(crate) options: Options,
    pub(crate) path: Path,
    pub(crate) order: Order,
    /// Races of the path's run about which something may still have to be done, in the order of their second steps.
    pub(crate) open: Vec<Open>,
    /// Steps of the path whose races are among them, or were.
    pub(crate) looked_at: usize,
    /// What is still to be done after the last run; see `reversal`.
    pub(crate) due: Vec<Due>,
    /// Memory for sequences, and events that they are made of.
    pub(crate) scratch: Vec<Item>,
    pub(crate) made: Made,
    /// Races are reversed by who can come first, and not by whole sequences.
    pub(crate) by_source: bool,
    /// Every access that runs have made is a step of its own.
    pub(crate) fine: bool,
    /// A race was met that no sequence reverses.
    pub(crate) lost: bool,
    /// First steps that the last run has from the one before.
    pub(crate) shared: usize,
    out: Option<Out>,
    /// Its choices.
    planned: Vec<Choice>,
    pub(crate) begun: bool,
    pub(crate) exhausted: bool,
    pub(crate) next_id: u64,
    pub(crate) progress: Progress,
    /// A branch was left out because of the bound.
    pub(crate) bounded: bool,
    pub(crate) cost: Cost,
    pub(crate) cache: Cache,
}

impl Reduced {
    /// A search of the space that the template defines.
    pub(crate) fn new(template: Plan, options: Options) -> Self {
        assert!(template.choices.is_empty(), "internal error: a template has no choices");
        let races = match options.bound {
            Some(_) => Races::Pending,
            None if options.no_sleep => Races::All,
            None => Races::Direct,
        };
        let fine = template.is_fine() || template.may_be_fine();
        Reduced {
            template: Plan { recording: template.recording.max(Recording::Accesses), ..template },
            learnt: Learnt::default(),
            options,
            path: Path::default(),
            order: Order::new(races),
            open: Vec::new(),
            looked_at: 0,
            due: Vec::new(),
            scratch: Vec::new(),
            made: Made::default(),
            by_source: !fine || options.reduction != Reduction::Optimal,
            fine,
            lost: false,
            shared: 0,
            out: None,
            planned: Vec::new(),
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
        self.planned.clear();
        let (firm, node, branch, sleepers) = if self.begun {
            let node = self.leave()?;
            let choices = &mut self.planned;
            let branch = self.path.nodes[node].tree.remove(0);
            self.path.nodes[node].out = true;
            choices.extend_from_slice(self.path.choices(node));
            self.path.take(node, &branch.event, choices);
            let firm = choices.len();
            let mut followed = vec![&*branch.event];
            let mut at = &branch;
            while let Some(child) = at.children.first() {
                path::guide(choices, &at.event, &child.event);
                followed.push(&child.event);
                at = child;
            }
            let sleepers = if self.sleeps() { self.path.sleepers(node, &followed) } else { Vec::new() };
            (firm, node, Some(branch), sleepers)
        } else {
            self.begun = true;
            (0, 0, None, Vec::new())
        };
        let id = PlanId(self.next_id);
        self.next_id += 1;
        let ahead = self.ahead(node);
        let plan = Plan { id, choices: self.planned.clone(), sleepers, ahead, ..self.template.clone() };
        self.out = Some(Out { id, firm, node, branch });
        Some(plan)
    }

    /// How many choices the plan after this one will have from it, when this one takes a branch of `node`: as long as the
    /// deepest state with something left is there, nothing above it is taken.
    fn ahead(&self, node: usize) -> Option<u32> {
        let left = self.path.nodes.get(..=node)?.iter().rev().find(|node| !node.tree.is_empty())?;
        left.choice.is_some().then_some(left.from as u32)
    }

    /// Leaves all states at the end of the path that have nothing left, and then the branch of the first that has.
    fn leave(&mut self) -> Option<usize> {
        let (mut below, step) = match self.cost {
            Cost::Run(run) => (run, 0.0),
            Cost::Step(step) => (0.0, step),
        };
        while let Some(last) = self.path.nodes.len().checked_sub(1) {
            self.reverse_from(last);
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
            below = estimate::cost(
                &self.path.nodes[last..],
                if node.left { Cost::Run(0.0) } else { Cost::Run(below + step) },
            );
            self.path.pop();
        }
        self.exhausted = true;
        (self.progress.share, self.progress.total_cost) = (1.0, below);
        None
    }

    /// Drops what cannot be run from a node, and what need not.
    fn weed(&mut self, node: usize) {
        if self.path.nodes[node].tree.is_empty() {
            return;
        }
        let mut tree = std::mem::take(&mut self.path.nodes[node].tree);
        // Who waited there cannot come first, whatever it did later.
        let enabled = &self.path.nodes[node].enabled;
        tree.retain(|branch| enabled.contains(u32::from(branch.event.thread)));
        if self.sleeps() && !tree.is_empty() {
            // What is about to be left will sleep too.
            let at = &self.path.nodes[node];
            let own = (!at.left).then(|| Event::of_step(&self.order, node, at.choices()));
            let asleep: Vec<&Event> = self.path.asleep(node).chain(&own).collect();
            let mut left = Vec::with_capacity(asleep.len());
            tree.retain_mut(|branch| {
                left.clone_from(&asleep);
                branch.wakes(&mut left)
            });
        }
        self.path.nodes[node].tree = tree;
    }

    pub(crate) fn sleeps(&self) -> bool {
        !self.options.no_sleep && self.options.bound.is_none()
    }

    pub(crate) fn observe(&mut self, trace: &Trace) -> Result<Observed, SearchError> {
        let out = self.out.take().filter(|out| out.id == trace.id).ok_or(SearchError::Unasked(trace.id.0))?;
        self.catch_up();
        self.shared = out.node;
        if let Some(node) = self.path.nodes.get_mut(out.node) {
            node.out = false;
        }
        if self.learnt.take(&mut self.template, trace, |thread| thread) {
            self.begin_again();
            return Ok(Observed::Restarted);
        }
        if self.fine && !self.template.is_fine() && trace.passed.has(Point::Everywhere) {
            // An access was no point although others are.
            self.begin_again();
            (self.fine, self.by_source) = (false, true);
            return Ok(Observed::Restarted);
        }
        // A run may end before all threads known from others were created: the table only grows.
        if trace.threads.len() > self.template.threads.len() {
            self.template.threads.clone_from(&trace.threads);
        }
        if let Some(observed) = self.check(&out, trace)? {
            return Ok(observed);
        }
        let node = out.node;
        // A step that was cut off is no event.
        let without;
        let trace = if trace.outcome.ending == Ending::Asleep && trace.outcome.code == 1 {
            let mut shorter = trace.clone();
            shorter.steps.pop();
            without = shorter;
            &without
        } else {
            trace
        };
        if trace.steps.len() <= node && out.branch.is_some() {
            self.progress.blocked += 1;
            return Ok(Observed::Blocked);
        }
        self.order.read(trace, node);
        self.made.keep(node);
        self.looked_at = self.looked_at.min(node);
        self.open.truncate(self.open.partition_point(|open| (open.second as usize) < node));
        let new = self.enter(out, trace);
        self.reverse();
        if self.lost {
            self.begin_again();
            self.by_source = true;
            return Ok(Observed::Restarted);
        }
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
        Ok(observed)
    }

    /// Did the run follow its plan? What comes after the firm part was a guess: if it was wrong, the plan is made again
    /// without it.
    fn check(&mut self, out: &Out, trace: &Trace) -> Result<Option<Observed>, SearchError> {
        let ending = trace.outcome.ending;
        let made = trace.decisions.len();
        let planned = &self.planned;
        let wrong = planned[..out.firm].iter().zip(&trace.decisions).position(|(p, m)| !follows(p, &m.choice));
        let lost = matches!(ending, Ending::Hung | Ending::Died | Ending::Scribbled | Ending::TraceFull);
        let whole = trace.steps.len() > out.node;
        if ending == Ending::Scribbled || lost && (!whole || wrong.is_some()) {
            self.progress.cut += 1;
            self.path.nodes.truncate(out.node + 1);
            return Ok(Some(Observed::Cut));
        }
        let what = match wrong {
            Some(at) => Some((at, format!("planned {:?}, made {:?}", planned[at], trace.decisions[at].choice))),
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
            let plan = Plan { id: out.id, choices: planned.clone(), ..self.template.clone() };
            return Err(SearchError::Diverged { plan: Box::new(plan), at, what });
        }
        if ending == Ending::Diverged {
            let mut branch = out.branch.clone().expect("internal error: a guess belongs to a branch");
            forget(&mut branch, trace.steps[out.node..].iter().map(|step| step.thread.0));
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
        // A run that is too large is so from some state on, and nothing is opened from there.
        let options = self.options;
        let small = |extent: Extent| options.below.is_none_or(|below| extent < below);
        let most = self.path.nodes.partition_point(|node| small(node.extent));
        let known = match self.options.reduction {
            Reduction::HbCache => self.cache.enter(&options, &self.path, &self.order, node..most),
            _ => None,
        };
        let to = known.unwrap_or(most);
        for index in node..to {
            if small(self.path.extent_with(index)) {
                self.open_values(index, if index == node { opened } else { 0 });
            }
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
                if !(known || self.sleeps() && self.path.asleep(index).any(same)) {
                    let event = Event { data, number: node.number, ..Event::unknown(node.thread) };
                    branches.push(Branch::leaf(event));
                }
            }
        }
        // All values of one event come before what others do, so that it is known when they all are explored.
        self.path.nodes[index].tree.splice(0..0, branches);
    }

    /// The same space, searched in another way.
    pub(crate) fn again(&self, options: Options) -> Self {
        Reduced { next_id: self.next_id, learnt: self.learnt, ..Reduced::new(self.template.clone(), options) }
    }

    /// Where the search stands.
    pub(crate) fn progress(&self) -> Progress {
        let nodes: &[_] = &self.path.nodes;
        let frontier = nodes.iter().map(|node| node.tree.len()).sum();
        let progress = Progress { frontier, out: usize::from(self.out.is_some()), ..self.progress };
        if nodes.is_empty() {
            return progress; // nothing is known yet, or everything
        }
        Progress { share: estimate::share(nodes), total_cost: estimate::cost(nodes, self.cost), ..progress }
    }

    /// Is this the run that the path is of, and nothing out?
    pub(crate) fn is_at(&self, last: &Trace) -> bool {
        self.out.is_none() && self.begun && self.order.steps().len() == last.steps.len() && self.path.is_of(last)
    }

    pub(crate) fn is_exhausted(&self) -> bool {
        self.exhausted && self.out.is_none()
    }

    pub(crate) fn template(&self) -> &Plan {
        &self.template
    }

    /// Drops everything but the template.
    fn begin_again(&mut self) {
        let abandoned = self.progress.executed() + 1;
        let (by_source, fine) = (self.by_source, self.fine);
        *self = self.again(self.options);
        self.by_source |= by_source;
        self.fine &= fine;
        self.progress.abandoned = abandoned;
    }
}

fn follows(planned: &Choice, made: &Choice) -> bool {
    let place = |c: &Choice| (c.kind, c.thread, c.step, c.value);
    place(planned) == place(made)
}

/// Forgets, on a branch's first way, what comes after the events that were followed: `made` says whose steps were made. A
/// step that is none of the branch's may be among them, where the branch's next event was impossible and only one thread
/// could go on.
fn forget(branch: &mut Branch, made: impl Iterator<Item = u16>) {
    let mut at = branch;
    for thread in made.skip(1) {
        if at.children.first().is_none_or(|child| child.event.thread != thread || child.children.is_empty()) {
            break;
        }
        at = &mut at.children[0];
    }
    if !at.children.is_empty() {
        at.children.remove(0);
    }
}
