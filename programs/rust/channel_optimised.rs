// As channel.rs, optimised: the accesses that operations begin with are merged with others.
// gabion: verdict=verified
// gabion: args=--preempt everywhere --cflags -O
// gabion: runs=20
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap();
    });
    assert_eq!(receiver.recv(), Ok(1));
    assert_eq!(receiver.recv(), Ok(2));
    assert!(receiver.recv().is_err());
    thread.join().unwrap();
}
