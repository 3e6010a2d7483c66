// Each thread has its own, and drops it at its end.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static DROPPED: AtomicU32 = AtomicU32::new(0);

struct Count(u32);

impl Drop for Count {
    fn drop(&mut self) {
        DROPPED.fetch_add(self.0, SeqCst);
    }
}

thread_local! {
    static COUNT: RefCell<Count> = const { RefCell::new(Count(0)) };
}

fn main() {
    let threads: Vec<_> = (1..3).map(|n| thread::spawn(move || COUNT.with(|count| count.borrow_mut().0 += n))).collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(DROPPED.load(SeqCst), 3);
}
