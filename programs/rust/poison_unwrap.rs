// The same without coping: who comes second panics too.
// gabion: verdict=bug kind=panic location=HERE message=PoisonError
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let value = Arc::new(Mutex::new(0));
    let other = value.clone();
    let thread = thread::spawn(move || {
        let _guard = other.lock().unwrap();
        panic!("with the lock held");
    });
    drop(value.lock().unwrap()); // HERE
    let _ = thread.join();
}
