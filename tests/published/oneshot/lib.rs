//! oneshot: one message between two threads.

#![cfg(test)]

mod dropped;
mod polled;

use std::thread;

#[test]
fn a_message_arrives() {
    let (sender, receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(7).unwrap());
    assert_eq!(receiver.recv(), Ok(7));
    other.join().unwrap();
}

#[test]
fn the_sender_goes() {
    let (sender, receiver) = oneshot::channel::<u8>();
    let other = thread::spawn(move || drop(sender));
    assert!(receiver.recv().is_err());
    other.join().unwrap();
}

#[test]
fn the_receiver_goes() {
    let (sender, receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(Box::new(1)).is_ok());
    drop(receiver);
    other.join().unwrap();
}
