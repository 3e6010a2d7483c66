//! crossbeam-deque: the owner and a thief.

#![cfg(test)]

mod batch;

use crossbeam_deque::{Steal, Worker};
use std::thread;

#[test]
fn one_of_them_gets_it() {
    let worker = Worker::new_lifo();
    worker.push(1);
    let stealer = worker.stealer();
    let thief = thread::spawn(move || matches!(stealer.steal(), Steal::Success(1)));
    let own = worker.pop().is_some();
    let stolen = thief.join().unwrap();
    assert!(own != stolen);
}

#[test]
fn pushed_while_a_thief_looks() {
    let worker = Worker::new_fifo();
    let stealer = worker.stealer();
    let thief = thread::spawn(move || stealer.steal().success());
    worker.push(1);
    let own = worker.pop();
    assert_eq!([own, thief.join().unwrap()].into_iter().flatten().count(), 1);
}
