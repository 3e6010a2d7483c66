//! Every interleaving of a program by recursion over copies of its state: what a search is measured against.
//!
//! Shares the interpreter with the target, and nothing with the search: no plans, no traces, no reduction.

use crate::order::{Done, End, Order, Steps, read};
use crate::perform::{Stepper, Stop, World};
use crate::program::{Program, REGISTERS};
use crate::run::waits_for_time;
use crate::state::{Life, NOBODY, State};
use gabion_trace::{Address, ChoiceKind, Ending, Event, OpKind, PointSet, Space};
use std::collections::{BTreeMap, BTreeSet};

/// The state at the end of a run, in words that do not depend on the order of creation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Final {
    /// How it ended.
    pub ending: Ending,
    /// Variables.
    pub memory: Vec<i64>,
    /// Address and content of every block.
    pub blocks: Vec<(u64, i64)>,
    /// Of every thread its name, the statement it came to, and its registers.
    pub threads: Vec<(u32, usize, [i64; REGISTERS])>,
}

impl Final {
    pub(crate) fn of(state: &State, ending: Ending) -> Self {
        let born = state.threads.iter().filter(|t| t.life != Life::Unborn);
        let mut threads: Vec<_> = born.map(|t| (t.name, t.at, t.registers)).collect();
        threads.sort_unstable();
        let mut blocks: Vec<_> = state.blocks.iter().map(|b| (b.address, b.content)).collect();
        blocks.sort_unstable();
        Final { ending, memory: state.memory.clone(), blocks, threads }
    }
}

/// What was wrong with a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// A thread failed.
    Failure {
        /// How.
        ending: Ending,
        /// Its name.
        thread: u32,
        /// Where.
        pc: u64,
    },
    /// Threads wait: each with its name, what it waits to do, and to what (another thread by name).
    Deadlock(Vec<(u32, OpKind, Address)>),
}

impl Finding {
    /// What the state, which is at its end, shows; meaningful if the ending is a failure.
    pub(crate) fn of(program: &Program, state: &State) -> Option<Self> {
        let over = state.over?;
        if over.ending != Ending::Deadlock {
            let thread = state.threads[over.thread].name;
            return Some(Finding::Failure { ending: over.ending, thread, pc: over.pc });
        }
        let name = |object: Address| match object.space() {
            Some(Space::Thread) => Address::new(Space::Thread, u64::from(state.threads[object.offset() as usize].name)),
            _ => object,
        };
        let mut waits: Vec<_> = state
            .blocked(program)
            .map(|b| (state.threads[b.pending.thread.index()].name, b.pending.op, name(b.pending.object)))
            .collect();
        waits.sort_unstable();
        Some(Finding::Deadlock(waits))
    }
}

/// Everything there is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explored {
    /// Complete runs.
    pub runs: u64,
    /// Interleavings left because they need more preemptions than the bound; counted where they would leave it.
    pub cut: u64,
    /// How runs end.
    pub finals: BTreeSet<Final>,
    /// What is wrong with some.
    pub findings: BTreeSet<Finding>,
    /// Happens-before orders, and how many runs have each.
    pub orders: BTreeMap<Order, u64>,
    /// One run of each order: who made each step, by name, and the values chosen in it.
    pub witnesses: BTreeMap<Order, Vec<(u32, Vec<u32>)>>,
}

/// How to visit every interleaving.
#[derive(Clone, Copy, Debug)]
pub struct Exhaustive {
    /// Classes of preemption points.
    pub points: PointSet,
    /// Most preemptions of a run, counted as [`gabion_trace::Trace::preemptions`] does.
    pub bound: Option<u32>,
    /// Gives up beyond so many runs.
    pub most: u64,
    /// Waits may end without a signal.
    pub spurious: bool,
    /// Freed memory is reused at once.
    pub recycle: bool,
}

impl Default for Exhaustive {
    fn default() -> Self {
        Exhaustive { points: PointSet::EVERYWHERE, bound: None, most: u64::MAX, spurious: false, recycle: false }
    }
}

/// Visits every interleaving, within the bound if there is one, every operation being a point.
pub fn explore(program: &Program, bound: Option<u32>) -> Explored {
    Exhaustive { bound, ..Exhaustive::default() }.explore(program).expect("internal error: there is no limit")
}

impl Exhaustive {
    /// Visits every interleaving; `None`: there are too many.
    pub fn explore(&self, program: &Program) -> Option<Explored> {
        Some(self.visit(program, Purpose::All)?.0)
    }

    /// Of every order: how many runs have it, and how many sequences of its steps there are. Equal, unless the order
    /// leaves out something that matters; `None`: there are too many runs.
    pub fn extensions(&self, program: &Program) -> Option<Vec<(u64, u64)>> {
        let (found, mut extensions) = self.visit(program, Purpose::Extensions)?;
        let all = found.orders.iter();
        Some(all.map(|(order, runs)| (*runs, extensions.remove(order).unwrap_or(0))).collect())
    }

