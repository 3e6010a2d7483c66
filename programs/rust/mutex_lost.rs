// The lock is released between the load and the store: an update can be lost.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::{Arc, Mutex};
use std::thread;

fn add(count: &Mutex<u32>) {
    let seen = *count.lock().unwrap();
    *count.lock().unwrap() = seen + 1;
}

fn main() {
    let count = Arc::new(Mutex::new(0));
    let other = count.clone();
    let thread = thread::spawn(move || add(&other));
    add(&count);
    thread.join().unwrap();
    assert_eq!(*count.lock().unwrap(), 2); // HERE
}
