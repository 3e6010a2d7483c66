//! crossbeam-queue: bounded and unbounded queues.

#![cfg(test)]

use crossbeam_queue::{ArrayQueue, SegQueue};
use std::thread;

#[test]
fn nothing_or_what_was_pushed() {
    let queue = ArrayQueue::new(2);
    thread::scope(|scope| {
        scope.spawn(|| queue.push(1).unwrap());
        assert!(matches!(queue.pop(), None | Some(1)));
    });
}

#[test]
fn room_for_one() {
    let queue = ArrayQueue::new(1);
    thread::scope(|scope| {
        let other = scope.spawn(|| queue.push(1).is_ok());
        let pushed = queue.push(2).is_ok();
        assert!(pushed != other.join().unwrap());
    });
    assert!(queue.pop().is_some());
}

#[test]
fn what_two_push_is_there() {
    let queue = SegQueue::new();
    thread::scope(|scope| {
        scope.spawn(|| queue.push(1));
        queue.push(2);
    });
    assert_eq!(queue.pop().unwrap() + queue.pop().unwrap(), 3);
    assert!(queue.pop().is_none());
}
