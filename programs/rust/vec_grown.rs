// One thread makes room in a vector, another asks how much there is, without a lock. What makes room is generic code of the standard
// library: it is compiled with the program, so that what it does is seen, prebuilt library or not.
// gabion: verdict=bug kind=race compilers=rustc,rebuilt
// gabion: args=--races deny
use std::cell::UnsafeCell;
use std::thread;

struct Shared(UnsafeCell<Vec<u64>>);

unsafe impl Sync for Shared {}

static LIST: Shared = Shared(UnsafeCell::new(Vec::new()));

fn main() {
    let thread = thread::spawn(|| unsafe { (*LIST.0.get()).reserve(16) });
    let seen = unsafe { (*LIST.0.get()).capacity() };
    thread.join().unwrap();
    assert!(seen == 0 || seen >= 16);
}
