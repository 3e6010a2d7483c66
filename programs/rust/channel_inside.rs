// With its insides under test a channel does what it does as one step: here, the message or nothing.
// gabion: verdict=verified|complete
// gabion: args=--std --assume-waits
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1).unwrap());
    let first = receiver.try_recv();
    thread.join().unwrap();
    assert_eq!(first.is_ok(), receiver.try_recv().is_err());
}
