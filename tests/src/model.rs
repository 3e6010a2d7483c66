//! An enumerator of interleavings that shares no code with the checker: abstract threads are lists of instructions, a
//! state is small, and the number of complete runs is counted by recursion over states. What the runtime calls a step
//! is here an instruction that begins at a preemption point; `Set`, the jumps and an `Unlock` that does not follow another
//! happen at the end of the step before.

use std::collections::HashMap;

/// One instruction of an abstract thread. Objects, variables and threads are small numbers; thread 0 is main.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// A step that never blocks: an atomic operation, a plain access, a yield, `OnceDone`.
    Touch,
    /// Starts a thread.
    Create(usize),
    /// Enabled when the thread has ended.
    Join(usize),
    /// Enabled while free.
    Lock(usize),
    /// Takes the lock and sets the variable to 1, or sets it to 0.
    TryLock(usize, usize),
    /// Not a step.
    Unlock(usize),
    /// Enabled unless held by a writer. Locks 0.. are shared with `Lock`, which is the write lock.
    ReadLock(usize),
    /// Not a step.
    ReadUnlock(usize),
    /// Condition, mutex: releases and enters the queue; the re-acquisition is a step of its own.
    Wait(usize, usize),
    /// As `Wait`, but a time-out is always possible, and is a step before the re-acquisition.
    TimedWait(usize, usize),
    /// One outcome per waiter.
    Signal(usize),
    /// Wakes all.
    Broadcast(usize),
    /// Enabled while the variable is positive, which it lowers.
    SemWait(usize),
    /// Raises the variable.
    SemPost(usize),
    /// Barrier variable, number of threads: the last to arrive goes on, the way out of the others is a step.
    Barrier(usize, u8),
    /// Variable: 0 never begun, 1 running, 2 done. Enabled unless it runs; begins it, or jumps if it is done.
    Once(usize, usize),
    /// The once is done. A step.
    OnceDone(usize),
    /// Ends the run. A step.
    Exit,
    /// Not a step: sets a variable.
    Set(usize, u8),
    /// Not a step: lowers a variable.
    Take(usize),
    /// Not a step: jumps if the variable is 0.
    IfZero(usize, usize),
    /// Not a step.
    Jump(usize),
}

type Program<'a> = &'a [Vec<Op>];

/// Where a thread stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stand {
    NotCreated,
    /// At the instruction.
    At(usize),
    /// In the queue of a condition, at the instruction; may it time out?
    Queued(usize, bool),
    /// Signalled or timed out: wants the mutex again.
    Woken(usize),
    /// At a barrier of this generation.
    Passing(usize, u8),
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    threads: Vec<Stand>,
    owner: [Option<usize>; 4],
    readers: [u8; 4],
    variables: [u8; 4],
    generation: u8,
    over: bool,
}

/// How many runs there are, and how many of them end in a deadlock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// All runs.
    pub runs: u64,
    /// Those that end with nobody able to go on.
    pub deadlocks: u64,
}

/// Counts the runs of a program.
pub fn count(program: &[Vec<Op>]) -> Count {
    let mut threads = vec![Stand::NotCreated; program.len()];
    threads[0] = Stand::At(0);
    let mut start = State { threads, owner: [None; 4], readers: [0; 4], variables: [0; 4], generation: 0, over: false };
    settle(program, &mut start, 0);
    count_from(program, &start, &mut HashMap::new())
}

fn count_from(program: Program<'_>, state: &State, known: &mut HashMap<State, Count>) -> Count {
    if let Some(count) = known.get(state) {
        return *count;
    }
    let mut total = Count::default();
    if !state.over {
        for thread in 0..program.len() {
            for next in successors(program, state, thread) {
                let count = count_from(program, &next, known);
                total.runs += count.runs;
                total.deadlocks += count.deadlocks;
            }
        }
    }
    if total.runs == 0 {
        let stuck = !state.over && state.threads.iter().any(|t| !matches!(t, Stand::Ended | Stand::NotCreated));
        total = Count { runs: 1, deadlocks: u64::from(stuck) };
    }
    known.insert(state.clone(), total);
    total
}

/// The states after one step of a thread: none if it cannot go on, several if the step has several outcomes.
fn successors(program: Program<'_>, state: &State, me: usize) -> Vec<State> {
    let mut outcomes = Vec::new();
    let mut s = state.clone();
    match state.threads[me] {
        Stand::NotCreated | Stand::Ended | Stand::Queued(_, false) => {}
        Stand::Queued(at, true) => {
            s.threads[me] = Stand::Woken(at);
            outcomes.push((s, None));
        }
        Stand::Woken(at) => {
            let (Op::Wait(_, mutex) | Op::TimedWait(_, mutex)) = program[me][at] else {
                unreachable!("only waits wake")
            };
            if s.owner[mutex].is_none() {
                s.owner[mutex] = Some(me);
                outcomes.push((s, Some(at + 1)));
            }
        }
        Stand::Passing(at, generation) => {
            if state.generation != generation {
                outcomes.push((s, Some(at + 1)));
            }
        }
        Stand::At(at) => outcomes = step(program[me][at], s, me, at, program),
    }
    outcomes
        .into_iter()
        .map(|(mut s, at)| {
            if let Some(at) = at {
                s.threads[me] = Stand::At(at);
                settle(program, &mut s, me);
            }
            s
        })
        .collect()
}

