//! A receiver that was polled once and then dropped, while the other side sends: a use after free, in 0.1.11 and after it.
//! Not all of it was mended with RUSTSEC-2026-0005; what is left is reported as issue 87 of the crate.

#![cfg(test)]

use std::future::{Future, IntoFuture};
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

#[test]
fn polled_and_dropped() {
    let (sender, receiver) = oneshot::channel();
    let other = thread::spawn(move || sender.send(1).is_ok());
    {
        let mut receiver = pin!(receiver.into_future());
        let _ = receiver.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    other.join().unwrap();
}
