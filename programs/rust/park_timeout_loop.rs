// Parks with a timeout, until the flag is set.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        while !READY.load(SeqCst) {
            thread::park_timeout(Duration::from_millis(1));
        }
    });
    READY.store(true, SeqCst);
    thread.thread().unpark();
    thread.join().unwrap();
}
