//! What a program does step by step: the operations that the interpreter knows, and how statements become them.

use crate::program::{Cell, FIELDS, Guard, Program, STRUCT, Statement, Statement::*};

/// One step, or what follows one at no cost.
#[derive(Clone, Copy, Debug)]
pub enum Op {
    Create(usize),
    Join(usize),
    Load(Cell),
    Store(Cell, i32),
    /// What was loaded, and so much more.
    StoreLoaded(Cell, i32),
    FetchAdd(Cell, i32),
    Swap(Cell, i32),
    /// From, to: loads 1 if it was done.
    Exchange(Cell, i32, i32),
    LoadByte,
    /// The byte with the field changed: to a constant, or to so much more than what was loaded.
    StoreByte(Cell, Option<i32>, i32),
    CopyIn(i32),
    CopyOut,
    Lock(Guard),
    /// Loads 1 if it was taken.
    TryLock(Guard),
    Unlock(Guard),
    /// Gives mutex 0 up and waits; with a limit it may end by itself. Loads 1 if it did.
    Sleep(bool),
    Signal(bool),
    Post,
    Acquire,
    TryAcquire,
    Arrive,
    Leave,
    /// Goes to that place if it is done.
    Once(usize),
    OnceDone,
    Await(Cell, i32),
    LoadPointer,
    UseBlock,
    FreeBlock,
    GrowBlock,
    Send(i32),
    Receive,
    TryReceive,
    Park,
    Unpark(usize),
    // At no cost from here on.
    Constant(i32),
    /// The register is what was loaded, and is noted.
    Note,
    /// Adds what was loaded to the sum.
    Sum,
    /// Loads the sum.
    TakeSum,
    JumpIfLoaded(i32, usize),
    JumpUnlessLoaded(i32, usize),
    JumpIfSeen(i32, usize),
    JumpUnlessSeen(i32, usize),
    Jump(usize),
    SetAtEnd,
    JumpUnlessAtEnd(usize),
}

impl Op {
    pub fn is_free(self) -> bool {
        matches!(
            self,
            Op::Constant(_)
                | Op::Note
                | Op::Sum
                | Op::TakeSum
                | Op::JumpIfLoaded(..)
                | Op::JumpUnlessLoaded(..)
                | Op::JumpIfSeen(..)
                | Op::JumpUnlessSeen(..)
                | Op::Jump(_)
                | Op::SetAtEnd
                | Op::JumpUnlessAtEnd(_)
        )
    }
}

pub fn compile(program: &Program, thread: usize) -> Vec<Op> {
    let mut code: Vec<Op> = program.children(thread).map(Op::Create).collect();
    put(&mut code, &program.threads[thread]);
    code.extend(program.children(thread).map(Op::Join));
    if thread > 0 {
        let over = code.len() + 3;
        code.extend([Op::JumpUnlessAtEnd(over), Op::Load(1), Op::StoreLoaded(1, 1)]);
    }
    code
}

fn put(code: &mut Vec<Op>, statements: &[Statement]) {
    for statement in statements {
        one(code, statement);
    }
}

/// Puts a jump there whose target is what comes after the body.
fn around(code: &mut Vec<Op>, jump: impl Fn(usize) -> Op, body: impl FnOnce(&mut Vec<Op>)) {
    let at = code.len();
    code.push(Op::Jump(0));
    body(code);
    code[at] = jump(code.len());
}

fn load(code: &mut Vec<Op>, cell: Cell) {
    match cell {
        STRUCT => code.push(Op::CopyOut),
        cell => code.push(Op::Load(cell)),
    }
}

