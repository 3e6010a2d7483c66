// A thread that lets go of another's handle has not left the scope: the scope still waits for what it does after that.
// gabion: verdict=verified
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static DONE: AtomicU32 = AtomicU32::new(0);

fn main() {
    thread::scope(|scope| {
        let first = scope.spawn(|| DONE.fetch_add(1, SeqCst));
        scope.spawn(move || {
            while !first.is_finished() {
                thread::yield_now();
            }
            drop(first);
            DONE.fetch_add(1, SeqCst);
        });
    });
    assert_eq!(DONE.load(SeqCst), 2);
}
