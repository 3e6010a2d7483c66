// A result that nobody joins for is dropped with its handle or by its thread: what it holds counts as ever.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::Arc;
use std::thread;

fn main() {
    let value = Arc::new(5);
    let other = value.clone();
    drop(thread::spawn(move || other));
    assert_eq!(Arc::strong_count(&value), 2); // HERE
}
