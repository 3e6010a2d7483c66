//! A batch is stolen while the owner takes. Before 0.8.1 a task could be taken twice (RUSTSEC-2021-0093), but not under
//! sequential consistency: a thief must see an older buffer than the one it should.

#![cfg(test)]

use crossbeam_deque::Worker;
use std::thread;

#[test]
fn every_task_once() {
    let worker = Worker::new_lifo();
    (0..3).for_each(|task| worker.push(task));
    let stealer = worker.stealer();
    let thief = thread::spawn(move || {
        let mine = Worker::new_lifo();
        let _ = stealer.steal_batch(&mine);
        std::iter::from_fn(|| mine.pop()).collect::<Vec<u32>>()
    });
    let mut tasks: Vec<u32> = worker.pop().into_iter().collect();
    tasks.extend(thief.join().unwrap());
    tasks.extend(std::iter::from_fn(|| worker.pop()));
    tasks.sort();
    assert_eq!(tasks, [0, 1, 2]);
}
