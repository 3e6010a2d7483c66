// Without the second look it may be made twice.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static MADE: AtomicU32 = AtomicU32::new(0);

fn get(cache: &RwLock<Option<u32>>) -> u32 {
    if let Some(value) = *cache.read().unwrap() {
        return value;
    }
    let value = MADE.fetch_add(1, Ordering::SeqCst) + 7;
    *cache.write().unwrap() = Some(value);
    value
}

fn main() {
    let cache = RwLock::new(None);
    thread::scope(|scope| {
        scope.spawn(|| get(&cache));
        get(&cache);
    });
    assert_eq!(MADE.load(Ordering::SeqCst), 1); // HERE
}
