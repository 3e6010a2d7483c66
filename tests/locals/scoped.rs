// Threads of a scope that borrow a local: main is found behind what the standard library is at.
// options: --cflags -Copt-level=0
// options: --cflags -Copt-level=2
// object: counter in count
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

fn count(deep: u32) -> u32 {
    if deep > 0 {
        return std::hint::black_box(count(deep - 1)) + 1;
    }
    let counter = AtomicU32::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| counter.store(counter.load(SeqCst) + 1, SeqCst));
        }
    });
    counter.load(SeqCst)
}

fn main() {
    assert_eq!(count(20), 22);
}
