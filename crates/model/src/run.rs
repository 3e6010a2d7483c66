//! One run of a plan: who goes on at each point, and the record of it.
//!
//! Follows `sched.rs` and `plan.rs` of the runtime. Sleepers hold in the state in which the plan's last choice is made
//! (from the beginning if it has none): every step from the one begun by that choice on wakes those with which it
//! conflicts, and after the last choice nobody is chosen whose next step sleeps. A sleeper with values is one way in
//! which the step can go; the others are awake.

use crate::perform::{Stepper, Stop, World};
use crate::program::Program;
use crate::state::{Life, NOBODY, Over, State};
use gabion_trace::{
    Access, Choice, ChoiceKind, Decision, Ending, Event, Mismatch, OpKind, Plan, Point, Recording, Span, Step, Tail,
    ThreadId, Trace, Values,
};

/// A step was begun and cannot go on.
const VALUES_SLEEP: &str = "all values of a choice sleep";

/// A run in the making.
pub(crate) struct Running<'a> {
    plan: &'a Plan,
    program: &'a Program,
    /// Next of the plan's choices.
    position: usize,
    /// Sleepers that have not been woken, as indices.
    asleep: Vec<usize>,
    trace: Trace,
    /// What the present step touched, while there are sleepers.
    touched: Vec<Access>,
    /// Answers given in the present step.
    answers: Vec<u32>,
    /// Why the plan could not be followed.
    diverged: Option<String>,
    /// Every value of a choice within a step sleeps.
    all_asleep: bool,
    values: Vec<u32>,
}

impl World for Running<'_> {
    fn event(&mut self, event: Event) {
        self.mix(fingerprint(&event));
        if !self.asleep.is_empty() {
            self.touched.extend(event.as_access());
        }
        // The model's main thread may allocate before its first step.
        if self.plan.recording >= Recording::Accesses
            && let Some(step) = self.trace.steps.last_mut()
        {
            let event = match event {
                Event::Access { access, .. } if self.plan.recording < Recording::Values => {
                    Event::Access { access, value: None }
                }
                other => other,
            };
            step.events.push(&mut self.trace.events, event);
        }
    }

    fn choose(&mut self, state: &State, kind: ChoiceKind, values: &[u32]) -> Option<u32> {
        let value = match self.follow(state, kind, values)? {
            Some(value) => value,
            None => {
                let awake = values.iter().copied().find(|value| !self.answer_sleeps(state, *value));
                self.all_asleep = awake.is_none();
                awake?
            }
        };
        self.answers.push(value);
        self.decided(state, kind, values, value);
        Some(value)
    }
}

impl<'a> Running<'a> {
    pub(crate) fn new(plan: &'a Plan, program: &'a Program, trace: Trace) -> Self {
        Running {
            plan,
            program,
            position: 0,
            asleep: (0..plan.sleepers.len()).collect(),
            trace,
            touched: Vec::new(),
            answers: Vec::new(),
            diverged: None,
            all_asleep: false,
            values: Vec::new(),
        }
    }

    /// Runs to the end.
    pub(crate) fn run(mut self, state: &mut State) -> Trace {
        let (program, points, races) = (self.program, self.plan.points, self.plan.races.as_slice());
        Stepper { program, points, races, state, world: &mut self }.begin();
        let mut point = first_point(program, state);
        while state.over.is_none() {
            let Some(next) = self.choose_next(state, point) else { break };
            self.touched.clear();
            self.answers.clear();
            match (Stepper { program, points, races, state, world: &mut self }).step(next) {
                Stop::At(at) => point = at,
                Stop::Over => {}
                Stop::Unanswered => {
                    if self.all_asleep {
                        self.end(state, Ending::Asleep, VALUES_SLEEP);
                    }
                    break;
                }
            }
            self.wake();
            if state.pending_gives_way(program) {
                state.threads[next].yielded = self.trace.length + 1;
            }
        }
        self.finish(state)
    }

    /// Who makes the next step; `None`: the run is over.
    fn choose_next(&mut self, state: &mut State, point: Point) -> Option<usize> {
        self.trace.length += 1;
        if self.trace.length > self.plan.limits.steps {
            self.end(state, Ending::TooManySteps, "the run has more steps than the limit");
            return None;
        }
        let ready = state.ready(self.program);
        let next = match ready.count_ones() {
            0 => {
                state.deadlock(self.program, NOBODY);
                return None;
            }
            1 => self.only(state, ready.trailing_zeros())?,
            _ => self.among(state, ready)?,
        };
        self.step(state, next, point, ready);
        Some(next)
    }

