// A wait with a timeout ends one way or the other.
// gabion: verdict=verified
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

fn main() {
    let (ready, signal) = (Mutex::new(false), Condvar::new());
    thread::scope(|scope| {
        scope.spawn(|| {
            *ready.lock().unwrap() = true;
            signal.notify_all();
        });
        let guard = ready.lock().unwrap();
        let (guard, result) = signal.wait_timeout_while(guard, Duration::from_millis(5), |ready| !*ready).unwrap();
        assert!(*guard || result.timed_out());
    });
}
