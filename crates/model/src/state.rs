//! The state of a program between two steps: who is about to do what, who can, and who waits for whom.

use crate::program::{self, Program, REGISTERS, Statement, Value};
use gabion_trace::{Address, Blocked, Ending, OpKind, Pending, PointSet, Pseudo, ThreadId, ThreadInfo};

/// Words for the two kinds of deadlock, as the runtime has them.
pub(crate) const NOBODY: &str = "no thread can go on";

/// Most children of one thread.
pub(crate) const CHILDREN: usize = 30;

/// A name that does not depend on the order of creation: the path from main, five bits for each generation.
pub(crate) fn child_name(parent: u32, nth: u32) -> u32 {
    parent * 32 + nth + 1
}

/// Where a thread is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    /// Known from the plan's table, not created in this run.
    Unborn,
    Live,
    Ended,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// The statement that it is at.
    Statement,
    /// It is in the queue of a condition variable; the register is for a timed wait's result.
    Queued { cond: usize, mutex: usize, timed: Option<usize> },
    /// It takes the mutex again. The result goes to the register.
    Reacquire { mutex: usize, result: Option<(usize, i64)> },
    /// It leaves a barrier once its round is complete.
    Barrier { barrier: usize, released: bool },
    /// It ends. A point only if it has done nothing visible before.
    End,
    /// Main has returned.
    Exit,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Thread {
    pub(crate) name: u32,
    pub(crate) parent: u16,
    pub(crate) nth: u32,
    pub(crate) life: Life,
    pub(crate) body: usize,
    pub(crate) at: usize,
    pub(crate) next: Next,
    pub(crate) registers: [i64; REGISTERS],
    /// Steps begun.
    pub(crate) steps: u32,
    /// The run's last step so far at which it gave way.
    pub(crate) yielded: u64,
    pub(crate) children: [u16; CHILDREN],
    pub(crate) created: u32,
    /// One bit for each child.
    pub(crate) joined: u32,
    /// Reads of the present spin.
    pub(crate) spins: u32,
    pub(crate) allocations: u32,
    /// A point is due before its next visible operation, whatever the class.
    pub(crate) force: bool,
    /// Its one spurious wake-up has been.
    pub(crate) spurious: bool,
}

impl Thread {
    const fn new(name: u32, parent: u16, nth: u32, body: usize) -> Self {
        Thread {
            name,
            parent,
            nth,
            life: Life::Unborn,
            body,
            at: 0,
            next: Next::Statement,
            registers: [0; REGISTERS],
            steps: 0,
            yielded: 0,
            children: [0; CHILDREN],
            created: 0,
            joined: 0,
            spins: 0,
            allocations: 0,
            force: false,
            spurious: false,
        }
    }

    pub(crate) fn value(&self, value: Value) -> i64 {
        match value {
            Value::Const(number) => number,
            Value::Sum(register, plus) => self.registers[register].wrapping_add(plus),
        }
    }
}

/// Holders of a reader-writer lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct RwLock {
    pub(crate) writer: Option<usize>,
    /// One for each time that a thread holds it for reading.
    pub(crate) readers: Vec<usize>,
}

/// How far a once is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnceState {
    #[default]
    New,
    /// This thread is inside.
    Begun(usize),
    Done,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierState {
    pub(crate) needed: u32,
    pub(crate) arrived: u32,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    pub(crate) address: u64,
    pub(crate) content: i64,
    pub(crate) freed: bool,
}

/// How the run ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Over {
    pub(crate) ending: Ending,
    pub(crate) thread: usize,
    pub(crate) pc: u64,
    pub(crate) address: u64,
    pub(crate) message: &'static str,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    /// By number. Numbers of the plan's table come first, created or not.
    pub(crate) threads: Vec<Thread>,
    pub(crate) memory: Vec<i64>,
    pub(crate) mutexes: Vec<Option<usize>>,
    pub(crate) rwlocks: Vec<RwLock>,
    pub(crate) onces: Vec<OnceState>,
    pub(crate) semaphores: Vec<u32>,
    pub(crate) barriers: Vec<BarrierState>,
    pub(crate) blocks: Vec<Block>,
    /// Freed blocks that the next allocations get, the last one first; `None`: memory is not recycled.
    pub(crate) recycled: Option<Vec<u64>>,
    /// Who runs, or ran last.
    pub(crate) current: usize,
    /// The running thread is within a step: it stands at no point.
    pub(crate) inside: bool,
    /// Points passed since the step began while their class was off.
    pub(crate) passed_off: u32,
    /// Classes of points passed.
    pub(crate) passed: PointSet,
    pub(crate) spurious: bool,
    pub(crate) over: Option<Over>,
}

