// A load and a store are not an update.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn main() {
    let count = Arc::new(AtomicU32::new(0));
    let other = count.clone();
    let thread = thread::spawn(move || other.store(other.load(SeqCst) + 1, SeqCst));
    count.store(count.load(SeqCst) + 1, SeqCst);
    thread.join().unwrap();
    assert_eq!(count.load(SeqCst), 2); // HERE
}
