//! An in-memory target: programs of a few operations, run by a small interpreter.
//!
//! It makes decisions, numbers threads and notices shared stacks as the native target does, and it can be asked for all
//! its runs by brute force, which is what searches are measured against.

#![allow(dead_code)] // each test crate uses its own part

use gabion_trace::{
    Choice, ChoiceKind, Coverage, Decision, Ending, OpKind, Outcome, Plan, PlanId, PointSet, RunError, Target,
    ThreadId, ThreadInfo, Trace,
};
use std::collections::BTreeSet;

/// One operation of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Always possible.
    Work,
    /// Possible while the lock is free.
    Lock(usize),
    /// Frees a lock.
    Unlock(usize),
    /// Starts a thread that runs this body.
    Spawn(usize),
    /// Waits for a signal.
    Wait,
    /// Wakes any one waiter: a decision if there are several.
    Signal,
    /// Touches main's stack: a point only where the plan knows that main's stack is shared.
    TouchMain,
    /// Fails as an assertion does.
    Fail,
    /// Calls what cannot be modelled.
    Unsupported,
}

/// A program: bodies of threads, the first is main's.
#[derive(Clone, Debug)]
pub struct Program(pub Vec<Vec<Op>>);

/// A run in words that do not depend on numbering: who did what, and whom a signal woke.
pub type Run = Vec<String>;

#[derive(Clone, Debug)]
struct Thread {
    name: String,
    body: usize,
    at: usize,
    waiting: bool,
    children: u32,
}

#[derive(Clone, Debug)]
struct State {
    threads: Vec<Thread>,
    locks: Vec<bool>,
    log: Run,
    failed: Option<Ending>,
}

impl State {
    fn new() -> Self {
        let main = Thread { name: "main".into(), body: 0, at: 0, waiting: false, children: 0 };
        State { threads: vec![main], locks: vec![false; 8], log: Vec::new(), failed: None }
    }
    fn next(&self, program: &Program, thread: usize) -> Option<Op> {
        let t = &self.threads[thread];
        program.0[t.body].get(t.at).copied()
    }
    fn enabled(&self, program: &Program) -> Vec<usize> {
        let can = |t: &usize| match self.next(program, *t) {
            None => false,
            Some(_) if self.threads[*t].waiting => false,
            Some(Op::Lock(lock)) => !self.locks[lock],
            Some(_) => true,
        };
        (0..self.threads.len()).filter(can).collect()
    }
    fn waiters(&self) -> Vec<usize> {
        (0..self.threads.len()).filter(|t| self.threads[*t].waiting).collect()
    }
    /// Runs one operation; `woken` is whom a signal wakes.
    fn step(&mut self, program: &Program, thread: usize, woken: Option<usize>) {
        let op = self.next(program, thread).expect("an enabled thread has an operation");
        let name = self.threads[thread].name.clone();
        self.log.push(format!("{name} {op:?} {}", woken.map_or(String::new(), |w| self.threads[w].name.clone())));
        self.threads[thread].at += 1;
        match op {
            Op::Work | Op::TouchMain => {}
            Op::Lock(lock) => self.locks[lock] = true,
            Op::Unlock(lock) => self.locks[lock] = false,
            Op::Spawn(body) => {
                let nth = self.threads[thread].children;
                self.threads[thread].children += 1;
                let name = format!("{name}.{nth}");
                self.threads.push(Thread { name, body, at: 0, waiting: false, children: 0 });
            }
            Op::Wait => self.threads[thread].waiting = true,
            Op::Signal => {
                if let Some(w) = woken {
                    self.threads[w].waiting = false;
                }
            }
            Op::Fail => self.failed = Some(Ending::Assertion),
            Op::Unsupported => self.failed = Some(Ending::Unsupported),
        }
    }
    fn is_over(&self, program: &Program) -> bool {
        self.failed.is_some() || self.enabled(program).is_empty()
    }
    fn ending(&self, program: &Program) -> Ending {
        let done = (0..self.threads.len()).all(|t| self.next(program, t).is_none() && !self.threads[t].waiting);
        self.failed.unwrap_or(if done { Ending::Passed } else { Ending::Deadlock })
    }
}

