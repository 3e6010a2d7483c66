// Whoever comes first runs it, the other waits until it is done.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static ONCE: Once = Once::new();
static COUNT: AtomicU32 = AtomicU32::new(0);

fn begin() {
    ONCE.call_once(|| {
        COUNT.fetch_add(1, SeqCst);
    });
    assert_eq!(COUNT.load(SeqCst), 1);
}

fn main() {
    let thread = thread::spawn(begin);
    begin();
    thread.join().unwrap();
    assert!(ONCE.is_completed());
}
