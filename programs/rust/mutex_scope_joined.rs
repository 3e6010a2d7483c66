// Three scoped threads that are joined, and a lock: 3! orders, and nothing for the threads themselves.
// gabion: verdict=verified runs=6
// gabion: args=--preempt everywhere
use std::sync::Mutex;
use std::thread;

fn main() {
    let count = Mutex::new(0);
    thread::scope(|scope| {
        let threads = [0; 3].map(|_| scope.spawn(|| *count.lock().unwrap() += 1));
        for thread in threads {
            thread.join().unwrap();
        }
    });
    assert_eq!(count.into_inner().unwrap(), 3);
}
