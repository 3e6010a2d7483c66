// The panic hook panics itself, which aborts.
// gabion: verdict=bug kind=abort location=HERE message="panicked in the panic hook: and so does the hook"
// gabion: compilers=rustc,rebuilt
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static N: AtomicU32 = AtomicU32::new(0);

fn add() {
    N.store(N.load(SeqCst) + 1, SeqCst);
}

fn main() {
    std::panic::set_hook(Box::new(|_| panic!("and so does the hook"))); // HERE
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(N.load(SeqCst), 2);
}
