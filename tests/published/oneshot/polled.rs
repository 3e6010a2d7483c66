//! A receiver that was polled once and then asked, while the other side sends. Before 0.1.5 it did not know the state in
//! between, and panicked.

#![cfg(test)]

use oneshot::TryRecvError;
use std::future::{Future, IntoFuture};
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::task::{Context, Waker};
use std::thread;

#[test]
fn polled_and_asked() {
    let (sender, receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(1).is_ok());
    let mut receiver = ManuallyDrop::new(receiver.into_future()); // to drop it is another story
    if Pin::new(&mut *receiver).poll(&mut Context::from_waker(Waker::noop())).is_pending() {
        assert!(matches!(receiver.try_recv(), Ok(1) | Err(TryRecvError::Empty)));
    }
    assert!(other.join().unwrap());
    drop(ManuallyDrop::into_inner(receiver));
}
