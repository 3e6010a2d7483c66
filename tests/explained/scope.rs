// A panic in the closure of a scope: the scope passes it on, and it is told of the thread that panicked.
// heads: thread T1
// says: finds 1
// never: CLEANUP
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn body() {
    let x = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| x.store(1, SeqCst));
        assert!(x.load(SeqCst) == 0, "early");
    });
}

fn main() {
    thread::spawn(body).join().unwrap();
}
