// The twin of condvar_timeout_loop: it gives up after five timeouts.
// gabion: verdict=bug kind=panic
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
        for _ in 0..5 {
            if !*guard {
                guard = signal.wait_timeout(guard, Duration::from_millis(5)).unwrap().0;
            }
        }
        assert!(*guard);
    });
}