    /// Counts runs only; `None`: there are too many.
    pub fn count(&self, program: &Program) -> Option<u64> {
        Some(self.visit(program, Purpose::Count)?.0.runs)
    }

    fn visit(&self, program: &Program, purpose: Purpose) -> Option<(Explored, BTreeMap<Order, u64>)> {
        let mut state = State::new(program, &[], self.spurious).recycling(self.recycle);
        let mut events = Script::default();
        Stepper { program, points: self.points, races: &[], state: &mut state, world: &mut events }.begin();
        let mut visitor = Visitor {
            how: *self,
            program,
            purpose,
            found: Explored::default(),
            extensions: BTreeMap::new(),
            steps: Steps::default(),
        };
        visitor.at_point(state, 0)?;
        Some((visitor.found, visitor.extensions))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Count,
    All,
    Extensions,
}

struct Visitor<'a> {
    how: Exhaustive,
    program: &'a Program,
    purpose: Purpose,
    found: Explored,
    extensions: BTreeMap<Order, u64>,
    steps: Steps,
}

impl Visitor<'_> {
    /// The running thread stands at a point, has ended, or the run is over. `None`: too many runs.
    fn at_point(&mut self, mut state: State, preemptions: u32) -> Option<()> {
        let me = state.current;
        let ready = state.ready(self.program);
        if state.over.is_none() && ready == 0 {
            state.deadlock(self.program, NOBODY);
        }
        if state.over.is_some() {
            return self.leaf(&state);
        }
        let goes_on = ready >> me & 1 == 1 && {
            let op = state.pending(self.program, me).op;
            !op.gives_way() && !waits_for_time(op)
        };
        for next in (0..state.threads.len()).filter(|t| ready >> t & 1 == 1) {
            let preemptions = preemptions + u32::from(goes_on && next != me);
            if self.how.bound.is_some_and(|bound| preemptions > bound) {
                self.found.cut += 1;
                continue;
            }
            self.step(&state, next, preemptions)?;
        }
        Some(())
    }

    /// Every way in which the thread's next step can go.
    fn step(&mut self, state: &State, next: usize, preemptions: u32) -> Option<()> {
        let mut scripts = vec![Vec::new()];
        while let Some(script) = scripts.pop() {
            let mut after = state.clone();
            let mut world = Script { given: script, ..Script::default() };
            let (program, points) = (self.program, self.how.points);
            if (Stepper { program, points, races: &[], state: &mut after, world: &mut world }).step(next)
                == Stop::Unanswered
            {
                for value in world.asked.into_iter().rev() {
                    scripts.push([&world.given[..], &[value]].concat());
                }
                continue;
            }
            if self.purpose != Purpose::Count {
                let (accesses, wakes) = read(&world.events);
                self.steps.push(Done {
                    thread: next,
                    name: state.threads[next].name,
                    number: state.threads[next].steps,
                    values: world.named,
                    accesses,
                    wakes,
                    clock: Vec::new(),
                });
            }
            self.at_point(after, preemptions)?;
            self.steps.pop();
        }
        Some(())
    }

    fn leaf(&mut self, state: &State) -> Option<()> {
        self.found.runs += 1;
        if self.found.runs > self.how.most {
            return None;
        }
        if self.purpose == Purpose::Count {
            return Some(());
        }
        let over = state.over.expect("internal error: a run is over at its end");
        let end = End::of(over.ending);
        let order = self.steps.order(end);
        *self.found.orders.entry(order).or_default() += 1;
        self.found.witnesses.entry(order).or_insert_with(|| self.steps.schedule());
        if self.purpose == Purpose::Extensions {
            self.extensions.entry(order).or_insert_with(|| self.steps.extensions(end));
        }
        self.found.finals.insert(Final::of(state, over.ending));
        if over.ending != Ending::Passed {
            self.found.findings.extend(Finding::of(self.program, state));
        }
        Some(())
    }
}

/// Answers given beforehand; the question after them is noted.
#[derive(Default)]
struct Script {
    given: Vec<u32>,
    /// Answers used, threads by name.
    named: Vec<u32>,
    asked: Vec<u32>,
    events: Vec<Event>,
}

impl World for Script {
    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn choose(&mut self, state: &State, kind: ChoiceKind, values: &[u32]) -> Option<u32> {
        let Some(value) = self.given.get(self.named.len()).copied() else {
            self.asked = values.to_vec();
            return None;
        };
        let waiter = kind == ChoiceKind::Waiter;
        self.named.push(if waiter { state.threads[value as usize].name } else { value });
        Some(value)
    }
}
