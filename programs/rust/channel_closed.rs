// The receiver may be gone.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || {
        sender.send(1).unwrap();
        sender.send(2).unwrap(); // HERE
    });
    assert_eq!(receiver.recv(), Ok(1));
    drop(receiver);
    thread.join().unwrap();
}
