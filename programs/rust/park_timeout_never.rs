// The twin of park_timeout_loop: the flag that is set is another.
// gabion: verdict=bug kind=livelock
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

static READY: AtomicBool = AtomicBool::new(false);
static DONE: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        while !READY.load(SeqCst) {
            thread::park_timeout(Duration::from_millis(1));
        }
    });
    DONE.store(true, SeqCst);
    thread.thread().unpark();
    thread.join().unwrap();
}