    /// One thread can go on: no decision, but a plan may have one here.
    fn only(&mut self, state: &mut State, thread: u32) -> Option<usize> {
        let me = state.current;
        match self.plan.choices.get(self.position) {
            Some(planned) => {
                let here = planned.kind == ChoiceKind::Thread
                    && planned.thread.index() == me
                    && planned.step == state.threads[me].steps
                    && planned.value == thread;
                self.position += usize::from(here);
            }
            None if self.sleeps(state, thread) => {
                self.end(state, Ending::Asleep, "the only thread that can go on sleeps");
                return None;
            }
            None => {}
        }
        Some(thread as usize)
    }

    /// Several threads can go on: a decision.
    fn among(&mut self, state: &mut State, ready: u64) -> Option<usize> {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        values.extend((0..64).filter(|t| ready >> t & 1 == 1));
        let next = match self.follow(state, ChoiceKind::Thread, &values) {
            None => None,
            Some(Some(planned)) => Some(planned),
            Some(None) => {
                let chosen = self.tail(state, &values);
                if chosen.is_none() {
                    self.end(state, Ending::Asleep, "all threads that can go on sleep");
                }
                chosen
            }
        };
        if let Some(next) = next {
            self.decided(state, ChoiceKind::Thread, &values, next);
        }
        self.values = values;
        next.map(|next| next as usize)
    }

    /// What the plan says here. Outer `None`: it does not fit; inner: nothing.
    fn follow(&mut self, state: &State, kind: ChoiceKind, values: &[u32]) -> Option<Option<u32>> {
        let Some(planned) = self.plan.choices.get(self.position).copied() else { return Some(None) };
        if self.fits(&planned, state, kind, values) {
            self.position += 1;
            return Some(Some(planned.value));
        }
        match self.plan.mismatch {
            Mismatch::Stop => {
                let me = state.current;
                self.diverged = Some(format!(
                    "choice {}: the plan expects {planned:?}; here is {kind:?} by T{me} at its step {} among {values:?}",
                    self.position, state.threads[me].steps,
                ));
                None
            }
            Mismatch::Skip => {
                while let Some(planned) = self.plan.choices.get(self.position).copied() {
                    self.position += 1;
                    if self.fits(&planned, state, kind, values) {
                        return Some(Some(planned.value));
                    }
                }
                Some(None)
            }
            Mismatch::Nearest => {
                let near = planned.kind == kind && values.contains(&planned.value);
                self.position += usize::from(near);
                Some(near.then_some(planned.value))
            }
        }
    }

    fn fits(&self, planned: &Choice, state: &State, kind: ChoiceKind, values: &[u32]) -> bool {
        let me = state.current;
        planned.kind == kind
            && values.contains(&planned.value)
            && planned.thread.index() == me
            && planned.step == state.threads[me].steps
            && (planned.op == OpKind::Run || planned.op == self.op_of(state, kind, planned.value))
    }

    /// What is about to be done by whom the value names.
    fn op_of(&self, state: &State, kind: ChoiceKind, value: u32) -> OpKind {
        match kind {
            ChoiceKind::Thread | ChoiceKind::Waiter => state.pending(self.program, value as usize).op,
            ChoiceKind::Spurious | ChoiceKind::Program | ChoiceKind::Wait => OpKind::Choose,
        }
    }

    /// Who goes on when the plan has nothing more to say; `None`: all sleep.
    fn tail(&self, state: &State, ready: &[u32]) -> Option<u32> {
        let me = state.current as u32;
        let op = |t: u32| state.pending(self.program, t as usize).op;
        let awake = || ready.iter().copied().filter(|t| !self.sleeps(state, *t));
        let last = |t: u32| waits_for_time(op(t)) || t == me && op(t).gives_way();
        let preferred = |t: &u32| !last(*t);
        match self.plan.tail {
            Tail::Fair => {
                let key = |t: &u32| (state.threads[*t as usize].yielded, *t != me, *t);
                awake().filter(preferred).min_by_key(key).or_else(|| awake().min_by_key(key))
            }
            _ => awake().filter(preferred).min_by_key(|t| (*t != me, *t)).or_else(|| awake().next()),
        }
    }

    fn sleeps(&self, state: &State, thread: u32) -> bool {
        self.asleep.iter().map(|i| &self.plan.sleepers[*i]).any(|sleeper| {
            sleeper.thread.index() == thread as usize
                && sleeper.step == state.threads[thread as usize].steps
                && sleeper.values.is_empty()
        })
    }

    /// Would this answer make the present step one that sleeps?
    fn answer_sleeps(&self, state: &State, value: u32) -> bool {
        let me = state.current;
        self.asleep.iter().map(|i| &self.plan.sleepers[*i]).any(|sleeper| {
            sleeper.thread.index() == me
                && sleeper.step + 1 == state.threads[me].steps
                && sleeper.values.split_last() == Some((&value, &self.answers[..]))
        })
    }

