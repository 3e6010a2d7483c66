// A scope ends when its threads' functions have returned. What their thread-local destructors do may come later, also where
// nothing else of the thread can be seen.
// gabion: verdict=bug kind=panic location=scope_destructor.rs:25
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
        scope.spawn(|| LAST.with(|last| assert_eq!(last.0, 1)));
    });
    assert_eq!(DROPPED.load(SeqCst), 1, "too early");
}
