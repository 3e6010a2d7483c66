// A join waits for a thread's thread-local destructors, even where its scope would not.
// gabion: verdict=verified
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Last(u32);

impl Drop for Last {
    fn drop(&mut self) {
        DROPPED.store(self.0, SeqCst);
    }
}

thread_local! {
    static LAST: Last = const { Last(1) };
}

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| LAST.with(|last| assert_eq!(last.0, 1))).join().unwrap();
    });
    assert_eq!(DROPPED.load(SeqCst), 1);
}
