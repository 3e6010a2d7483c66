// Between the end of the closure and that of the once, others see the one and not the other.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

static VALUE: OnceLock<u32> = OnceLock::new();
static MADE: AtomicBool = AtomicBool::new(false);

fn main() {
    let thread = thread::spawn(|| {
        VALUE.get_or_init(|| {
            MADE.store(true, SeqCst);
            7
        });
    });
    if MADE.load(SeqCst) {
        assert!(VALUE.get().is_some()); // HERE
    }
    thread.join().unwrap();
}
