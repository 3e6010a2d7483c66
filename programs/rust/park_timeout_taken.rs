// Timed parks that find a token each time: no time limit comes, so none of them is taken to wait for somebody else.
// gabion: verdict=bug kind=panic
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn main() {
    let rounds = Arc::new(AtomicUsize::new(0));
    let counted = rounds.clone();
    let parker = thread::spawn(move || {
        for _ in 0..6 {
            thread::current().unpark();
            thread::park_timeout(Duration::from_secs(1));
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    assert_ne!(rounds.load(Ordering::SeqCst), 5);
    parker.join().unwrap();
}
