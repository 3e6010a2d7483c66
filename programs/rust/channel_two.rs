// Two senders: the order is not the one of their creation.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let other = sender.clone();
    let first = thread::spawn(move || sender.send(1).unwrap());
    let second = thread::spawn(move || other.send(2).unwrap());
    assert_eq!(receiver.recv(), Ok(1)); // HERE
    first.join().unwrap();
    second.join().unwrap();
}
