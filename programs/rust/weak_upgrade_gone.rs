// It may be gone.
// gabion: verdict=bug kind=panic
use std::sync::Arc;
use std::thread;

fn main() {
    let strong = Arc::new(5);
    let weak = Arc::downgrade(&strong);
    let thread = thread::spawn(move || *weak.upgrade().unwrap());
    drop(strong);
    thread.join().unwrap();
}
