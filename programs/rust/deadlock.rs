// Two locks taken in two orders.
// gabion: verdict=bug kind=deadlock message=circle
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let first = Arc::new(Mutex::new(0));
    let second = Arc::new(Mutex::new(0));
    let (a, b) = (first.clone(), second.clone());
    let thread = thread::spawn(move || {
        let _b = b.lock().unwrap();
        let _a = a.lock().unwrap();
    });
    {
        let _a = first.lock().unwrap();
        let _b = second.lock().unwrap();
    }
    thread.join().unwrap();
}
