// With a timeout a lost token does no harm.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        thread::park_timeout(Duration::from_millis(1));
        READY.load(SeqCst)
    });
    thread.thread().unpark();
    READY.store(true, SeqCst);
    thread.join().unwrap();
}
