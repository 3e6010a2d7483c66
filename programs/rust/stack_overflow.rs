// A lost update leads to a recursion without end.
// gabion: verdict=bug kind=segfault message="the stack of T0 overflowed"
// gabion: compilers=rustc,rebuilt
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static N: AtomicU32 = AtomicU32::new(0);

fn add() {
    N.store(N.load(SeqCst) + 1, SeqCst);
}

fn deep(n: u32) -> u32 {
    let here = std::hint::black_box([n; 64]);
    if n == u32::MAX { 0 } else { deep(n + 1) + here[3] }
}

fn main() {
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    if N.load(SeqCst) != 2 {
        std::hint::black_box(deep(0));
    }
}
