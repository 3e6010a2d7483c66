// The statement that gives a variable its first value comes before its scope; the variable is another thread's than main. What the
// library has on the stack is nobody's business.
// options: --cflags -Copt-level=1
// options: --cflags -Copt-level=2
// object: x in body of T1
// does: write x in body of T1
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn body() {
    let x = AtomicU32::new(0);
    thread::scope(|scope| {
        scope.spawn(|| x.store(1, SeqCst));
        assert!(x.load(SeqCst) == 0, "early");
    });
}

fn main() {
    thread::spawn(body).join().unwrap();
}