impl Program {
    /// Every run there is, `TouchMain` being a point.
    pub fn all_runs(&self) -> BTreeSet<Run> {
        let mut runs = BTreeSet::new();
        self.explore(State::new(), &mut runs);
        runs
    }

    fn explore(&self, state: State, runs: &mut BTreeSet<Run>) {
        if state.is_over(self) {
            assert!(runs.insert(state.log), "brute force visits a run once");
            return;
        }
        for thread in state.enabled(self) {
            let signal = state.next(self, thread) == Some(Op::Signal);
            let woken: Vec<_> = if signal { state.waiters() } else { Vec::new() };
            let outcomes = if woken.is_empty() { vec![None] } else { woken.into_iter().map(Some).collect() };
            for woken in outcomes {
                let mut after = state.clone();
                after.step(self, thread, woken);
                self.explore(after, runs);
            }
        }
    }
}

/// The target.
#[derive(Debug)]
pub struct Model {
    pub program: Program,
    pub runs: Vec<Run>,
    pub batch: usize,
    /// Of one run: an error of the target that shows only now and then.
    pub flaky: bool,
}

impl Model {
    pub fn new(program: Program, batch: usize) -> Self {
        Model { program, runs: Vec::new(), batch, flaky: false }
    }

    /// Runs one plan and gives the run in words too.
    pub fn run_one(&self, plan: &Plan) -> (Trace, Run) {
        let mut run = Running { plan, program: &self.program, table: Table::new(&plan.threads), decisions: Vec::new() };
        let mut state = State::new();
        let mut new_shared = false;
        let mut last = 0;
        let mut steps = 0;
        let mut diverged = None;
        while !state.is_over(&self.program) && diverged.is_none() && steps < plan.limits.steps {
            match run.step(&mut state, last, &mut new_shared) {
                Ok(thread) => last = thread,
                Err(what) => diverged = Some(what),
            }
            steps += 1;
        }
        let ending = if diverged.is_some() {
            Ending::Diverged
        } else if state.is_over(&self.program) {
            state.ending(&self.program)
        } else {
            Ending::TooManySteps
        };
        let (decisions, table) = (run.decisions, run.table);
        let trace = trace(plan, decisions, table, ending, diverged.unwrap_or_default(), new_shared, steps);
        (trace, state.log)
    }
}

fn trace(
    plan: &Plan,
    decisions: Vec<Decision>,
    table: Table,
    ending: Ending,
    message: String,
    new_shared: bool,
    length: u64,
) -> Trace {
    let mut shared_stacks = plan.shared_stacks.clone();
    if new_shared {
        shared_stacks.push(ThreadId::MAIN);
    }
    let hash = decisions.iter().fold(length, |h, d| h.wrapping_mul(31).wrapping_add(u64::from(d.choice.value)));
    let outcome = Outcome { ending, code: 0, thread: ThreadId::MAIN, pc: 0x1000, address: 0, message };
    Trace {
        threads: table.infos,
        decisions,
        coverage: if new_shared { Coverage::NEW_SHARED_STACK } else { Coverage(0) },
        passed: PointSet::EVERYWHERE,
        shared_stacks,
        length,
        cost: length,
        hash,
        ..Trace::new(plan.id, outcome)
    }
}

impl Target for Model {
    fn run(&mut self, plans: &[Plan], traces: &mut Vec<Trace>) -> Result<(), RunError> {
        traces.clear();
        for plan in plans {
            let (mut trace, run) = self.run_one(plan);
            if self.flaky {
                trace.hash ^= self.runs.len() as u64 + 1;
            }
            self.runs.push(run);
            traces.push(trace);
        }
        Ok(())
    }
    fn batch(&self) -> usize {
        self.batch
    }
}

