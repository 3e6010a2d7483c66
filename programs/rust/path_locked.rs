// The same path under a lock: the critical sections come in either order, and nothing inside them is a point.
// gabion: verdict=verified compilers=rustc,rebuilt
// gabion: args=--preempt everywhere
// gabion: runs=2
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread;

static PATH: Mutex<PathBuf> = Mutex::new(PathBuf::new());

fn add(name: &str) {
    PATH.lock().unwrap().push(name);
}

fn main() {
    let thread = thread::spawn(|| add("a"));
    add("b");
    thread.join().unwrap();
    let path = PATH.lock().unwrap();
    assert!(*path == Path::new("a/b") || *path == Path::new("b/a"));
}