    /// The step just made wakes whom it conflicts with.
    fn wake(&mut self) {
        if self.position < self.plan.choices.len() {
            return;
        }
        let (sleepers, touched) = (&self.plan.sleepers, &self.touched);
        self.asleep.retain(|i| {
            let asleep = &sleepers[*i].footprint.accesses;
            !touched.iter().any(|a| asleep.iter().any(|b| a.conflicts(b)))
        });
    }

    fn decided(&mut self, state: &State, kind: ChoiceKind, values: &[u32], value: u32) {
        let me = state.current;
        let free = state.threads[me].life == Life::Live && {
            let op = state.pending(self.program, me).op;
            op.gives_way() || waits_for_time(op)
        };
        let choice = Choice {
            kind,
            thread: ThreadId(me as u16),
            step: state.threads[me].steps,
            op: self.op_of(state, kind, value),
            alternatives: values.len() as u16,
            value,
        };
        self.mix(u64::from(value) << 32 | u64::from(choice.step) << 8 | kind as u64);
        self.trace.decisions.push(Decision { choice, values: values.iter().copied().collect(), free });
    }

    /// A step begins.
    fn step(&mut self, state: &State, thread: usize, point: Point, ready: u64) {
        self.mix(ready << 8 | thread as u64);
        if self.plan.recording < Recording::Accesses {
            return;
        }
        let trace = &mut self.trace;
        let mut blocked = Span::at(trace.waits.len());
        state.blocked(self.program).for_each(|b| blocked.push(&mut trace.waits, b));
        trace.steps.push(Step {
            thread: ThreadId(thread as u16),
            number: state.threads[thread].steps,
            point,
            enabled: Values::from_bits(ready),
            alternatives: ready.count_ones(),
            passed: state.passed_off,
            pending: Some(state.pending(self.program, thread)),
            decisions: trace.decisions.len() as u32,
            blocked,
            waiting: Span::at(0),
            stack: Span::at(0),
            events: Span::at(trace.events.len()),
        });
    }

    /// Ends the run for a reason that is not the program's own.
    fn end(&mut self, state: &mut State, ending: Ending, message: &'static str) {
        let thread = state.current;
        state.over = Some(Over { ending, thread, pc: 0, address: 0, message });
    }

    fn finish(mut self, state: &State) -> Trace {
        let trace = &mut self.trace;
        let outcome = &mut trace.outcome;
        match (&state.over, self.diverged) {
            (_, Some(message)) => {
                outcome.ending = Ending::Diverged;
                outcome.message = message;
            }
            (Some(over), None) => {
                outcome.ending = over.ending;
                outcome.message = over.message.to_string();
                outcome.code = i32::from(over.message == VALUES_SLEEP);
                (outcome.pc, outcome.address) = (over.pc, over.address);
                outcome.thread = ThreadId(over.thread as u16);
            }
            (None, None) => unreachable!("internal error: a run stopped before its end"),
        }
        if outcome.ending == Ending::Deadlock {
            trace.blocked = state.blocked(self.program).collect();
        }
        if self.plan.recording >= Recording::Accesses {
            trace.pending = state.all_pending(self.program).collect();
        }
        trace.cost = trace.length;
        trace.passed = state.passed;
        trace.hash = mixed(trace.hash, trace.outcome.ending as u64);
        self.trace
    }

    fn mix(&mut self, word: u64) {
        self.trace.hash = mixed(self.trace.hash, word);
    }
}

/// Runs only because time passes.
pub(crate) fn waits_for_time(op: OpKind) -> bool {
    matches!(op, OpKind::CondTimeout | OpKind::FutexTimeout | OpKind::CondQueued)
}

/// The class of the point before main's first operation.
pub(crate) fn first_point(program: &Program, state: &State) -> Point {
    match state.over {
        None => state.pending(program, 0).op.point().unwrap_or(Point::Voluntary),
        Some(_) => Point::Voluntary,
    }
}

impl State {
    /// Has the running thread come to a point at which it gives way?
    fn pending_gives_way(&self, program: &Program) -> bool {
        let t = &self.threads[self.current];
        self.over.is_none() && t.life == Life::Live && self.pending(program, self.current).op.gives_way()
    }
}

fn mixed(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

fn fingerprint(event: &Event) -> u64 {
    match *event {
        Event::Access { access, value } => mixed(mixed(access.address.0, u64::from(access.kind.0)), value.unwrap_or(0)),
        Event::Op { op, object, result, pc } => mixed(mixed(mixed(op as u64, object.0), u64::from(result)), pc),
        Event::Alloc { address, size, .. } => mixed(address, u64::from(size)),
        Event::Wake { thread } => u64::from(thread.0),
    }
}
