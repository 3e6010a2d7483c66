// Try-locks of both kinds; what they get is consistent.
// gabion: verdict=verified
use std::sync::RwLock;
use std::thread;

fn main() {
    let value = RwLock::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            if let Ok(mut value) = value.try_write() {
                *value += 1;
            }
        });
        if let Ok(value) = value.try_read() {
            assert!(*value < 2);
        };
    });
    assert!(*value.read().unwrap() < 2);
}
