//! Abstract programs: a few threads with a few statements each, over all that gabion models. What a
//! statement means is said in `machine.rs`, and how a language spells it in `c.rs` and `rust.rs`.

/// How a program is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// C with pthreads.
    Posix,
    /// C with `threads.h`.
    C11,
    /// C++ with the standard library's threads.
    Cxx,
    /// Rust with the standard library's threads.
    Rust,
}

/// A variable that threads share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An integer of so many bits.
    Plain(u32),
    /// An atomic integer of so many bits.
    Atomic(u32),
    /// A bit-field; the other one is in the same byte.
    Field,
    /// A structure of so many characters, written and read whole. It takes two cells: its first and its last character.
    Struct(usize),
}

/// Where a plain or atomic variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    Global,
    Heap,
    Stack,
}

/// The variables, in this order. A structure is two cells from its index on.
#[derive(Clone, Debug)]
pub struct Variable {
    pub kind: Kind,
    pub home: Home,
    /// Accesses are volatile.
    pub volatile: bool,
}

/// Number of a cell. 0 and 1 are plain, 2 and 3 atomic, 4 and 5 fields, 6 and 7 a structure, 8 a variable of the environment.
pub type Cell = usize;
pub const PLAIN: [Cell; 2] = [0, 1];
pub const ATOMIC: [Cell; 2] = [2, 3];
pub const FIELDS: [Cell; 2] = [4, 5];
pub const STRUCT: Cell = 6;
pub const ENVIRONMENT: Cell = 8;
pub const CELLS: usize = 9;

/// What keeps others out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// Of two.
    Mutex(usize),
    /// May be taken again by the thread that has it.
    Recursive,
    Spin,
    /// Written by hand with the system call.
    Futex,
    Read,
    Write,
}

/// How a loop is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    For,
    While,
    Down,
    Do,
    /// The loop calls a function in each round.
    Called,
}

/// How a thread waits in a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    None,
    Yield,
    Sleep,
    /// It counts its rounds.
    Count,
    /// It keeps what it has read in memory of its own.
    Keep,
    /// It counts up and down again in memory of its own.
    Depth,
    /// It takes a lock to look, which is there for nothing else.
    Look(Look),
    /// It signals a condition variable on which nobody waits.
    Signal,
}

/// How a lock is taken to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Mutex,
    Read,
    Spin,
    Try,
}

impl Pause {
    pub const ALL: [Pause; 11] = [
        Pause::None,
        Pause::Yield,
        Pause::Sleep,
        Pause::Count,
        Pause::Keep,
        Pause::Depth,
        Pause::Look(Look::Mutex),
        Pause::Look(Look::Read),
        Pause::Look(Look::Spin),
        Pause::Look(Look::Try),
        Pause::Signal,
    ];
}

/// One statement. `See` and its like put a value into the thread's register and note it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    Set(Cell, i32),
    /// A read, then a write.
    Copy(Cell, Cell, i32),
    /// Plain: a read, then a write. Atomic: one step.
    Add(Cell, i32),
    See(Cell),
    /// Atomic: sees the old value.
    Swap(Cell, i32),
    /// Atomic: sees whether it was done.
    Exchange(Cell, i32, i32),
    /// If the register has this value.
    If(i32, Vec<Statement>),
    Hold(Guard, Vec<Statement>),
    /// Only if nobody is in the way; sees whether.
    Try(Guard, Vec<Statement>),
    /// Mutex 0 and the condition variable: waits in a loop until plain variable 0 has this value.
    Wait(i32, Vec<Statement>),
    /// Waits once if the variable has not this value.
    WaitOnce(i32),
    /// The same with a time limit that may end it at any moment; sees whether it did.
    WaitTimed(i32),
    /// Sets plain variable 0, and signals.
    Notify {
        value: i32,
        all: bool,
        lock: bool,
        inside: bool,
    },
    Post,
    Acquire,
    /// Sees whether there was one.
    TryAcquire,
    Barrier,
    /// The first to come runs it, the others wait for it.
    Once(Vec<Statement>),
    /// From now on something happens at the end of the thread: plain variable 1 is raised.
    AtEnd,
    /// Jumps back once.
    Twice(Vec<Statement>),
    /// Jumps over the second part if the register has this value.
    Escape(i32, Vec<Statement>, Vec<Statement>),
    /// Sees the sum of so many reads.
    Sum(Cell, u32, Loop),
    /// Reads at most so many times, until the variable has this value; sees how many times in vain.
    Until(Cell, u32, i32, Loop),
    /// Waits in a loop for this value.
    Await(Cell, i32, Pause),
    /// Sees what the block holds that the shared pointer points to.
    Use,
    /// Frees it.
    Free,
    /// Makes it larger.
    Grow,
    /// A block of the thread's own, made larger: sees what it holds.
    Realloc(usize, usize),
    /// A signal handler raises plain variable 1.
    Raise,
    Send(i32),
    /// Thread 0 only.
    Receive,
    /// Thread 0 only; sees what there was, or -1.
    TryReceive,
    /// Until thread 0 gave it a token.
    Park,
    /// Thread 0 only.
    Unpark(usize),
}

