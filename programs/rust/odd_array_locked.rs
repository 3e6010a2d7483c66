// As odd_array.rs, under a lock.
// gabion: verdict=verified compilers=rebuilt
use std::sync::Mutex;
use std::thread;

static SHARED: Mutex<[u8; 5]> = Mutex::new([0; 5]);

#[inline(never)]
fn put(value: [u8; 5]) {
    *SHARED.lock().unwrap() = value;
}

#[inline(never)]
fn get() -> [u8; 5] {
    *SHARED.lock().unwrap()
}

fn main() {
    let other = thread::spawn(|| put([1; 5]));
    let seen = get();
    other.join().unwrap();
    assert!(seen == [0; 5] || seen == [1; 5]);
}
