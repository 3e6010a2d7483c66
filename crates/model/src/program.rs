//! What programs are made of.

use gabion_trace::{Address, OpKind};

/// Registers of a thread.
pub const REGISTERS: usize = 4;

/// One of a thread's own registers. All begin as 0.
pub type Register = usize;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// A number.
    Const(i64),
    /// A register's content and a number.
    Sum(Register, i64),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Value::Const(number)
    }
}

/// One statement. Variables, mutexes and so on are named by small numbers and exist because they are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Statement {
    /// Plain read of a variable into a register.
    Read(usize, Register),
    /// Plain write of a variable.
    Write(usize, Value),
    /// Atomic read.
    Load(usize, Register),
    /// Atomic write.
    Store(usize, Value),
    /// Atomic addition; the register gets the value before it.
    Update(usize, i64, Register),
    /// Atomic compare-exchange (variable, expected, new); the register gets the value before it.
    Cas(usize, i64, i64, Register),
    /// Atomic reads until the variable has the value, at most so many.
    Spin(usize, i64, u32),
    /// Starts a thread that runs this body.
    Create(usize),
    /// Waits for the end of the thread's own nth child; nothing if there is none, or it was joined before.
    Join(usize),
    /// Takes a mutex.
    Lock(usize),
    /// Releases a mutex, whoever holds it.
    Unlock(usize),
    /// Tries to take a mutex; the register gets 0 or 16.
    TryLock(usize, Register),
    /// Takes a reader-writer lock for reading.
    ReadLock(usize),
    /// Takes a reader-writer lock for writing.
    WriteLock(usize),
    /// Tries to take a reader-writer lock for writing; the register gets 0 or 16.
    WriteTryLock(usize, Register),
    /// Releases a reader-writer lock.
    RwUnlock(usize),
    /// Begins a once; one that is done leaves out so many statements, the last of which is its [`Statement::OnceDone`].
    Once(usize, usize),
    /// The once is done.
    OnceDone(usize),
    /// Waits on a condition variable, with a mutex.
    CondWait(usize, usize),
    /// As [`Statement::CondWait`], but time may end it: the register gets 0 or 110.
    CondTimedWait(usize, usize, Register),
    /// Wakes one waiter of a condition variable.
    Signal(usize),
    /// Wakes all.
    Broadcast(usize),
    /// Semaphore wait.
    SemWait(usize),
    /// Semaphore try-wait; the register gets 0 or 11.
    SemTryWait(usize, Register),
    /// Semaphore post.
    SemPost(usize),
    /// Arrives at a barrier and waits there.
    Barrier(usize),
    /// Allocates a block of eight bytes; the register gets its address. Local, unless memory is recycled.
    Alloc(Register),
    /// Plain read of the block that the first register points to, into the second.
    ReadAt(Register, Register),
    /// Plain write of the block that the register points to.
    WriteAt(Register, Value),
    /// Frees the block that the register points to.
    Free(Register),
    /// Asks the plan for a number below this; the register gets it.
    Choose(u32, Register),
    /// A point at which nothing is touched: a local statement that counts as a step.
    Local,
    /// Gives way.
    Yield,
    /// Ends the process.
    Exit,
    /// Fails unless the register has the value. Local.
    Assert(Register, i64),
    /// Leaves out so many statements unless the register has the value. Local.
    IfEq(Register, i64, usize),
    /// Sets a register. Local.
    Set(Register, Value),
}

/// A program: bodies of threads, the first is main's, and how its objects begin.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Program {
    /// Bodies.
    pub bodies: Vec<Vec<Statement>>,
    /// First values of the semaphores; 0 for those left out.
    pub semaphores: Vec<u32>,
    /// Threads that each barrier waits for; 2 for those left out.
    pub barriers: Vec<u32>,
}

/// One line for each body, even when asked to be pretty.
impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "semaphores {:?}, barriers {:?}", self.semaphores, self.barriers)?;
        self.bodies.iter().enumerate().try_for_each(|(number, body)| writeln!(f, "  body {number}: {}", Line(body)))
    }
}

struct Line<'a>(&'a [Statement]);

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|statement| write!(f, "{statement:?}; "))
    }
}

/// How many objects of each kind there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) variables: usize,
    pub(crate) mutexes: usize,
    pub(crate) rwlocks: usize,
    pub(crate) onces: usize,
    pub(crate) semaphores: usize,
    pub(crate) barriers: usize,
}

impl Program {
    /// A program of these bodies; all semaphores are 0, all barriers wait for two.
    pub fn new(bodies: Vec<Vec<Statement>>) -> Self {
        Program { bodies, ..Program::default() }
    }