use Statement::*;

/// Threads, the first of which is main. Others are created and joined by their parents, at their begin and end.
#[derive(Clone, Debug)]
pub struct Program {
    pub dialect: Dialect,
    pub variables: Vec<Variable>,
    pub parents: Vec<usize>,
    pub threads: Vec<Vec<Statement>>,
    /// Tokens that the semaphore has at first.
    pub tokens: i32,
}

impl Program {
    /// Does a statement, or a part of one, fit?
    pub fn any(&self, fits: impl Fn(&Statement) -> bool) -> bool {
        fn within(statements: &[Statement], fits: &dyn Fn(&Statement) -> bool) -> bool {
            statements.iter().any(|s| fits(s) || parts(s).iter().any(|part| within(part, fits)))
        }
        self.threads.iter().any(|thread| within(thread, &fits))
    }

    /// Does a thread wait in a loop for a variable that no other thread writes? Nothing tells such a loop from one that computes.
    pub fn awaits_nobody(&self) -> bool {
        fn each<'a>(statements: &'a [Statement], all: &mut Vec<&'a Statement>) {
            for statement in statements {
                all.push(statement);
                parts(statement).into_iter().for_each(|part| each(part, all));
            }
        }
        let flat = |thread: &'_ [Statement]| -> Vec<Statement> {
            let mut all = Vec::new();
            each(thread, &mut all);
            all.into_iter().cloned().collect()
        };
        let writes = |statement: &Statement, cell: Cell| match statement {
            Set(to, _) | Copy(to, ..) | Add(to, _) | Swap(to, _) | Exchange(to, ..) => *to == cell,
            Notify { .. } => cell == PLAIN[0],
            AtEnd | Raise => cell == PLAIN[1],
            _ => false,
        };
        let threads: Vec<Vec<Statement>> = self.threads.iter().map(|thread| flat(thread)).collect();
        threads.iter().enumerate().any(|(t, thread)| {
            let others = || threads.iter().enumerate().filter(|(other, _)| *other != t).flat_map(|(_, thread)| thread);
            let awaited = thread.iter().filter_map(|s| if let Await(cell, ..) = s { Some(*cell) } else { None });
            awaited.into_iter().any(|cell| !others().any(|s| writes(s, cell)))
        })
    }

    pub fn children(&self, of: usize) -> impl Iterator<Item = usize> + '_ {
        (1..self.threads.len()).filter(move |&t| self.parents[t] == of)
    }
}

/// The statements within one.
pub fn parts(statement: &Statement) -> Vec<&Vec<Statement>> {
    match statement {
        If(_, body) | Hold(_, body) | Try(_, body) | Wait(_, body) | Once(body) | Twice(body) => vec![body],
        Escape(_, first, second) => vec![first, second],
        _ => vec![],
    }
}

/// The same, to change them.
pub fn parts_mut(statement: &mut Statement) -> Vec<&mut Vec<Statement>> {
    match statement {
        If(_, body) | Hold(_, body) | Try(_, body) | Wait(_, body) | Once(body) | Twice(body) => vec![body],
        Escape(_, first, second) => vec![first, second],
        _ => vec![],
    }
}
