// Room for one: messages are sent and received in turns. Before each turn but the last the other one may have come in vain: 2^5.
// gabion: verdict=verified compilers=rustc,rebuilt
// gabion: args=--preempt everywhere
// gabion: runs=32
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = thread::spawn(move || {
        for i in 0..3 {
            sender.send(i).unwrap();
        }
    });
    for i in 0..3 {
        assert_eq!(receiver.recv(), Ok(i));
    }
    thread.join().unwrap();
}
