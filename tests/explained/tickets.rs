// Two threads take the same ticket; how many were offered is checked in between, and right.
// says: tickets.rs:25 and finds 1
// never: tickets.rs:26 and finds
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Arc;
use std::thread;

struct Desk {
    offered: AtomicUsize,
    taken: AtomicUsize,
}

fn take(desk: &Desk) {
    desk.offered.fetch_add(1, SeqCst);
    let next = desk.taken.load(SeqCst);
    desk.taken.store(next + 1, SeqCst);
}

fn main() {
    let desk = Arc::new(Desk { offered: AtomicUsize::new(0), taken: AtomicUsize::new(0) });
    let other = desk.clone();
    let thread = thread::spawn(move || take(&other));
    take(&desk);
    thread.join().unwrap();
    let taken = desk.taken.load(SeqCst);
    assert_eq!(desk.offered.load(SeqCst), 2);
    assert_eq!(taken, 2);
}
