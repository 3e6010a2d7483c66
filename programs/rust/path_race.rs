// Two threads add to one path without a lock. All of the code that touches it is the standard library's own, and was compiled
// with it: only a rebuilt library shows what it does.
// gabion: verdict=bug kind=race compilers=rebuilt
use std::cell::UnsafeCell;
use std::path::PathBuf;
use std::thread;

struct Shared(UnsafeCell<PathBuf>);

unsafe impl Sync for Shared {}

static PATH: Shared = Shared(UnsafeCell::new(PathBuf::new()));

fn add(name: &str) {
    unsafe { (*PATH.0.get()).push(name) };
}

fn main() {
    let thread = thread::spawn(|| add("a"));
    add("b");
    thread.join().unwrap();
}