impl State {
    /// Before anything ran. `table` are threads known from earlier runs, main first.
    pub(crate) fn new(program: &Program, table: &[ThreadInfo], spurious: bool) -> Self {
        let sizes = program.sizes();
        let first = |given: &[u32], size: usize, otherwise: u32| -> Vec<u32> {
            (0..size).map(|i| given.get(i).copied().unwrap_or(otherwise)).collect()
        };
        let mut threads = vec![Thread { life: Life::Live, ..Thread::new(0, 0, 0, 0) }];
        for info in table.iter().skip(1) {
            let name = child_name(threads[info.parent.index()].name, info.nth);
            threads.push(Thread::new(name, info.parent.0, info.nth, 0));
        }
        let needed = first(&program.barriers, sizes.barriers, 2);
        State {
            threads,
            memory: vec![0; sizes.variables],
            mutexes: vec![None; sizes.mutexes],
            rwlocks: vec![RwLock::default(); sizes.rwlocks],
            onces: vec![OnceState::New; sizes.onces],
            semaphores: first(&program.semaphores, sizes.semaphores, 0),
            barriers: needed.into_iter().map(|needed| BarrierState { needed, arrived: 0 }).collect(),
            blocks: Vec::new(),
            recycled: None,
            current: 0,
            inside: false,
            passed_off: 0,
            passed: PointSet(0),
            spurious,
            over: None,
        }
    }

    /// The same with memory that is recycled, or not.
    pub(crate) fn recycling(self, recycle: bool) -> Self {
        State { recycled: recycle.then(Vec::new), ..self }
    }

    /// A new child of the running thread: its number.
    pub(crate) fn create(&mut self, body: usize) -> usize {
        let me = self.current;
        let (parent, nth) = (me as u16, self.threads[me].created);
        assert!((nth as usize) < CHILDREN, "internal error: a program with more children than the model has room for");
        let name = child_name(self.threads[me].name, nth);
        let known = self.threads.iter().skip(1).position(|t| (t.parent, t.nth) == (parent, nth));
        let id = known.map_or(self.threads.len(), |i| i + 1);
        if id == self.threads.len() {
            self.threads.push(Thread::new(name, parent, nth, body));
        }
        self.threads[id] = Thread { life: Life::Live, ..Thread::new(name, parent, nth, body) };
        self.threads[me].children[nth as usize] = id as u16;
        self.threads[me].created += 1;
        id
    }

    /// The statement that a thread is at.
    pub(crate) fn statement(&self, program: &Program, thread: usize) -> Option<Statement> {
        let t = &self.threads[thread];
        program.statement(t.body, t.at)
    }

    pub(crate) fn pc(&self, thread: usize) -> u64 {
        let t = &self.threads[thread];
        program::pc(t.body, t.at)
    }

    /// What a live thread is about to do.
    pub(crate) fn pending(&self, program: &Program, thread: usize) -> Pending {
        let t = &self.threads[thread];
        let id = ThreadId(thread as u16);
        let (op, object) = match t.next {
            Next::Queued { cond, timed, .. } => {
                (if timed.is_some() { OpKind::CondTimeout } else { OpKind::CondQueued }, program::cond(cond))
            }
            Next::Reacquire { mutex, .. } => (OpKind::CondReacquire, program::mutex(mutex)),
            Next::Barrier { barrier, .. } => (OpKind::BarrierWait, program::barrier(barrier)),
            Next::End => (OpKind::ThreadEnd, Address::thread(id)),
            Next::Exit => (OpKind::Exit, Address::pseudo(Pseudo::Process)),
            Next::Statement => self.pending_statement(program, thread),
        };
        Pending { thread: id, op, object, pc: self.pc(thread) }
    }

    fn pending_statement(&self, program: &Program, thread: usize) -> (OpKind, Address) {
        use Statement::*;
        let statement = self.statement(program, thread).expect("internal error: a body's end is no statement");
        let t = &self.threads[thread];
        let mut op = statement.op().expect("internal error: a thread is pending at a local statement");
        let object = match statement {
            Read(n, _) | Write(n, _) | Load(n, _) | Store(n, _) | Update(n, ..) | Cas(n, ..) | Spin(n, ..) => {
                program::variable(n)
            }
            Join(nth) => Address::thread(ThreadId(t.children[nth])),
            Lock(n) | Unlock(n) | TryLock(n, _) => program::mutex(n),
            RwUnlock(n) => {
                if self.rwlocks[n].writer == Some(thread) {
                    op = OpKind::WriteUnlock;
                }
                program::rwlock(n)
            }
            ReadLock(n) | WriteLock(n) | WriteTryLock(n, _) => program::rwlock(n),
            Once(n, _) | OnceDone(n) => program::once(n),
            CondWait(n, _) | CondTimedWait(n, ..) | Signal(n) | Broadcast(n) => program::cond(n),
            SemWait(n) | SemTryWait(n, _) | SemPost(n) => program::semaphore(n),
            Barrier(n) => program::barrier(n),
            ReadAt(r, _) | WriteAt(r, _) | Free(r) => Address::memory(t.registers[r] as u64),
            Exit => Address::pseudo(Pseudo::Process),
            Alloc(_) => Address::pseudo(Pseudo::Heap),
            Create(_) | Choose(..) | Local | Yield | Assert(..) | IfEq(..) | Set(..) => Address(0),
        };
        (op, object)
    }

