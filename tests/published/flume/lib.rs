//! flume: bounded channels with one message.

#![cfg(test)]

use std::thread;

#[test]
fn a_message_arrives() {
    let (sender, receiver) = flume::bounded(1);
    thread::scope(|scope| {
        scope.spawn(|| sender.send(7).unwrap());
        assert_eq!(receiver.recv(), Ok(7));
    });
}

#[test]
fn nothing_or_the_message() {
    let (sender, receiver) = flume::unbounded();
    let first = thread::scope(|scope| {
        scope.spawn(|| sender.send(1).unwrap());
        receiver.try_recv()
    });
    assert_eq!(first.is_ok(), receiver.try_recv().is_err()); // once, sooner or later
}

#[test]
fn the_last_sender_closes() {
    let (sender, receiver) = flume::bounded::<u8>(1);
    let other = thread::spawn(move || drop(sender));
    assert!(receiver.recv().is_err());
    other.join().unwrap();
}
