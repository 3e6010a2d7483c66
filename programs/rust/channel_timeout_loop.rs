// Receives with a timeout, again and again. Each time it enters a list and leaves it, so that it waits is an assumption.
// gabion: verdict=complete caveat=assumed-wait
// gabion: args=--assume-waits
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(7));
    let received = loop {
        match receiver.recv_timeout(Duration::from_millis(10)) {
            Err(RecvTimeoutError::Timeout) => continue,
            received => break received,
        }
    };
    assert_eq!(received, Ok(7));
    thread.join().unwrap().unwrap();
}
