// Three threads send: 3! orders. Compiled for size, the channel's lock is taken by a function and released inline.
// gabion: verdict=verified
// gabion: args=--preempt everywhere --cflags -Copt-level=s
// gabion: runs=6
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for i in 0..3 {
            let sender = &sender;
            scope.spawn(move || sender.send(i).unwrap());
        }
    });
    drop(sender);
    assert_eq!(receiver.iter().sum::<i32>(), 3);
}
