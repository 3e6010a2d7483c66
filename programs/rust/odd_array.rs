// Arrays of five bytes, written and returned as they are: the optimiser moves them as one integer of 40 bits.
// gabion: verdict=bug kind=panic message="left == right"
use std::cell::UnsafeCell;
use std::thread;

struct Shared(UnsafeCell<[u8; 5]>);
// SAFETY: none; the race is what this is about.
unsafe impl Sync for Shared {}
static SHARED: Shared = Shared(UnsafeCell::new([0; 5]));

#[inline(never)]
fn put(value: [u8; 5]) {
    // SAFETY: as above.
    unsafe { *SHARED.0.get() = value }
}

#[inline(never)]
fn get() -> [u8; 5] {
    // SAFETY: as above.
    unsafe { *SHARED.0.get() }
}

fn main() {
    let other = thread::spawn(|| put([1; 5]));
    let (first, second) = (get(), get());
    other.join().unwrap();
    assert_eq!(first, second);
}