fn one(code: &mut Vec<Op>, statement: &Statement) {
    let is_field = |cell: &Cell| FIELDS.contains(cell);
    let is_atomic = |cell: &Cell| crate::program::ATOMIC.contains(cell);
    match statement {
        Set(STRUCT, c) => code.push(Op::CopyIn(*c)),
        Set(cell, c) if is_field(cell) => code.extend([Op::LoadByte, Op::StoreByte(*cell, Some(*c), 0)]),
        Set(cell, c) => code.push(Op::Store(*cell, *c)),
        Copy(to, from, plus) => code.extend([Op::Load(*from), Op::StoreLoaded(*to, *plus)]),
        // The field is read; then its byte, for what else is in it.
        Add(cell, c) if is_field(cell) => {
            code.extend([Op::Load(*cell), Op::LoadByte, Op::StoreByte(*cell, None, *c)]);
        }
        Add(cell, c) if is_atomic(cell) => code.push(Op::FetchAdd(*cell, *c)),
        Add(cell, c) => code.extend([Op::Load(*cell), Op::StoreLoaded(*cell, *c)]),
        See(cell) => {
            load(code, *cell);
            code.push(Op::Note);
        }
        Statement::Swap(cell, c) => code.extend([Op::Swap(*cell, *c), Op::Note]),
        Statement::Exchange(cell, from, to) => code.extend([Op::Exchange(*cell, *from, *to), Op::Note]),
        If(value, body) => around(code, |over| Op::JumpUnlessSeen(*value, over), |code| put(code, body)),
        Hold(guard, body) => {
            code.push(Op::Lock(*guard));
            put(code, body);
            code.push(Op::Unlock(*guard));
        }
        Try(guard, body) => {
            code.extend([Op::TryLock(*guard), Op::Note]);
            around(
                code,
                |over| Op::JumpUnlessLoaded(1, over),
                |code| {
                    put(code, body);
                    code.push(Op::Unlock(*guard));
                },
            );
        }
        Wait(value, body) => {
            code.push(Op::Lock(Guard::Mutex(0)));
            let top = code.len();
            code.push(Op::Load(0));
            code.push(Op::JumpIfLoaded(*value, code.len() + 4));
            code.extend([Op::Sleep(false), Op::Lock(Guard::Mutex(0)), Op::Jump(top)]);
            put(code, body);
            code.push(Op::Unlock(Guard::Mutex(0)));
        }
        WaitOnce(value) | WaitTimed(value) => {
            let timed = matches!(statement, WaitTimed(_));
            code.extend([Op::Lock(Guard::Mutex(0)), Op::Load(0)]);
            around(
                code,
                |over| Op::JumpIfLoaded(*value, over),
                |code| {
                    code.extend([Op::Sleep(timed), Op::Lock(Guard::Mutex(0))]);
                    if timed {
                        code.push(Op::Note);
                    }
                },
            );
            code.push(Op::Unlock(Guard::Mutex(0)));
        }
        Notify { value, all, lock, inside } => {
            let lock_it = |code: &mut Vec<Op>, op| {
                if *lock {
                    code.push(op)
                }
            };
            lock_it(code, Op::Lock(Guard::Mutex(0)));
            code.push(Op::Store(0, *value));
            if *inside {
                code.push(Op::Signal(*all));
            }
            lock_it(code, Op::Unlock(Guard::Mutex(0)));
            if !*inside {
                code.push(Op::Signal(*all));
            }
        }
        Statement::Post => code.push(Op::Post),
        Statement::Acquire => code.push(Op::Acquire),
        Statement::TryAcquire => code.extend([Op::TryAcquire, Op::Note]),
        Barrier => code.extend([Op::Arrive, Op::Leave]),
        Statement::Once(body) => around(code, Op::Once, |code| {
            put(code, body);
            code.push(Op::OnceDone);
        }),
        AtEnd => code.push(Op::SetAtEnd),
        Twice(body) => {
            put(code, body);
            put(code, body);
        }
        Escape(value, first, second) => {
            put(code, first);
            around(code, |over| Op::JumpIfSeen(*value, over), |code| put(code, second));
        }
        Statement::Sum(cell, rounds, _) => {
            for _ in 0..*rounds {
                load(code, *cell);
                code.push(Op::Sum);
            }
            code.extend([Op::TakeSum, Op::Note]);
        }
        Until(cell, rounds, value, _) => {
            let out = code.len() + *rounds as usize * 4 + 1;
            for round in 0..*rounds as i32 {
                let next = code.len() + 4;
                let again = Op::JumpUnlessLoaded(*value, next);
                code.extend([Op::Load(*cell), again, Op::Constant(round), Op::Jump(out)]);
            }
            code.extend([Op::Constant(*rounds as i32), Op::Note]);
        }
        Statement::Await(cell, value, _) => code.push(Op::Await(*cell, *value)),
        Use => code.extend([Op::LoadPointer, Op::UseBlock, Op::Note]),
        Free => code.extend([Op::LoadPointer, Op::FreeBlock]),
        Grow => code.extend([Op::LoadPointer, Op::GrowBlock]),
        Realloc(before, after) => code.extend([Op::Constant((*before).min(*after) as i32), Op::Note]),
        Raise => code.extend([Op::Load(1), Op::StoreLoaded(1, 1)]),
        Statement::Send(c) => code.push(Op::Send(*c)),
        Statement::Receive => code.extend([Op::Receive, Op::Note]),
        Statement::TryReceive => code.extend([Op::TryReceive, Op::Note]),
        Statement::Park => code.push(Op::Park),
        Statement::Unpark(thread) => code.push(Op::Unpark(*thread)),
    }
}
