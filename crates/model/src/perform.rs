//! One step: the pending operation, and what follows up to the next point.
//!
//! A point is before a visible operation whose class is on, or that cannot be done, or that follows a release (where
//! that class is on) or a creation; anything else visible belongs to the step in which it is reached. What is local
//! happens in the step before it; what a new thread does before its first visible operation, in its creator's.

use crate::program::{self, Program, Statement, Value};
use crate::state::{Block, Life, Next, Over, State};
use gabion_trace::{Access, AccessKind, Address, ChoiceKind, Ending, Event, OpKind, Point, PointSet, Pseudo, ThreadId};

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
        let on = class.is_some_and(|class| {
            self.state.passed = PointSet(self.state.passed.0 | 1 << class as u16);
            self.points.has(class)
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

    fn mutex(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::Lock(n) => {
                self.state.mutexes[n] = Some(me);
                self.op(OpKind::MutexLock, program::mutex(n), 0);
            }
            Statement::TryLock(n, register) => {
                let free = self.state.mutexes[n].is_none();
                if free {
                    self.state.mutexes[n] = Some(me);
                }
                self.attempt(me, OpKind::MutexTryLock, program::mutex(n), register, if free { 0 } else { EBUSY });
            }
            Statement::Unlock(n) => {
                self.state.mutexes[n] = None;
                self.op(OpKind::MutexUnlock, program::mutex(n), 0);
                self.after_unlock(me);
            }
            _ => unreachable!("internal error: no operation on a mutex"),
        }
    }

    fn rwlock(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::ReadLock(n) => {
                let again = self.state.rwlocks[n].writer == Some(me);
                if !again {
                    self.state.rwlocks[n].readers.push(me);
                }
                self.op(OpKind::ReadLock, program::rwlock(n), if again { EDEADLK } else { 0 });
            }
            Statement::WriteLock(n) => {
                let again = self.state.rwlocks[n].writer.replace(me).is_some();
                self.op(OpKind::WriteLock, program::rwlock(n), if again { EDEADLK } else { 0 });
            }
            Statement::WriteTryLock(n, register) => {
                let l = &mut self.state.rwlocks[n];
                let free = l.writer.is_none() && l.readers.is_empty();
                if free {
                    l.writer = Some(me);
                }
                self.attempt(me, OpKind::WriteTryLock, program::rwlock(n), register, if free { 0 } else { EBUSY });
            }
            Statement::RwUnlock(n) => {
                let l = &mut self.state.rwlocks[n];
                let op = if l.writer == Some(me) { OpKind::WriteUnlock } else { OpKind::ReadUnlock };
                if op == OpKind::WriteUnlock {
                    l.writer = None;
                } else if let Some(held) = l.readers.iter().position(|t| *t == me) {
                    l.readers.remove(held);
                }
                self.op(op, program::rwlock(n), 0);
                self.after_unlock(me);
            }
            _ => unreachable!("internal error: no operation on a reader-writer lock"),
        }
    }

    fn semaphore(&mut self, me: usize, statement: Statement) {
        match statement {
            Statement::SemWait(n) => {
                self.state.semaphores[n] -= 1;
                self.op(OpKind::SemWait, program::semaphore(n), self.state.semaphores[n]);
            }
            Statement::SemTryWait(n, register) => {
                let free = self.state.semaphores[n] > 0;
                self.state.semaphores[n] -= u32::from(free);
                self.attempt(me, OpKind::SemTryWait, program::semaphore(n), register, if free { 0 } else { EAGAIN });
            }
            Statement::SemPost(n) => {
                self.state.semaphores[n] += 1;
                self.op(OpKind::SemPost, program::semaphore(n), self.state.semaphores[n]);
            }
            _ => unreachable!("internal error: no operation on a semaphore"),
        }
    }

    fn wait(&mut self, me: usize, cond: usize, mutex: usize, timed: Option<usize>) -> Option<()> {
        self.op(OpKind::CondWait, program::cond(cond), 0);
        self.state.mutexes[mutex] = None;
        self.op(OpKind::MutexUnlock, program::mutex(mutex), 0);
        self.state.threads[me].next = Next::Queued { cond, mutex, timed };
        Some(())
    }

    fn waiters(&self, cond: usize) -> Vec<u32> {
        let waits = |t: &usize| matches!(self.state.threads[*t].next, Next::Queued { cond: c, .. } if c == cond);
        (0..self.state.threads.len()).filter(waits).map(|t| t as u32).collect()
    }

    fn signal(&mut self, cond: usize) -> Option<()> {
        let woken = self.choose(ChoiceKind::Waiter, &self.waiters(cond))?;
        self.op(OpKind::CondSignal, program::cond(cond), woken.map_or(0, |t| t + 1));
        if let Some(thread) = woken {
            self.wake(thread as usize);
        }
        Some(())
    }

    fn broadcast(&mut self, cond: usize) {
        let waiters = self.waiters(cond);
        self.op(OpKind::CondBroadcast, program::cond(cond), waiters.len() as u32);
        for thread in waiters {
            if self.state.over.is_none() {
                self.wake(thread as usize);
            }
        }
    }

    /// A waiter leaves the queue and competes for its mutex.
    fn wake(&mut self, thread: usize) {
        let Next::Queued { mutex, timed, .. } = self.state.threads[thread].next else {
            unreachable!("internal error: only waiters are woken")
        };
        self.state.threads[thread].next = Next::Reacquire { mutex, result: timed.map(|register| (register, 0)) };
        self.world.event(Event::Wake { thread: ThreadId(thread as u16) });
    }

    fn arrive(&mut self, me: usize, barrier: usize) -> Option<()> {
        let b = &mut self.state.barriers[barrier];
        b.arrived += 1;
        let (arrived, full) = (b.arrived, b.arrived >= b.needed);
        self.op(OpKind::BarrierArrive, program::barrier(barrier), arrived);
        if full {
            self.state.barriers[barrier].arrived = 0;
            for t in &mut self.state.threads {
                if let Next::Barrier { barrier: b, released } = &mut t.next
                    && *b == barrier
                {
                    *released = true;
                }
            }
            self.advance(me);
        } else {
            self.state.threads[me].next = Next::Barrier { barrier, released: false };
        }
        Some(())
    }

    /// The block that was freed last, if memory is recycled and there is one, as it is; otherwise a new one.
    fn allocate(&mut self, me: usize, register: usize) {
        let address = self.state.recycled.as_mut().and_then(Vec::pop).unwrap_or_else(|| {
            let t = &mut self.state.threads[me];
            t.allocations += 1;
            program::block(t.name, t.allocations - 1)
        });
        self.state.threads[me].registers[register] = address as i64;
        match self.state.blocks.iter_mut().find(|b| b.address == address) {
            Some(block) => block.freed = false,
            None => self.state.blocks.push(Block { address, content: 0, freed: false }),
        }
        let pc = self.state.pc(me);
        self.world.event(Event::Alloc { address, size: 8, pc, thread: ThreadId(me as u16) });
    }

    /// Where memory is recycled, all of the heap can be touched, as that of a process.
    fn find(&mut self, address: u64) -> Option<usize> {
        let blocks = &mut self.state.blocks;
        let found = blocks.iter().position(|b| b.address == address);
        if found.is_none() && address >= program::HEAP && self.state.recycled.is_some() {
            blocks.push(Block { address, content: 0, freed: true });
            return Some(blocks.len() - 1);
        }
        found
    }

    fn block(&mut self, me: usize, statement: Statement) {
        use Statement::*;
        let (ReadAt(pointer, _) | WriteAt(pointer, _) | Free(pointer)) = statement else {
            unreachable!("internal error: no access to a block")
        };
        let address = self.state.threads[me].registers[pointer] as u64;
        let Some(found) = self.find(address) else {
            let ending = if matches!(statement, Free(_)) { Ending::BadFree } else { Ending::Segfault };
            return self.fail(ending, me, address, "the register points to no block");
        };
        let old = self.state.blocks[found].content;
        let kind = match statement {
            ReadAt(_, into) => {
                self.state.threads[me].registers[into] = old;
                AccessKind::READ
            }
            WriteAt(_, value) => {
                self.state.blocks[found].content = self.state.threads[me].value(value);
                AccessKind::WRITE
            }
            _ => AccessKind::WRITE.with(AccessKind::FREE),
        };
        self.access(Address::memory(address), 8, kind, Some(old));
        if matches!(statement, Free(_)) {
            if let Some(recycled) = &mut self.state.recycled {
                recycled.push(address);
                self.op(OpKind::Hidden, Address::pseudo(Pseudo::Heap), 0);
            }
            if std::mem::replace(&mut self.state.blocks[found].freed, true) {
                self.fail(Ending::DoubleFree, me, address, "a block is freed that was freed before");
            }
        }
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
