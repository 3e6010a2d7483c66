// A receiver that waits in a channel whose insides are under test: its lock orders what it guards, so there is no race.
// gabion: verdict=verified|complete races=none
// gabion: args=--std --races deny --assume-waits
// gabion: compilers=rustc,rebuilt
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.recv().unwrap(), 1);
    thread.join().unwrap();
}
