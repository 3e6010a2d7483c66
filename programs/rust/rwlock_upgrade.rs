// Looks with a read lock, writes with a write lock taken later.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::RwLock;
use std::thread;

fn add(value: &RwLock<u32>) {
    let seen = *value.read().unwrap();
    *value.write().unwrap() = seen + 1;
}

fn main() {
    let value = RwLock::new(0);
    thread::scope(|scope| {
        scope.spawn(|| add(&value));
        scope.spawn(|| add(&value));
    });
    assert_eq!(*value.read().unwrap(), 2); // HERE
}
