// As channel_looks.rs, with the insides of channels under test.
// gabion: verdict=bug kind=panic location=HERE
// gabion: args=--std --assume-waits
use std::sync::mpsc;
use std::thread;

fn main() {
    let (first, from_first) = mpsc::channel();
    let (second, from_second) = mpsc::channel();
    let thread = thread::spawn(move || {
        first.send(1).unwrap();
        second.send(2).unwrap();
    });
    let one = from_first.try_recv();
    let two = from_second.try_recv();
    assert!(one.is_ok() || two.is_err()); // HERE
    thread.join().unwrap();
}
