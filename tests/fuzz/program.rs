//! Abstract programs: a few threads with a few statements each, over all that gabion models, and the generator of them. What a
//! statement means is said in `machine.rs`, and how a language spells it in `c.rs` and `rust.rs`.

use fastrand::Rng;

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
    /// The program of this number, the same on any day.
    pub fn generate(number: u64, dialect: Dialect, optimised: bool) -> Program {
        let mut rng = Rng::with_seed(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x6761_6269_6f6e);
        let (count, most) = *rng.choice(&[(2, 3), (2, 4), (2, 4), (2, 5), (3, 2), (3, 3), (4, 1)]).expect("some");
        let variables = variables(&mut rng, dialect, optimised);
        let nested = count > 2 && rng.u8(..4) == 0;
        let parents = (0..count).map(|t: usize| if nested { t.saturating_sub(1) } else { 0 }).collect();
        let barriers = if rng.u8(..6) == 0 { rng.usize(1..3) } else { 0 };
        let topics = Topics::choose(&mut rng, dialect);
        let tokens = i32::from(rng.u8(..2));
        let threads = (0..count)
            .map(|thread| {
                let mut body: Vec<_> = (0..rng.usize(1..=most))
                    .map(|_| Generator { rng: &mut rng, dialect, topics: &topics, thread, count, nested }.any(2))
                    .collect();
                for _ in 0..barriers {
                    body.insert(rng.usize(..=body.len()), Barrier);
                }
                body
            })
            .collect();
        Program { dialect, variables, parents, threads, tokens }
    }

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

fn variables(rng: &mut Rng, dialect: Dialect, optimised: bool) -> Vec<Variable> {
    let bits = |rng: &mut Rng| *rng.choice(&[8, 16, 32, 64]).expect("some");
    let of = |rng: &mut Rng, kind| {
        let home = match rng.u8(..6) {
            0 if dialect != Dialect::Rust => Home::Heap,
            1 if dialect != Dialect::Rust => Home::Stack,
            _ => Home::Global,
        };
        Variable { kind, home, volatile: optimised || rng.bool() }
    };
    let plain = [Kind::Plain(bits(rng)), Kind::Plain(bits(rng))];
    let atomic = [Kind::Atomic(bits(rng)), Kind::Atomic(bits(rng))];
    let structure = Kind::Struct(rng.usize(1..=72));
    let kinds = [plain[0], plain[1], atomic[0], atomic[1], Kind::Field, Kind::Field, structure];
    kinds.into_iter().map(|kind| of(rng, kind)).collect()
}

/// What a program is about: statements of every topic at once would seldom meet.
struct Topics(Vec<Topic>);

#[derive(Clone, Copy, PartialEq, Eq)]
enum Topic {
    Locks,
    Conditions,
    Semaphores,
    Once,
    Ends,
    Jumps,
    Loops,
    Waits,
    Blocks,
    Signals,
    Channels,
    Parking,
    Fields,
    Structs,
    Atomics,
    Environment,
}

impl Topics {
    fn choose(rng: &mut Rng, dialect: Dialect) -> Topics {
        use Topic::*;
        let all = [
            Locks,
            Locks,
            Locks,
            Conditions,
            Conditions,
            Semaphores,
            Once,
            Ends,
            Jumps,
            Loops,
            Loops,
            Waits,
            Blocks,
            Signals,
            Channels,
            Parking,
            Fields,
            Structs,
            Structs,
            Atomics,
            Atomics,
            Environment,
        ];
        let fits = |topic: &Topic| match topic {
            Channels | Parking => dialect == Dialect::Rust,
            Semaphores | Signals => dialect == Dialect::Posix,
            Fields | Blocks => dialect != Dialect::Rust,
            _ => true,
        };
        let all: Vec<Topic> = all.into_iter().filter(fits).collect();
        Topics((0..rng.usize(1..4)).map(|_| *rng.choice(&all).expect("some")).collect())
    }
}

struct Generator<'a> {
    rng: &'a mut Rng,
    dialect: Dialect,
    topics: &'a Topics,
    thread: usize,
    count: usize,
    /// Every thread but the first is created by the one before it.
    nested: bool,
}

