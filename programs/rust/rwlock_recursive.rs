// Reads twice: a writer that comes in between waits for the first read lock, and the second waits for the writer.
// gabion: verdict=bug kind=deadlock
use std::sync::RwLock;
use std::thread;

fn main() {
    let value = RwLock::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let first = value.read().unwrap();
            let second = value.read().unwrap();
            assert_eq!(*first, *second);
        });
        scope.spawn(|| *value.write().unwrap() += 1);
    });
}