struct Running<'a> {
    plan: &'a Plan,
    program: &'a Program,
    table: Table,
    decisions: Vec<Decision>,
}

impl Running<'_> {
    /// One step from point to point; `last` is who ran before.
    fn step(&mut self, state: &mut State, last: usize, new_shared: &mut bool) -> Result<usize, String> {
        let enabled = state.enabled(self.program);
        let known = self.plan.shared_stacks.contains(&ThreadId::MAIN);
        let touches = |state: &State, t: usize| state.next(self.program, t) == Some(Op::TouchMain);
        // A touch that is no point goes on with the step before it.
        let thread = if !known && enabled.contains(&last) && touches(state, last) && !state.log.is_empty() {
            last
        } else {
            self.decide(ChoiceKind::Thread, state, last, &enabled)?
        };
        *new_shared |= !known && thread != 0 && touches(state, thread);
        let waiters = state.waiters();
        let woken = match state.next(self.program, thread) {
            Some(Op::Signal) if !waiters.is_empty() => {
                Some(self.decide(ChoiceKind::Waiter, state, thread, &waiters)?)
            }
            _ => None,
        };
        let before = state.threads.len();
        state.step(self.program, thread, woken);
        if state.threads.len() > before {
            self.table.add(thread, state.threads[thread].children - 1);
        }
        Ok(thread)
    }

    /// Chooses one of `from` (indices of this run's threads) as the plan says, or else the tail's way.
    fn decide(&mut self, kind: ChoiceKind, state: &State, asker: usize, from: &[usize]) -> Result<usize, String> {
        if let [only] = from {
            return Ok(*only);
        }
        let mut values: Vec<u32> = from.iter().map(|t| u32::from(self.table.numbers[*t].0)).collect();
        values.sort_unstable();
        let asking = self.table.numbers[asker];
        let place = Choice {
            kind,
            thread: asking,
            step: state.threads[asker].at as u32,
            op: OpKind::Access,
            alternatives: values.len() as u16,
            value: 0,
        };
        let value = match self.plan.choices.get(self.decisions.len()) {
            Some(planned) => {
                let expected = Choice { op: planned.op, value: planned.value, ..place };
                if *planned != expected || !values.contains(&planned.value) {
                    return Err(format!("expected {planned:?}, have {values:?} at {place:?}"));
                }
                planned.value
            }
            None if values.contains(&u32::from(asking.0)) => u32::from(asking.0),
            None => values[0],
        };
        self.decisions.push(Decision {
            choice: Choice { value, ..place },
            values: values.into_iter().collect(),
            free: false,
        });
        Ok(*from.iter().find(|t| u32::from(self.table.numbers[**t].0) == value).expect("value is one of them"))
    }
}

/// This run's threads in order of creation, and their numbers in the plan's table or after it.
struct Table {
    infos: Vec<ThreadInfo>,
    numbers: Vec<ThreadId>,
}

impl Table {
    fn new(planned: &[ThreadInfo]) -> Self {
        let main = ThreadInfo { parent: ThreadId::MAIN, nth: 0, start: 0 };
        let infos = if planned.is_empty() { vec![main] } else { planned.to_vec() };
        Table { infos, numbers: vec![ThreadId::MAIN] }
    }
    fn add(&mut self, parent: usize, nth: u32) {
        let parent = self.numbers[parent];
        let known = self.infos.iter().skip(1).position(|i| (i.parent, i.nth) == (parent, nth));
        let index = known.map_or(self.infos.len(), |i| i + 1);
        if index == self.infos.len() {
            self.infos.push(ThreadInfo { parent, nth, start: 0x2000 });
        }
        self.numbers.push(ThreadId(index as u16));
    }
}

/// A plan's id for tests.
pub fn id(number: u64) -> PlanId {
    PlanId(number)
}
