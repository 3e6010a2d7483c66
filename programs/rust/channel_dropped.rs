// Messages that nobody receives are dropped with the receiver, and what that does is the program's: here it loses an update.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Message;
impl Drop for Message {
    fn drop(&mut self) {
        let before = DROPPED.load(SeqCst);
        DROPPED.store(before + 1, SeqCst);
    }
}

fn main() {
    let (sender, receiver) = mpsc::channel();
    sender.send(Message).unwrap();
    let thread = thread::spawn(|| drop(Message));
    drop(receiver);
    thread.join().unwrap();
    assert_eq!(DROPPED.load(SeqCst), 2); // HERE
}
