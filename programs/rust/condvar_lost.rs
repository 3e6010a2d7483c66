// Waits without looking: the notification may have come before.
// gabion: verdict=bug kind=deadlock location=HERE
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let shared = Arc::new((Mutex::new(false), Condvar::new()));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let ready = shared.0.lock().unwrap();
    drop(shared.1.wait(ready).unwrap()); // HERE
    thread.join().unwrap();
}