    /// The statement, if the body is that long.
    pub(crate) fn statement(&self, body: usize, at: usize) -> Option<Statement> {
        self.bodies[body].get(at).copied()
    }

    pub(crate) fn sizes(&self) -> Sizes {
        use Statement::*;
        let mut sizes = Sizes::default();
        for statement in self.bodies.iter().flatten() {
            let (size, number) = match *statement {
                Read(n, _) | Write(n, _) | Load(n, _) | Store(n, _) | Update(n, ..) | Cas(n, ..) | Spin(n, ..) => {
                    (&mut sizes.variables, n)
                }
                Lock(n) | Unlock(n) | TryLock(n, _) | CondWait(_, n) | CondTimedWait(_, n, _) => {
                    (&mut sizes.mutexes, n)
                }
                ReadLock(n) | WriteLock(n) | WriteTryLock(n, _) | RwUnlock(n) => (&mut sizes.rwlocks, n),
                Once(n, _) | OnceDone(n) => (&mut sizes.onces, n),
                SemWait(n) | SemTryWait(n, _) | SemPost(n) => (&mut sizes.semaphores, n),
                Barrier(n) => (&mut sizes.barriers, n),
                _ => continue,
            };
            *size = (*size).max(number + 1);
        }
        sizes
    }
}

/// Where a statement is, as an instruction's address.
pub(crate) fn pc(body: usize, at: usize) -> u64 {
    0x10_0000 * (body as u64 + 1) + at as u64
}

pub(crate) fn variable(n: usize) -> Address {
    Address::memory(8 * n as u64)
}
pub(crate) fn mutex(n: usize) -> Address {
    Address::object(0x1_0000 + 64 * n as u64)
}
pub(crate) fn cond(n: usize) -> Address {
    Address::object(0x2_0000 + 64 * n as u64)
}
pub(crate) fn rwlock(n: usize) -> Address {
    Address::object(0x3_0000 + 64 * n as u64)
}
pub(crate) fn semaphore(n: usize) -> Address {
    Address::object(0x4_0000 + 64 * n as u64)
}
pub(crate) fn barrier(n: usize) -> Address {
    Address::object(0x5_0000 + 64 * n as u64)
}
pub(crate) fn once(n: usize) -> Address {
    Address::object(0x6_0000 + 64 * n as u64)
}
/// Where blocks are.
pub(crate) const HEAP: u64 = 0x1000_0000;

/// Blocks lie above every variable; a thread's own name and count say where, whatever the others do.
pub(crate) fn block(name: u32, nth: u32) -> u64 {
    HEAP + u64::from(name) * 0x1_0000 + u64::from(nth) * 64
}

impl Statement {
    /// What others see of it; `None`: local.
    pub(crate) fn op(self) -> Option<OpKind> {
        use Statement::*;
        Some(match self {
            Read(..) | Write(..) | ReadAt(..) | WriteAt(..) => OpKind::Access,
            Load(..) | Spin(..) => OpKind::AtomicLoad,
            Store(..) => OpKind::AtomicStore,
            Update(..) | Cas(..) => OpKind::AtomicUpdate,
            Create(_) => OpKind::Create,
            Join(_) => OpKind::Join,
            Lock(_) => OpKind::MutexLock,
            Unlock(_) => OpKind::MutexUnlock,
            TryLock(..) => OpKind::MutexTryLock,
            ReadLock(_) => OpKind::ReadLock,
            WriteLock(_) => OpKind::WriteLock,
            WriteTryLock(..) => OpKind::WriteTryLock,
            RwUnlock(_) => OpKind::ReadUnlock,
            Once(..) => OpKind::Once,
            OnceDone(_) => OpKind::OnceDone,
            CondWait(..) | CondTimedWait(..) => OpKind::CondWait,
            Signal(_) => OpKind::CondSignal,
            Broadcast(_) => OpKind::CondBroadcast,
            SemWait(_) => OpKind::SemWait,
            SemTryWait(..) => OpKind::SemTryWait,
            SemPost(_) => OpKind::SemPost,
            Barrier(_) => OpKind::BarrierArrive,
            Alloc(_) => OpKind::Hidden,
            Free(_) => OpKind::Free,
            Choose(..) => OpKind::Choose,
            Local => OpKind::Preempt,
            Yield => OpKind::Yield,
            Exit => OpKind::Exit,
            Assert(..) | IfEq(..) | Set(..) => return None,
        })
    }
}
