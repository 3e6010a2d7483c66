//! An interpreter of abstract programs that shares no code with the checker: it enumerates all states under sequential
//! consistency, one access at a time, and gives every outcome.
//!
//! A structure is copied in one step, or its first and last character in any order (`Copies`): hardware does something
//! between the two.

use crate::code::{Op, compile};
use crate::program::{CELLS, FIELDS, Guard, Program, STRUCT};
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
