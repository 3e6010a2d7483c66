// What is sent arrives, in order. A receive that finds nothing is a step of its own. The first may be one (2 ways); the second message is
// received before the channel is closed in 3 orders, and then the third receive may find nothing (2 ways), or after it in 4: 2 (3 * 2 + 4).
// gabion: verdict=verified compilers=rustc,rebuilt
// gabion: args=--preempt everywhere
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
