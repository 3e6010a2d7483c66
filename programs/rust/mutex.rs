// Two sections under one lock: one run for each order, as with a mutex of the C library.
// gabion: verdict=verified compilers=rustc,rebuilt runs=2
// gabion: args=--preempt everywhere
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let count = Arc::new(Mutex::new(0));
    let other = count.clone();
    let thread = thread::spawn(move || *other.lock().unwrap() += 1);
    *count.lock().unwrap() += 1;
    thread.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2);
}
