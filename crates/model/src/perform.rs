//! One step: the pending operation, and what follows up to the next point.
//!
//! A point is before a visible operation whose class is on, or that cannot be done, or that follows a release (where
//! that class is on) or a creation; anything else visible belongs to the step in which it is reached. What is local
//! happens in the step before it; what a new thread does before its first visible operation, in its creator's.

mod blocks;
mod sync;

use crate::program::{self, Program, Statement, Value};
use crate::state::{Life, Next, Over, State};
use gabion_trace::{
    Access, AccessKind, Address, ChoiceKind, Ending, Event, OpKind, Point, PointSet, Pseudo, RacePoint, ThreadId,
};

const EBUSY: u32 = 16;
const EAGAIN: u32 = 11;
const EDEADLK: u32 = 35;
const ETIMEDOUT: i64 = 110;

/// What a step tells, and what it asks.
pub(crate) trait World {
    /// Something happened.
    fn event(&mut self, event: Event);
    /// Which of these (there are at least two)? `None`: no answer, and the state is of no more use.
    fn choose(&mut self, state: &State, kind: ChoiceKind, values: &[u32]) -> Option<u32>;
}

/// Why a step went no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The thread stands at a point, or has ended.
    At(Point),
    /// The run is over.
    Over,
    /// A question had no answer.
    Unanswered,
}

/// A step of the state's current thread.
pub(crate) struct Stepper<'a, W> {
    pub(crate) program: &'a Program,
    pub(crate) points: PointSet,
    pub(crate) races: &'a [RacePoint],
    pub(crate) state: &'a mut State,
    pub(crate) world: &'a mut W,
}

