//! A channel that is closed while the message is sent. Before 1.13.1 both sides could take it out (RUSTSEC-2021-0124).

#![cfg(test)]

use std::thread;
use tokio::sync::oneshot;

#[test]
fn sent_while_it_is_closed() {
    let (sender, mut receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(Box::new(1)).is_ok());
    receiver.close();
    let received = receiver.try_recv().is_ok();
    assert_eq!(received, other.join().unwrap());
}
