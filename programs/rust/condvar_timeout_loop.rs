// A wait with a timeout, in a loop that looks again.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

fn main() {
    let (ready, signal) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            *ready.lock().unwrap() = true;
            signal.notify_one();
        });
        let mut guard = ready.lock().unwrap();
        while !*guard {
            guard = signal.wait_timeout(guard, Duration::from_millis(5)).unwrap().0;
        }
    });
}
