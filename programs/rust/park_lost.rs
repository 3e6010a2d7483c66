// The token is left too early: it is used up before there is anything to see.
// gabion: verdict=bug kind=deadlock location=HERE
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        while !READY.load(SeqCst) {
            thread::park(); // HERE
        }
    });
    thread.thread().unpark();
    READY.store(true, SeqCst);
    thread.join().unwrap();
}
