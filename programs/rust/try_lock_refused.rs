// Somebody else may hold the lock.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::Mutex;
use std::thread;

fn main() {
    let value = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *value.lock().unwrap() += 1);
        *value.try_lock().unwrap() += 10; // HERE
    });
}
