//! An interpreter of abstract programs that shares no code with the checker: it enumerates all states under sequential
//! consistency, one access at a time, and gives every outcome.
//!
//! A structure is copied in one step, or its first and last character in any order (`Copies`): hardware does something
//! between the two.

use crate::program::{CELLS, Cell, FIELDS, Guard, Program, STRUCT, Statement, Statement::*};
use std::collections::{BTreeSet, HashSet};

/// States that are looked at in one program.
const STATES: usize = 150_000;

/// How an execution ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// What is in the cells, and what each thread has noted.
    End(Vec<i32>, Vec<u32>),
    /// Nobody can go on.
    Stuck,
    /// Freed memory is used or freed.
    Memory,
}

/// What a copy of a structure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copies {
    Whole,
    Parts,
}

/// One step, or what follows one at no cost.
#[derive(Clone, Copy, Debug)]
enum Op {
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
    fn is_free(self) -> bool {
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

#[derive(Clone, PartialEq, Eq, Hash, Default)]
struct Thread {
    /// Next operation; None: not created.
    at: Option<usize>,
    loaded: i32,
    byte: [i32; 2],
    seen: i32,
    noted: u32,
    sum: i32,
    /// Parts of a copy that are done.
    parts: u8,
    waits: bool,
    woken: bool,
    at_end: bool,
    token: bool,
    pointer: usize,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Thread>,
    cells: [i32; CELLS],
    /// Owner and depth of mutexes 0 and 1, the recursive one, the spin lock, the write lock and the one by hand.
    locks: [Option<(usize, u8)>; 6],
    readers: u8,
    tokens: i32,
    arrived: u32,
    round: u32,
    passed: Vec<u32>,
    once: u8,
    blocks: Vec<bool>,
    current: usize,
    channel: Vec<i32>,
}

fn index(guard: Guard) -> usize {
    match guard {
        Guard::Mutex(k) => k,
        Guard::Recursive => 2,
        Guard::Spin => 3,
        Guard::Read | Guard::Write => 4,
        Guard::Futex => 5,
    }
}

/// Every outcome, or None if there are too many states, or values that do not fit their variables.
pub fn outcomes(program: &Program, copies: Copies) -> Option<BTreeSet<Outcome>> {
    let machine = Machine { code: (0..program.threads.len()).map(|t| compile(program, t)).collect(), copies };
    let mut threads = vec![Thread::default(); program.threads.len()];
    threads[0].at = Some(0);
    let passed = vec![0; threads.len()];
    let mut start = State {
        threads,
        cells: [0; CELLS],
        locks: [None; 6],
        readers: 0,
        tokens: program.tokens,
        arrived: 0,
        round: 0,
        passed,
        once: 0,
        blocks: vec![true],
        current: 0,
        channel: Vec::new(),
    };
    machine.settle(&mut start, 0);
    let (mut seen, mut todo, mut ends) = (HashSet::from([start.clone()]), vec![start], BTreeSet::new());
    while let Some(state) = todo.pop() {
        if !fits(program, &state) {
            return None;
        }
        let mut stuck = true;
        for t in 0..state.threads.len() {
            for next in machine.steps(&state, t) {
                stuck = false;
                match next {
                    Some(next) if !seen.contains(&next) => {
                        seen.insert(next.clone());
                        todo.push(next);
                    }
                    Some(_) => {}
                    None => {
                        ends.insert(Outcome::Memory);
                    }
                }
            }
        }
        if stuck {
            let ended = state.threads.iter().zip(&machine.code).all(|(thread, code)| thread.at == Some(code.len()));
            let noted = || state.threads.iter().map(|thread| thread.noted).collect();
            ends.insert(if ended { Outcome::End(state.cells.to_vec(), noted()) } else { Outcome::Stuck });
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(ends)
}

/// Values must fit their variables.
fn fits(program: &Program, state: &State) -> bool {
    use crate::program::Kind;
    program.variables.iter().enumerate().all(|(cell, variable)| match variable.kind {
        Kind::Plain(8) | Kind::Atomic(8) => state.cells[cell] < 128,
        Kind::Field => state.cells[cell] < if cell == FIELDS[0] { 8 } else { 16 },
        _ => true,
    })
}

fn compile(program: &Program, thread: usize) -> Vec<Op> {
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

struct Machine {
    code: Vec<Vec<Op>>,
    copies: Copies,
}

impl Machine {
    /// What costs nothing happens at once.
    fn settle(&self, state: &mut State, t: usize) {
        let code = &self.code[t];
        let thread = &mut state.threads[t];
        while let Some(op) = thread.at.and_then(|at| code.get(at)).filter(|op| op.is_free()) {
            let next = thread.at.unwrap_or(0) + 1;
            thread.at = Some(match *op {
                Op::JumpIfLoaded(value, to) if thread.loaded == value => to,
                Op::JumpUnlessLoaded(value, to) if thread.loaded != value => to,
                Op::JumpIfSeen(value, to) if thread.seen == value => to,
                Op::JumpUnlessSeen(value, to) if thread.seen != value => to,
                Op::JumpUnlessAtEnd(to) if !thread.at_end => to,
                Op::Jump(to) => to,
                _ => next,
            });
            match *op {
                Op::Constant(value) => thread.loaded = value,
                Op::Note => {
                    thread.seen = thread.loaded;
                    thread.noted = thread.noted.wrapping_mul(31).wrapping_add(thread.loaded as u32).wrapping_add(1);
                }
                Op::Sum => thread.sum += thread.loaded,
                Op::TakeSum => thread.loaded = std::mem::take(&mut thread.sum),
                Op::SetAtEnd => thread.at_end = true,
                _ => {}
            }
        }
    }

    /// What may come of the thread's next step; None is the end by a use of freed memory.
    fn steps(&self, state: &State, t: usize) -> Vec<Option<State>> {
        let Some(op) = state.threads[t].at.and_then(|at| self.code[t].get(at)) else { return Vec::new() };
        let mut found = Vec::new();
        // Goes on after a change.
        let mut on = |change: &dyn Fn(&mut State)| {
            let mut next = state.clone();
            change(&mut next);
            next.threads[t].at = next.threads[t].at.map(|at| at + 1);
            self.settle(&mut next, t);
            found.push(Some(next));
        };
        let me = &state.threads[t];
        match *op {
            Op::Create(child) => on(&|s| {
                s.threads[child].at = Some(0);
                self.settle(s, child);
            }),
            Op::Join(child) if state.threads[child].at == Some(self.code[child].len()) => on(&|_| {}),
            Op::Load(cell) => on(&|s| s.threads[t].loaded = s.cells[cell]),
            Op::Store(cell, c) => on(&|s| s.cells[cell] = c),
            Op::StoreLoaded(cell, plus) => on(&|s| s.cells[cell] = s.threads[t].loaded + plus),
            Op::FetchAdd(cell, c) => on(&|s| s.cells[cell] += c),
            Op::Swap(cell, c) => on(&|s| s.threads[t].loaded = std::mem::replace(&mut s.cells[cell], c)),
            Op::Exchange(cell, from, to) => on(&|s| {
                let fits = s.cells[cell] == from;
                s.threads[t].loaded = fits.into();
                if fits {
                    s.cells[cell] = to;
                }
            }),
            Op::LoadByte => on(&|s| s.threads[t].byte = FIELDS.map(|cell| s.cells[cell])),
            Op::StoreByte(field, constant, plus) => on(&|s| {
                let new = constant.unwrap_or(s.threads[t].loaded + plus);
                for (cell, kept) in FIELDS.into_iter().zip(s.threads[t].byte) {
                    s.cells[cell] = if cell == field { new } else { kept };
                }
            }),
            Op::CopyIn(_) | Op::CopyOut => {
                self.copy(state, t, *op, &mut found);
            }
            Op::Lock(guard) if may_take(state, t, guard) => on(&|s| take(s, t, guard)),
            Op::TryLock(guard) if may_take(state, t, guard) => on(&|s| {
                take(s, t, guard);
                s.threads[t].loaded = 1;
            }),
            Op::TryLock(_) => on(&|s| s.threads[t].loaded = 0),
            Op::Unlock(guard) => on(&|s| release(s, t, guard)),
            Op::Sleep(_) if !me.waits => {
                let mut next = state.clone();
                release(&mut next, t, Guard::Mutex(0));
                (next.threads[t].waits, next.threads[t].woken) = (true, false);
                found.push(Some(next));
            }
            Op::Sleep(timed) => {
                let mut wake = |by_time: bool| {
                    on(&|s| {
                        (s.threads[t].waits, s.threads[t].woken) = (false, false);
                        s.threads[t].loaded = by_time.into();
                    });
                };
                if me.woken {
                    wake(false);
                } else if timed {
                    wake(true);
                }
            }
            Op::Signal(all) => {
                let waiting: Vec<usize> =
                    (0..state.threads.len()).filter(|&w| state.threads[w].waits && !state.threads[w].woken).collect();
                if all || waiting.is_empty() {
                    on(&|s| waiting.iter().for_each(|&w| s.threads[w].woken = true));
                } else {
                    waiting.iter().for_each(|&w| on(&|s| s.threads[w].woken = true));
                }
            }
            Op::Post => on(&|s| s.tokens += 1),
            Op::Acquire if state.tokens > 0 => on(&|s| s.tokens -= 1),
            Op::TryAcquire => on(&|s| {
                s.threads[t].loaded = (s.tokens > 0).into();
                s.tokens -= s.threads[t].loaded;
            }),
            Op::Arrive => on(&|s| {
                s.passed[t] = s.round;
                s.arrived += 1;
                if s.arrived as usize == s.threads.len() {
                    (s.arrived, s.round) = (0, s.round + 1);
                }
            }),
            Op::Leave if state.round > state.passed[t] => on(&|_| {}),
            Op::Once(to) if state.once == 2 => on(&|s| s.threads[t].at = Some(to - 1)),
            Op::Once(_) if state.once == 0 => on(&|s| s.once = 1),
            Op::OnceDone => on(&|s| s.once = 2),
            Op::Await(cell, value) if state.cells[cell] == value => on(&|_| {}),
            Op::LoadPointer => on(&|s| s.threads[t].pointer = s.current),
            Op::UseBlock if state.blocks[me.pointer] => on(&|s| s.threads[t].loaded = 7),
            Op::FreeBlock if state.blocks[me.pointer] => on(&|s| s.blocks[me.pointer] = false),
            // What is made larger is elsewhere; the pointer is written afterwards.
            Op::GrowBlock if me.parts == 1 => on(&|s| (s.current, s.threads[t].parts) = (me.pointer, 0)),
            Op::GrowBlock if state.blocks[me.pointer] => {
                let mut next = state.clone();
                next.blocks[me.pointer] = false;
                next.blocks.push(true);
                (next.threads[t].pointer, next.threads[t].parts) = (next.blocks.len() - 1, 1);
                found.push(Some(next));
            }
            Op::UseBlock | Op::FreeBlock | Op::GrowBlock => found.push(None),
            Op::Send(c) => on(&|s| s.channel.push(c)),
            Op::Receive if !state.channel.is_empty() => on(&|s| s.threads[t].loaded = s.channel.remove(0)),
            Op::TryReceive if state.channel.is_empty() => on(&|s| s.threads[t].loaded = -1),
            Op::TryReceive => on(&|s| s.threads[t].loaded = s.channel.remove(0)),
            Op::Park if me.token => on(&|s| s.threads[t].token = false),
            Op::Unpark(other) => on(&|s| s.threads[other].token = true),
            _ => {}
        }
        found
    }

    fn copy(&self, state: &State, t: usize, op: Op, found: &mut Vec<Option<State>>) {
        let todo: Vec<u8> = match self.copies {
            Copies::Whole => vec![3],
            Copies::Parts => [1, 2].into_iter().filter(|part| state.threads[t].parts & part == 0).collect(),
        };
        for parts in todo {
            let mut next = state.clone();
            for part in [0, 1].into_iter().filter(|part| parts & 1 << part != 0) {
                match op {
                    Op::CopyIn(c) => next.cells[STRUCT + part] = c,
                    _ => next.threads[t].byte[part] = next.cells[STRUCT + part],
                }
            }
            let thread = &mut next.threads[t];
            thread.parts |= parts;
            if thread.parts == 3 {
                thread.parts = 0;
                if matches!(op, Op::CopyOut) {
                    thread.loaded = thread.byte[0] + 4 * thread.byte[1];
                }
                thread.at = thread.at.map(|at| at + 1);
                self.settle(&mut next, t);
            }
            found.push(Some(next));
        }
    }
}

fn may_take(state: &State, t: usize, guard: Guard) -> bool {
    let owner = state.locks[index(guard)];
    match guard {
        Guard::Read => owner.is_none(),
        Guard::Write => owner.is_none() && state.readers == 0,
        Guard::Recursive => owner.is_none_or(|(by, _)| by == t),
        _ => owner.is_none(),
    }
}

fn take(state: &mut State, t: usize, guard: Guard) {
    match guard {
        Guard::Read => state.readers += 1,
        _ => {
            let depth = state.locks[index(guard)].map_or(0, |(_, depth)| depth);
            state.locks[index(guard)] = Some((t, depth + 1));
        }
    }
}

fn release(state: &mut State, t: usize, guard: Guard) {
    match guard {
        Guard::Read => state.readers -= 1,
        _ => {
            let depth = state.locks[index(guard)].map_or(0, |(_, depth)| depth);
            state.locks[index(guard)] = (depth > 1).then(|| (t, depth - 1));
        }
    }
}
