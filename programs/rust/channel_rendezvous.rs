// No room: sender and receiver meet. Whoever comes first waits: 2 ways.
// gabion: verdict=verified compilers=rustc,rebuilt
// gabion: args=--preempt everywhere
// gabion: runs=2
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(0);
    let thread = thread::spawn(move || sender.send(7).unwrap());
    assert_eq!(receiver.recv(), Ok(7));
    thread.join().unwrap();
}
