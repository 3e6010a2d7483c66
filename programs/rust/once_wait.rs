// Two threads wait for a value that is set once: whoever finds it there is ordered after who set it.
// gabion: verdict=verified races=none compilers=rebuilt
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static VALUE: OnceLock<u32> = OnceLock::new();
static SEEN: AtomicU32 = AtomicU32::new(0);

fn main() {
    let waits = || {
        assert_eq!(*VALUE.wait(), 5);
        SEEN.fetch_add(1, Ordering::SeqCst);
    };
    let threads = [thread::spawn(waits), thread::spawn(waits)];
    VALUE.set(5).unwrap();
    threads.map(|thread| thread.join().unwrap());
    assert_eq!(SEEN.load(Ordering::SeqCst), 2);
}
