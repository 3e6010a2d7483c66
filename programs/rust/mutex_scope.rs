// Three scoped threads and a lock: 3! orders of the lock. Handles that are dropped at once cost nothing.
// gabion: verdict=verified compilers=rustc,rebuilt runs=6
// gabion: args=--preempt everywhere
use std::sync::Mutex;
use std::thread;

fn main() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| *count.lock().unwrap() += 1);
        }
    });
    assert_eq!(count.into_inner().unwrap(), 3);
}
