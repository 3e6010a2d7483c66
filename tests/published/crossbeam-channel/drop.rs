//! A channel whose receiver goes while the first messages are sent. From 0.5.12 to 0.5.14 the first block could be given
//! back twice (RUSTSEC-2025-0024): one thread has allocated it and not yet shown it to receivers, another has sent already.

#![cfg(test)]

use crossbeam_channel::unbounded;
use std::thread;

#[test]
fn the_receiver_goes_first() {
    let (sender, receiver) = unbounded();
    thread::scope(|scope| {
        scope.spawn(|| sender.send(1).is_ok());
        sender.send(2).unwrap();
        drop(receiver);
    });
}
