// The panic hook prints nothing.
// gabion: verdict=bug kind=panic location=HERE message="panicked; with what words is not known"
// gabion: compilers=rustc,rebuilt
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static N: AtomicU32 = AtomicU32::new(0);

fn add() {
    N.store(N.load(SeqCst) + 1, SeqCst);
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    assert_eq!(N.load(SeqCst), 2); // HERE
}
