// What a weak handle gives is whole, or gone.
// gabion: verdict=verified
use std::sync::Arc;
use std::thread;

fn main() {
    let strong = Arc::new(5);
    let weak = Arc::downgrade(&strong);
    let thread = thread::spawn(move || weak.upgrade().map(|value| *value));
    drop(strong);
    let seen = thread.join().unwrap();
    assert!(seen.is_none() || seen == Some(5));
}
