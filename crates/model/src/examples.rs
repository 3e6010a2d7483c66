//! Programs that the literature counts.

use crate::program::{Program, Statement, Value};
use Statement::{Create, Join, Local, Lock, Read, Unlock, Update, Write};

/// Main starts these and waits for all of them.
pub fn joined(mut threads: Vec<Vec<Statement>>) -> Program {
    let count = threads.len();
    threads.insert(0, (1..=count).map(Create).chain((0..count).map(Join)).collect());
    Program::new(threads)
}

/// Figure 2.1 of the thesis: two threads that each read, increment and write a shared counter, the increment being a
/// step of its own. Main is one of them, so that nothing else takes part.
pub fn counter() -> Program {
    let body = [Read(0, 0), Local, Write(0, Value::Sum(0, 1))];
    let main = [vec![Create(1)], body.to_vec(), vec![Join(0)]].concat();
    Program::new(vec![main, body.to_vec()])
}

/// So many threads that take one lock once.
pub fn one_lock(threads: usize) -> Program {
    joined(vec![vec![Lock(0), Update(0, 1, 0), Unlock(0)]; threads])
}

/// One writer and so many readers of one variable.
pub fn readers(readers: usize) -> Program {
    let mut threads = vec![vec![Read(0, 0)]; readers];
    threads.push(vec![Write(0, Value::Const(1))]);
    joined(threads)
}
