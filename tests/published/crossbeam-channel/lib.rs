//! crossbeam-channel: bounded and unbounded channels, each with one message or two.

#![cfg(test)]

mod drop;

use crossbeam_channel::{TryRecvError, bounded, unbounded};
use std::thread;

#[test]
fn a_message_arrives() {
    let (sender, receiver) = bounded(1);
    thread::scope(|scope| {
        scope.spawn(|| sender.send(7).unwrap());
        assert_eq!(receiver.recv(), Ok(7));
    });
}

#[test]
fn the_last_sender_closes() {
    let (sender, receiver) = bounded::<u8>(1);
    let other = thread::spawn(move || std::mem::drop(sender));
    assert!(receiver.recv().is_err());
    other.join().unwrap();
}

#[test]
fn nothing_or_the_message() {
    let (sender, receiver) = unbounded();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(1).unwrap());
        match receiver.try_recv() {
            Ok(message) => assert_eq!(message, 1),
            Err(error) => assert_eq!(error, TryRecvError::Empty),
        }
    });
}
