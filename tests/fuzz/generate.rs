//! The generator: programs from numbers.

use crate::program::{
    ATOMIC, Dialect, ENVIRONMENT, FIELDS, Guard, Home, Kind, Loop, PLAIN, Pause, Program, STRUCT, Statement,
    Statement::*, Variable,
};
use fastrand::Rng;

/// The program of this number, the same on any day.
pub fn program(number: u64, dialect: Dialect, optimised: bool) -> Program {
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
                Await(cell, c.min(2), *self.rng.choice(&Pause::ALL).expect("some"))
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
