// Whoever finds nothing looks again under the lock for writing: the value is made once.
// gabion: verdict=verified
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static MADE: AtomicU32 = AtomicU32::new(0);

fn get(cache: &RwLock<Option<u32>>) -> u32 {
    if let Some(value) = *cache.read().unwrap() {
        return value;
    }
    *cache.write().unwrap().get_or_insert_with(|| MADE.fetch_add(1, Ordering::SeqCst) + 7)
}

fn main() {
    let cache = RwLock::new(None);
    thread::scope(|scope| {
        scope.spawn(|| assert_eq!(get(&cache), 7));
        assert_eq!(get(&cache), 7);
    });
    assert_eq!(MADE.load(Ordering::SeqCst), 1);
}
