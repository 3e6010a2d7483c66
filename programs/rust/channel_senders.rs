// Three senders, each sent with once and dropped: 3! orders of messages, and for each 3! in which the senders are counted down.
// gabion: verdict=verified
// gabion: args=--preempt everywhere
// gabion: runs=36
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let senders = [sender.clone(), sender.clone(), sender];
    let threads = senders.map(|sender| thread::spawn(move || sender.send(1).unwrap()));
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(receiver.iter().sum::<i32>(), 3);
}