type Outcome = (State, Option<usize>);

fn step(op: Op, mut s: State, me: usize, at: usize, program: Program<'_>) -> Vec<Outcome> {
    let next = Some(at + 1);
    match op {
        Op::Touch => {}
        Op::Create(t) => {
            s.threads[t] = Stand::At(0);
            settle(program, &mut s, t);
        }
        Op::Join(t) if s.threads[t] != Stand::Ended => return vec![],
        Op::Join(_) => {}
        Op::Lock(m) if s.owner[m].is_some() || s.readers[m] > 0 => return vec![],
        Op::Lock(m) => s.owner[m] = Some(me),
        Op::TryLock(m, v) => {
            s.variables[v] = u8::from(s.owner[m].is_none());
            s.owner[m] = s.owner[m].or(Some(me));
        }
        Op::ReadLock(m) if s.owner[m].is_some() => return vec![],
        Op::ReadLock(m) => s.readers[m] += 1,
        Op::Wait(_, m) | Op::TimedWait(_, m) => {
            s.owner[m] = None;
            s.threads[me] = Stand::Queued(at, matches!(op, Op::TimedWait(..)));
            return vec![(s, None)];
        }
        Op::Signal(c) => return signal(&s, c, next, program),
        Op::Broadcast(c) => {
            for t in waiters(&s, c, program) {
                wake(&mut s, t);
            }
        }
        Op::SemWait(v) if s.variables[v] == 0 => return vec![],
        Op::SemWait(v) => s.variables[v] -= 1,
        Op::SemPost(v) => s.variables[v] += 1,
        Op::Barrier(v, n) => {
            s.variables[v] += 1;
            if s.variables[v] < n {
                s.threads[me] = Stand::Passing(at, s.generation);
                return vec![(s, None)];
            }
            s.variables[v] = 0;
            s.generation += 1;
        }
        Op::Once(v, done) => match s.variables[v] {
            0 => s.variables[v] = 1,
            1 => return vec![],
            _ => return vec![(s, Some(done))],
        },
        Op::OnceDone(v) => s.variables[v] = 2,
        Op::Exit => {
            s.over = true;
            return vec![(s, None)];
        }
        Op::Unlock(m) => return vec![after_unlock(s, me, at, program, m)],
        Op::ReadUnlock(_) | Op::Set(..) | Op::Take(_) | Op::IfZero(..) | Op::Jump(_) => {
            unreachable!("not a step: {op:?}")
        }
    }
    vec![(s, next)]
}

/// A second unlock is a step of its own, and again followed by a point.
fn after_unlock(mut s: State, me: usize, at: usize, program: Program<'_>, mutex: usize) -> Outcome {
    s.owner[mutex] = None;
    s.threads[me] = Stand::At(at + 1);
    settle_after(program, &mut s, me, true);
    (s, None)
}

fn signal(s: &State, condition: usize, next: Option<usize>, program: Program<'_>) -> Vec<Outcome> {
    let waiting = waiters(s, condition, program);
    if waiting.is_empty() {
        return vec![(s.clone(), next)];
    }
    let woken = |t: usize| {
        let mut s = s.clone();
        wake(&mut s, t);
        (s, next)
    };
    waiting.into_iter().map(woken).collect()
}

fn waiters(s: &State, condition: usize, program: Program<'_>) -> Vec<usize> {
    let waits = |&t: &usize| match s.threads[t] {
        Stand::Queued(at, _) => {
            matches!(program[t][at], Op::Wait(c, _) | Op::TimedWait(c, _) if c == condition)
        }
        _ => false,
    };
    (0..program.len()).filter(waits).collect()
}

fn wake(s: &mut State, thread: usize) {
    if let Stand::Queued(at, _) = s.threads[thread] {
        s.threads[thread] = Stand::Woken(at);
    }
}

/// Does what needs no step of its own, up to the next point or the end.
fn settle(program: Program<'_>, s: &mut State, me: usize) {
    settle_after(program, s, me, false);
}

/// As [`settle`]; `unlocked`: the last visible operation was an unlock.
fn settle_after(program: Program<'_>, s: &mut State, me: usize, mut unlocked: bool) {
    while let Stand::At(at) = s.threads[me] {
        let next = match program[me].get(at) {
            None => {
                s.threads[me] = Stand::Ended;
                return;
            }
            Some(Op::Unlock(_) | Op::ReadUnlock(_)) if unlocked => return,
            Some(Op::Unlock(m)) => {
                s.owner[*m] = None;
                unlocked = true;
                at + 1
            }
            Some(Op::ReadUnlock(m)) => {
                s.readers[*m] -= 1;
                unlocked = true;
                at + 1
            }
            Some(Op::Set(v, value)) => {
                s.variables[*v] = *value;
                at + 1
            }
            Some(Op::Take(v)) => {
                s.variables[*v] -= 1;
                at + 1
            }
            Some(Op::IfZero(v, to)) if s.variables[*v] == 0 => *to,
            Some(Op::IfZero(..)) => at + 1,
            Some(Op::Jump(to)) => *to,
            Some(_) => return,
        };
        s.threads[me] = Stand::At(next);
    }
}