impl<W: World> Stepper<'_, W> {
    /// Before the first step: main's local beginning.
    pub(crate) fn begin(&mut self) {
        self.settle(0);
    }

    /// Makes a step of the thread, which is enabled.
    pub(crate) fn step(&mut self, thread: usize) -> Stop {
        self.state.current = thread;
        self.state.inside = true;
        self.state.threads[thread].steps += 1;
        self.state.passed_off = 0;
        loop {
            let performed = self.perform(thread);
            if self.state.over.is_some() {
                return Stop::Over;
            }
            if performed.is_none() {
                return Stop::Unanswered;
            }
            self.settle(thread);
            if self.state.over.is_some() {
                return Stop::Over;
            }
            if self.state.threads[thread].next == Next::End {
                self.end(thread);
                return self.stop(Point::Voluntary);
            }
            if let Some(point) = self.point(thread) {
                return self.stop(point);
            }
        }
    }

    fn stop(&mut self, point: Point) -> Stop {
        self.state.inside = false;
        Stop::At(point)
    }

    /// The class of the point before the thread's next operation, if there is one.
    fn point(&mut self, thread: usize) -> Option<Point> {
        let pending = self.state.pending(self.program, thread);
        let class = pending.op.point();
        let named = self
            .races
            .iter()
            .any(|race| race.pc == pending.pc && race.thread.is_none_or(|only| only.index() == thread));
        let on = class.is_some_and(|class| {
            let told = if named && class == Point::Everywhere { Point::Race } else { class };
            self.state.passed = PointSet(self.state.passed.0 | 1 << told as u16);
            self.points.has(class) || named
        });
        let forced = std::mem::replace(&mut self.state.threads[thread].force, false);
        if on || forced {
            return Some(if on { class.unwrap_or(Point::Voluntary) } else { Point::Unlock });
        }
        if !self.state.enabled(self.program, thread) {
            // Had it not been for the object, the step would have gone on: it has read it. What keeps a writer out may be a
            // reader, which conflicts with nothing less than a writer.
            let kind = if pending.op == OpKind::WriteLock { AccessKind::UPDATE } else { AccessKind::READ };
            self.access(pending.object, 1, kind.with(AccessKind::ATOMIC), None);
            return Some(Point::Voluntary);
        }
        self.state.passed_off += u32::from(class.is_some());
        None
    }

    /// Runs a thread's local statements up to a visible one.
    fn settle(&mut self, thread: usize) {
        if self.state.threads[thread].next != Next::Statement {
            return;
        }
        while let Some(statement) = self.state.statement(self.program, thread) {
            let t = &mut self.state.threads[thread];
            match statement {
                Statement::Assert(register, expected) if t.registers[register] != expected => {
                    return self.fail(Ending::Assertion, thread, 0, "the register has another value");
                }
                Statement::IfEq(register, value, skip) if t.registers[register] != value => t.at += skip,
                Statement::Join(nth) if nth as u32 >= t.created || t.joined >> nth & 1 == 1 => {}
                Statement::Alloc(register) if self.state.recycled.is_none() => self.allocate(thread, register),
                Statement::Set(register, value) => t.registers[register] = t.value(value),
                Statement::Assert(..) | Statement::IfEq(..) => {}
                _ => return,
            }
            self.state.threads[thread].at += 1;
        }
        self.state.threads[thread].next = if thread == 0 { Next::Exit } else { Next::End };
    }

    fn end(&mut self, thread: usize) {
        self.state.threads[thread].life = Life::Ended;
        self.op(OpKind::ThreadEnd, Address::thread(ThreadId(thread as u16)), 0);
    }

    /// Does what the thread is about to do. `None`: a question had no answer.
    fn perform(&mut self, me: usize) -> Option<()> {
        match self.state.threads[me].next {
            Next::Statement => {
                let statement = self.state.statement(self.program, me).expect("internal error: no statement");
                return self.statement(me, statement);
            }
            Next::Queued { cond, mutex, timed } => {
                let op = if timed.is_some() { OpKind::CondTimeout } else { OpKind::CondQueued };
                self.op(op, program::cond(cond), 0);
                self.state.threads[me].spurious |= timed.is_none();
                let result = timed.map(|register| (register, ETIMEDOUT));
                self.state.threads[me].next = Next::Reacquire { mutex, result };
            }
            Next::Reacquire { mutex, result } => {
                self.state.mutexes[mutex] = Some(me);
                if let Some((register, value)) = result {
                    self.state.threads[me].registers[register] = value;
                }
                self.op(OpKind::CondReacquire, program::mutex(mutex), 0);
                self.advance(me);
            }
            Next::Barrier { barrier, .. } => {
                self.op(OpKind::BarrierWait, program::barrier(barrier), 0);
                self.advance(me);
            }
            Next::End => {} // what follows in the step
            Next::Exit => self.exit(me),
        }
        Some(())
    }

    fn statement(&mut self, me: usize, statement: Statement) -> Option<()> {
        use Statement::*;
        match statement {
            Read(..) | Write(..) | Load(..) | Store(..) | Update(..) | Cas(..) => self.variable(me, statement),
            Spin(n, until, times) => {
                let value = self.state.memory[n];
                self.access(program::variable(n), 8, AccessKind::READ.with(AccessKind::ATOMIC), Some(value));
                let t = &mut self.state.threads[me];
                t.spins += 1;
                if value != until && t.spins < times {
                    return Some(()); // the same statement again
                }
                t.spins = 0;
            }
            Create(body) => self.create(body),
            Join(nth) => {
                let child = self.state.threads[me].children[nth];
                self.state.threads[me].joined |= 1 << nth;
                self.op(OpKind::Join, Address::thread(ThreadId(child)), 0);
            }
            Lock(_) | Unlock(_) | TryLock(..) => self.mutex(me, statement),
            ReadLock(_) | WriteLock(_) | WriteTryLock(..) | RwUnlock(_) => self.rwlock(me, statement),
            Once(..) | OnceDone(_) => self.once(me, statement),
            CondWait(cond, mutex) => return self.wait(me, cond, mutex, None),
            CondTimedWait(cond, mutex, register) => return self.wait(me, cond, mutex, Some(register)),
            Signal(cond) => self.signal(cond)?,
            Broadcast(cond) => self.broadcast(cond),
            SemWait(_) | SemTryWait(..) | SemPost(_) => self.semaphore(me, statement),
            Barrier(barrier) => return self.arrive(me, barrier),
            Alloc(register) => {
                self.op(OpKind::Hidden, Address::pseudo(Pseudo::Heap), 0);
                self.allocate(me, register);
            }
            ReadAt(..) | WriteAt(..) | Free(_) => self.block(me, statement),
            Choose(count, register) => {
                let values: Vec<u32> = (0..count).collect();
                let value = self.choose(ChoiceKind::Program, &values)?.unwrap_or(0);
                self.op(OpKind::Choose, Address(0), value);
                self.state.threads[me].registers[register] = i64::from(value);
            }
            Local => self.op(OpKind::Preempt, Address(0), 0),
            Yield => self.op(OpKind::Yield, Address(0), 0),
            Exit => self.exit(me),
            Assert(..) | IfEq(..) | Set(..) => unreachable!("internal error: a local statement is no step"),
        }
        if self.state.over.is_none() {
            self.advance(me);
        }
        Some(())
    }

    fn variable(&mut self, me: usize, statement: Statement) {
        use Statement::*;
        let t = &self.state.threads[me];
        let (n, into, new) = match statement {
            Read(n, into) | Load(n, into) => (n, Some(into), None),
            Write(n, value) | Store(n, value) => (n, None, Some(t.value(value))),
            Update(n, plus, into) => (n, Some(into), Some(self.state.memory[n].wrapping_add(plus))),
            Cas(n, expected, new, into) => (n, Some(into), (self.state.memory[n] == expected).then_some(new)),
            _ => unreachable!("internal error: no access to a variable"),
        };
        let old = self.state.memory[n];
        let mut kind = AccessKind(0);
        if let Some(into) = into {
            kind = kind.with(AccessKind::READ);
            self.state.threads[me].registers[into] = old;
        }
        if let Some(new) = new {
            kind = kind.with(AccessKind::WRITE);
            self.state.memory[n] = new;
        }
        if !matches!(statement, Read(..) | Write(..)) {
            kind = kind.with(AccessKind::ATOMIC).with(AccessKind::ACQUIRE).with(AccessKind::RELEASE);
        }
        self.access(program::variable(n), 8, kind, Some(old));
    }

    fn create(&mut self, body: usize) {
        let child = self.state.create(body);
        let thread = ThreadId(child as u16);
        self.op(OpKind::Create, Address::thread(thread), 0);
        self.settle(child);
        self.world.event(Event::Wake { thread });
        let me = self.state.current;
        self.state.threads[me].force = true;
    }

    /// One of the values: the only one, the one asked for, or none if there is none.
    fn choose(&mut self, kind: ChoiceKind, values: &[u32]) -> Option<Option<u32>> {
        match values {
            [] => Some(None),
            [only] => Some(Some(*only)),
            _ => self.world.choose(self.state, kind, values).map(Some),
        }
    }

    fn exit(&mut self, me: usize) {
        self.op(OpKind::Exit, Address::pseudo(Pseudo::Process), 0);
        self.fail(Ending::Passed, me, 0, "");
    }

    /// The run is over.
    fn fail(&mut self, ending: Ending, thread: usize, address: u64, message: &'static str) {
        self.state.over = Some(Over { ending, thread, pc: self.state.pc(thread), address, message });
    }

    /// A try-operation's result.
    fn attempt(&mut self, me: usize, op: OpKind, object: Address, register: usize, result: u32) {
        self.op(op, object, result);
        self.state.threads[me].registers[register] = i64::from(result);
    }

    fn after_unlock(&mut self, me: usize) {
        self.state.passed = self.state.passed.with(Point::Unlock);
        self.state.threads[me].force |= self.points.has(Point::Unlock);
    }

    fn advance(&mut self, me: usize) {
        let t = &mut self.state.threads[me];
        t.next = Next::Statement;
        t.at += 1;
    }

    fn op(&mut self, op: OpKind, object: Address, result: u32) {
        let pc = self.state.pc(self.state.current);
        self.world.event(Event::Op { op, object, result, pc });
    }

    fn access(&mut self, address: Address, size: u32, kind: AccessKind, value: Option<i64>) {
        let pc = self.state.pc(self.state.current);
        let access = Access { address, size, kind, pc };
        self.world.event(Event::Access { access, value: value.map(|v| v as u64) });
    }
}

impl Value {
    /// A register's content as it is.
    pub const fn of(register: usize) -> Self {
        Value::Sum(register, 0)
    }
}
