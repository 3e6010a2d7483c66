// The flag is set before the token is left.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        while !READY.load(SeqCst) {
            thread::park();
        }
    });
    READY.store(true, SeqCst);
    thread.thread().unpark();
    thread.join().unwrap();
}