    /// Can the thread do what it is about to do?
    pub(crate) fn enabled(&self, program: &Program, thread: usize) -> bool {
        let t = &self.threads[thread];
        if t.life != Life::Live {
            return false;
        }
        match t.next {
            Next::Queued { timed: Some(_), .. } | Next::End | Next::Exit => true,
            Next::Queued { timed: None, .. } => self.spurious && !t.spurious,
            Next::Reacquire { mutex, .. } => self.mutexes[mutex].is_none(),
            Next::Barrier { released, .. } => released,
            Next::Statement => match self.statement(program, thread) {
                Some(Statement::Lock(n)) => self.mutexes[n].is_none(),
                Some(Statement::Join(nth)) => self.threads[t.children[nth] as usize].life == Life::Ended,
                Some(Statement::ReadLock(n)) => self.free_for_reader(n, thread),
                Some(Statement::WriteLock(n)) => self.free_for_writer(n, thread),
                Some(Statement::Once(n, _)) => !matches!(self.onces[n], OnceState::Begun(_)),
                Some(Statement::SemWait(n)) => self.semaphores[n] > 0,
                _ => true,
            },
        }
    }

    /// A writer that asks again is told so, not blocked.
    pub(crate) fn free_for_reader(&self, lock: usize, thread: usize) -> bool {
        self.rwlocks[lock].writer.is_none_or(|writer| writer == thread)
    }

    pub(crate) fn free_for_writer(&self, lock: usize, thread: usize) -> bool {
        let l = &self.rwlocks[lock];
        l.writer == Some(thread) || (l.writer.is_none() && l.readers.is_empty())
    }

    /// Who can go on, one bit for each.
    pub(crate) fn ready(&self, program: &Program) -> u64 {
        assert!(self.threads.len() <= 64, "internal error: more threads than the model has room for");
        (0..self.threads.len()).filter(|t| self.enabled(program, *t)).fold(0, |set, t| set | 1 << t)
    }

    /// Who must do something before the thread can go on, one bit for each.
    fn holders(&self, program: &Program, thread: usize) -> u64 {
        let t = &self.threads[thread];
        let bit = |thread: usize| 1u64 << thread;
        match (t.next, self.statement(program, thread)) {
            (Next::Reacquire { mutex, .. }, _) => self.mutexes[mutex].map_or(0, bit),
            (Next::Statement, Some(Statement::Lock(n))) => self.mutexes[n].map_or(0, bit),
            (Next::Statement, Some(Statement::Join(nth))) => bit(t.children[nth] as usize),
            (Next::Statement, Some(Statement::Once(n, _))) => match self.onces[n] {
                OnceState::Begun(by) => bit(by),
                OnceState::New | OnceState::Done => 0,
            },
            (Next::Statement, Some(Statement::ReadLock(n) | Statement::WriteLock(n))) => {
                let l = &self.rwlocks[n];
                l.readers.iter().copied().chain(l.writer).fold(0, |set, t| set | bit(t))
            }
            _ => 0,
        }
    }

    /// Ends the run, shown at a thread that waits for something other than another's end, if there is one.
    pub(crate) fn deadlock(&mut self, program: &Program, message: &'static str) {
        let waits = |t: usize| self.threads[t].life == Life::Live && !self.enabled(program, t);
        let better = |t: usize| waits(t) && self.pending(program, t).op != OpKind::Join;
        let thread = match self.current {
            me if better(me) => me,
            me => (0..self.threads.len()).find(|t| better(*t)).unwrap_or(me),
        };
        self.over = Some(Over { ending: Ending::Deadlock, thread, pc: self.pc(thread), address: 0, message });
    }

    /// Who cannot go on, and who holds what they wait for.
    pub(crate) fn blocked(&self, program: &Program) -> impl Iterator<Item = Blocked> {
        let waits = |t: &usize| self.threads[*t].life == Life::Live && !self.enabled(program, *t);
        (0..self.threads.len()).filter(waits).map(|t| {
            let holders = self.holders(program, t);
            let holder = (holders != 0).then(|| ThreadId(holders.trailing_zeros() as u16));
            Blocked { pending: self.pending(program, t), holder, spins: false }
        })
    }

    /// Who stands at a point, and before what. The running thread does not if the run ended within its step.
    pub(crate) fn all_pending(&self, program: &Program) -> impl Iterator<Item = Pending> {
        (0..self.threads.len())
            .filter(|t| self.threads[*t].life == Life::Live && !(self.inside && *t == self.current))
            .map(|t| self.pending(program, t))
    }
}
