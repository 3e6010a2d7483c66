//! tokio: the channel for one message, without a runtime, and with one in each thread.

#![cfg(test)]

mod closed;

use std::thread;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

#[test]
fn nothing_or_the_message() {
    let (sender, mut receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(1).unwrap());
    let seen = receiver.try_recv();
    assert!(seen == Ok(1) || seen == Err(oneshot::error::TryRecvError::Empty));
    other.join().unwrap();
}

#[test]
fn received_in_another_runtime() {
    let (sender, receiver) = oneshot::channel();
    let other = thread::spawn(move || runtime().block_on(async { sender.send(1) }));
    assert_eq!(runtime().block_on(receiver), Ok(1));
    assert_eq!(other.join().unwrap(), Ok(()));
}
