// A send through a channel without room ends when its message was taken, not when the receiver has gone on.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;

static RECEIVED: AtomicBool = AtomicBool::new(false);

fn main() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let thread = thread::spawn(move || {
        assert_eq!(receiver.recv(), Ok(7));
        RECEIVED.store(true, SeqCst);
    });
    sender.send(7).unwrap();
    assert!(RECEIVED.load(SeqCst)); // HERE
    thread.join().unwrap();
}
