//! Depth-first enumeration without reduction: every value of every decision, each sequence of choices once.
//!
//! A run of a plan follows the plan's choices and then the tail policy; every decision after the plan's last choice is
//! new, and each value it could have had and did not opens one plan more. So a sequence of choices is reached exactly
//! once: from the run that first made the decision in which it differs. Which choices are open at any time depends on
//! how many plans are out, but never which sequences are visited.

use crate::frontier::{Frontier, Open};
use crate::learnt::Learnt;
use crate::table::{ThreadTable, Translation};
use crate::tree::{NodeId, Tree};
use crate::{Observed, Progress, SearchError};
use gabion_trace::{Choice, ChoiceKind, Decision, Ending, OpKind, Plan, PlanId, Trace};

/// What a trace's decisions are worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Record {
    /// They lead to an end of the program's own.
    Whole,
    /// They were made, and then something cut the run.
    Cut,
    /// They cannot be believed.
    Useless,
}

/// A plan that is out.
#[derive(Clone, Debug)]
struct Out {
    id: PlanId,
    /// Last choice of the plan. Invariant: held until the trace is back, unless the plan is from an earlier space.
    node: NodeId,
    depth: usize,
    space: u32,
}

/// The search. See the module's head.
#[derive(Clone, Debug)]
pub struct DepthFirst {
    template: Plan,
    learnt: Learnt,
    table: ThreadTable,
    tree: Tree,
    frontier: Frontier,
    out: Vec<Out>,
    begun: bool,
    /// Counts the times that the space began again.
    space: u32,
    next_id: u64,
    progress: Progress,
    /// Values of one decision; kept for its memory.
    scratch: Vec<u32>,
}

impl DepthFirst {
    /// A search of the space that the template defines. Its choices, which must be none, and id are filled in.
    pub fn new(template: Plan) -> Self {
        assert!(template.choices.is_empty(), "internal error: a template has no choices");
        DepthFirst {
            table: ThreadTable::new(&template.threads),
            template,
            learnt: Learnt::default(),
            tree: Tree::default(),
            frontier: Frontier::default(),
            out: Vec::new(),
            begun: false,
            space: 0,
            next_id: 1,
            progress: Progress::default(),
            scratch: Vec::new(),
        }
    }

    /// The next plan; `None` while everything known is explored or out, and for good once nothing is out.
    #[allow(clippy::should_implement_trait)] // not an iterator: what comes next depends on what is observed in between
    pub fn next(&mut self) -> Option<Plan> {
        let (node, depth) = if self.begun {
            let Some(Open { parent, choice, depth }) = self.frontier.pop() else {
                assert!(!self.out.is_empty() || self.tree.used() == 0, "internal error: the search tree leaks");
                return None;
            };
            let node = self.tree.push(parent, choice);
            self.tree.release(parent);
            (node, depth + 1)
        } else {
            self.begun = true;
            (NodeId::ROOT, 0)
        };
        let out = Out { id: PlanId(self.next_id), node, depth, space: self.space };
        self.next_id += 1;
        let plan = self.plan(&out);
        self.out.push(out);
        Some(plan)
    }

    /// Takes a trace in, in any order.
    pub fn observe(&mut self, trace: &Trace) -> Result<Observed, SearchError> {
        let position = self.out.iter().position(|out| out.id == trace.id).ok_or(SearchError::Unasked(trace.id.0))?;
        let out = self.out.remove(position);
        if out.space != self.space {
            self.progress.abandoned += 1;
            return Ok(Observed::Ignored);
        }
        let translation = self.table.translation(&trace.threads);
        if self.learnt.take(&mut self.template, trace, |thread| translation.thread(thread)) {
            self.begin_again();
            return Ok(Observed::Restarted);
        }
        let record = self.check(&out, trace, &translation)?;
        self.open(&out, if record == Record::Useless { &[] } else { &trace.decisions }, &translation);
        self.progress.depth = self.progress.depth.max(trace.decisions.len());
        // All values of a decision are known at once, so a run's share never changes.
        self.progress.share += trace.decisions.iter().map(|d| 1.0 / d.values.len().max(1) as f64).product::<f64>();
        self.progress.cost += trace.cost as f64;
        self.progress.total_cost = self.progress.cost / self.progress.share;
        if record == Record::Whole {
            self.progress.runs += 1;
            Ok(Observed::Explored)
        } else {
            self.progress.cut += 1;
            Ok(Observed::Cut)
        }
    }

