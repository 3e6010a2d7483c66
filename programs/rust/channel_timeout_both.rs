// It finds the message or nothing, and what is sent later is still there.
// gabion: verdict=verified
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1));
    let first = receiver.recv_timeout(Duration::from_secs(1));
    assert!(matches!(first, Ok(1) | Err(RecvTimeoutError::Timeout)));
    thread.join().unwrap().unwrap();
    assert_eq!(receiver.recv().is_ok(), first.is_err());
}