impl Generator<'_> {
    /// A statement on plain variables or of one of the program's topics.
    fn any(&mut self, depth: u32) -> Statement {
        if self.rng.u8(..3) == 0 {
            return self.simple();
        }
        let topic = *self.rng.choice(&self.topics.0).expect("some");
        self.of(topic, depth)
    }

    fn constant(&mut self) -> i32 {
        self.rng.i32(1..4)
    }

    /// On variables alone.
    fn simple(&mut self) -> Statement {
        let cell = *self.rng.choice(&PLAIN).expect("some");
        let other = *self.rng.choice(&PLAIN).expect("some");
        let c = self.constant();
        match self.rng.u8(..8) {
            0 | 1 => Set(cell, c),
            2 => Copy(cell, other, self.rng.i32(0..2)),
            3 => Add(cell, 1),
            4 if self.topics.0.contains(&Topic::Atomics) => self.of(Topic::Atomics, 0),
            5 if self.topics.0.contains(&Topic::Structs) => self.of(Topic::Structs, 0),
            _ => See(cell),
        }
    }

    fn body(&mut self, most: usize) -> Vec<Statement> {
        (0..self.rng.usize(1..=most)).map(|_| self.simple()).collect()
    }

    fn guard(&mut self) -> Guard {
        let rust = self.dialect == Dialect::Rust;
        match self.rng.u8(..8) {
            0 | 1 => Guard::Mutex(0),
            7 if self.dialect == Dialect::Posix => Guard::Futex,
            2 => Guard::Mutex(1),
            3 if !rust => Guard::Recursive,
            4 if self.dialect == Dialect::Posix => Guard::Spin,
            5 if self.dialect != Dialect::C11 => Guard::Read,
            6 if self.dialect != Dialect::C11 => Guard::Write,
            _ => Guard::Mutex(0),
        }
    }

    fn of(&mut self, topic: Topic, depth: u32) -> Statement {
        let c = self.constant();
        let rust = self.dialect == Dialect::Rust;
        let atomic = *self.rng.choice(&ATOMIC).expect("some");
        let field = *self.rng.choice(&FIELDS).expect("some");
        match topic {
            Topic::Locks => self.lock(depth),
            Topic::Conditions => match self.rng.u8(..5) {
                0 | 1 => Wait(c.min(2), self.body(1)),
                // The standard library of Rust may let a waiter go without a signal, which only a loop puts right.
                2 if !rust => WaitOnce(c.min(2)),
                // `wait_for` of C++ looks at the clock again.
                3 if !rust && self.dialect != Dialect::Cxx => WaitTimed(c.min(2)),
                _ => Notify {
                    value: c.min(2),
                    all: self.rng.bool(),
                    lock: self.rng.u8(..4) > 0,
                    inside: self.rng.bool(),
                },
            },
            Topic::Semaphores => match self.rng.u8(..5) {
                0 | 1 => Post,
                2 => TryAcquire,
                _ => Acquire,
            },
            Topic::Once => Once(self.body(2)),
            Topic::Ends if self.thread > 0 => AtEnd,
            Topic::Jumps => match self.rng.bool() {
                true => Twice(self.body(1)),
                false => Escape(self.rng.i32(0..3), self.body(2), self.body(1)),
            },
            Topic::Loops => self.counted(),
            Topic::Waits if self.rng.bool() => {
                let cell = if self.rng.bool() { 0 } else { atomic };
                Await(cell, c.min(2), *self.rng.choice(&[Pause::None, Pause::Yield, Pause::Sleep]).expect("some"))
            }
            Topic::Waits => Set(if self.rng.bool() { 0 } else { atomic }, c.min(2)),
            Topic::Blocks => match self.rng.u8(..6) {
                0 => Free,
                1 => Grow,
                2 => Realloc(self.rng.usize(1..40), self.rng.usize(1..400)),
                _ => Use,
            },
            Topic::Signals => Raise,
            Topic::Channels if self.thread > 0 => Send(c),
            Topic::Channels => {
                if self.rng.bool() {
                    Receive
                } else {
                    TryReceive
                }
            }
            Topic::Parking if self.thread > 0 => Park,
            Topic::Parking => {
                let child = self.rng.usize(1..self.count);
                Unpark(if self.nested { 1 } else { child })
            }
            Topic::Fields => match self.rng.u8(..3) {
                0 => Set(field, c),
                1 => Add(field, 1),
                _ => See(field),
            },
            Topic::Structs => {
                if self.rng.bool() {
                    Set(STRUCT, c)
                } else {
                    See(STRUCT)
                }
            }
            Topic::Atomics => match self.rng.u8(..7) {
                0 => Set(atomic, c),
                1 | 2 => Add(atomic, 1),
                3 => Swap(atomic, c),
                4 => Exchange(atomic, self.rng.i32(0..3), c),
                _ => See(atomic),
            },
            Topic::Environment => {
                if self.rng.bool() {
                    Set(ENVIRONMENT, c)
                } else {
                    See(ENVIRONMENT)
                }
            }
            Topic::Ends => If(self.rng.i32(0..3), self.body(2)),
        }
    }

    fn lock(&mut self, depth: u32) -> Statement {
        let guard = self.guard();
        if self.rng.u8(..4) == 0 {
            // Whether a reader may come in while a writer waits is the standard library's choice in Rust.
            let guard = if self.dialect == Dialect::Rust && guard == Guard::Read { Guard::Write } else { guard };
            return Try(guard, self.body(1));
        }
        let mut body = self.body(2);
        if depth > 0 && self.rng.u8(..3) == 0 {
            let inner = self.guard();
            let again = inner == guard || [inner, guard].iter().all(|g| matches!(g, Guard::Read | Guard::Write));
            let queued =
                self.dialect == Dialect::Rust && [inner, guard].iter().any(|g| matches!(g, Guard::Read | Guard::Write));
            if (!again || guard == Guard::Recursive) && !queued {
                body.push(Hold(inner, self.body(1)));
            }
        }
        Hold(guard, body)
    }

    fn counted(&mut self) -> Statement {
        let cell = *self.rng.choice(&[PLAIN[0], PLAIN[1], ATOMIC[0]]).expect("some");
        let how = *self.rng.choice(&[Loop::For, Loop::While, Loop::Down, Loop::Do, Loop::Called]).expect("some");
        let rounds = if self.count == 2 && self.rng.bool() { self.rng.u32(15..=40) } else { self.rng.u32(2..=4) };
        if self.rng.bool() { Sum(cell, rounds, how) } else { Until(cell, rounds, self.constant(), how) }
    }
}
