// The other owner may still be there.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::Arc;
use std::thread;

fn main() {
    let value = Arc::new(5);
    let other = value.clone();
    let thread = thread::spawn(move || drop(other));
    assert_eq!(Arc::try_unwrap(value).unwrap(), 5); // HERE
    thread.join().unwrap();
}
