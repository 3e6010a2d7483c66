//! tokio: the channel for one message, without a runtime.

#![cfg(test)]

mod closed;

use std::thread;
use tokio::sync::oneshot;

#[test]
fn nothing_or_the_message() {
    let (sender, mut receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(1).unwrap());
    let seen = receiver.try_recv();
    assert!(seen == Ok(1) || seen == Err(oneshot::error::TryRecvError::Empty));
    other.join().unwrap();
}
