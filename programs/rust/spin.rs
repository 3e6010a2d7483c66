// A loop that waits for a flag under a lock is not unrolled.
// gabion: verdict=verified
use std::sync::Mutex;
use std::thread;

fn main() {
    let ready = Mutex::new(false);
    thread::scope(|scope| {
        scope.spawn(|| *ready.lock().unwrap() = true);
        while !*ready.lock().unwrap() {
            thread::yield_now();
        }
    });
}