    /// Where the search stands.
    pub fn progress(&self) -> Progress {
        Progress { frontier: self.frontier.len(), out: self.out.len(), ..self.progress }
    }

    /// Is nothing left to do, and nothing out?
    pub fn is_exhausted(&self) -> bool {
        self.begun && self.frontier.len() == 0 && self.out.is_empty()
    }

    /// What every plan has in common, with what the runs have shown of it.
    pub fn template(&self) -> &Plan {
        &self.template
    }

    /// Did the run follow its plan? That of a process that died, hung or overwrote its record may have left anything:
    /// it is no divergence, and what is below the plan stays unknown.
    fn check(&self, out: &Out, trace: &Trace, translation: &Translation) -> Result<Record, SearchError> {
        let ending = trace.outcome.ending;
        let made = trace.decisions.len();
        let planned = (0..out.depth).rev().zip(self.tree.ancestors(out.node));
        let left = planned
            .filter(|(at, _)| *at < made)
            .filter(|(at, planned)| !follows(planned, &translation.choice(&trace.decisions[*at].choice)));
        let what = match left.last() {
            _ if ending == Ending::Diverged => Some((made, trace.outcome.message.clone())),
            Some((at, planned)) => Some((at, format!("planned {planned:?}, made {:?}", trace.decisions[at].choice))),
            None if made < out.depth => Some((made, format!("the run was over ({ending:?})"))),
            None => None,
        };
        let lost = matches!(ending, Ending::Hung | Ending::Died | Ending::Scribbled);
        match what {
            _ if ending == Ending::Scribbled => Ok(Record::Useless),
            Some(_) if lost => Ok(Record::Useless),
            Some((at, what)) => Err(SearchError::Diverged { plan: Box::new(self.plan(out)), at, what }),
            None if trace.outcome.is_whole() && !lost => Ok(Record::Whole),
            None => Ok(Record::Cut),
        }
    }

    /// The plan that is out.
    fn plan(&self, out: &Out) -> Plan {
        Plan {
            id: out.id,
            threads: self.table.threads().to_vec(),
            choices: self.tree.path(out.node, out.depth),
            ..self.template.clone()
        }
    }

    /// Opens what the run's new decisions could have been, and gives the plan's hold back.
    fn open(&mut self, out: &Out, decisions: &[Decision], translation: &Translation) {
        if let Some(last) = out.depth.checked_sub(1).and_then(|last| decisions.get(last)) {
            self.tree.refine(out.node, translation.choice(&last.choice));
        }
        let mut node = out.node;
        for (depth, decision) in decisions.iter().enumerate().skip(out.depth) {
            let made = translation.choice(&decision.choice);
            self.scratch.clear();
            self.scratch.extend(decision.values.iter().map(|v| translation.value(made.kind, v)));
            self.scratch.sort_unstable_by(|a, b| b.cmp(a));
            for &value in self.scratch.iter().filter(|v| **v != made.value) {
                self.tree.hold(node);
                // What another thread was about to do is not recorded; `Run` says that nothing is known.
                let choice = Choice { value, op: expected_op(&made), ..made };
                self.frontier.push(Open { parent: node, choice, depth });
            }
            let child = self.tree.push(node, made);
            self.tree.release(node);
            node = child;
        }
        self.tree.release(node);
    }

    /// Drops everything but the template and the thread table.
    fn begin_again(&mut self) {
        self.tree = Tree::default();
        self.frontier = Frontier::default();
        self.begun = false;
        self.space += 1;
        self.progress = Progress { abandoned: self.progress.executed() + 1, ..Progress::default() };
    }
}

/// The operation expected at an alternative: the same when the asking thread does it whatever the value, unknown when
/// the value says whose it is.
pub(crate) fn expected_op(made: &Choice) -> OpKind {
    if matches!(made.kind, ChoiceKind::Thread | ChoiceKind::Waiter) { OpKind::Run } else { made.op }
}

fn follows(planned: &Choice, made: &Choice) -> bool {
    let place = |c: &Choice| (c.kind, c.thread, c.step, c.alternatives, c.value);
    place(planned) == place(made) && (planned.op == OpKind::Run || planned.op == made.op)
}
