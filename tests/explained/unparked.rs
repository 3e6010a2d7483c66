// A token that an earlier park has used up, before what was waited for had happened.
// says: T0 (main) unparked T1
// says: last at unparked.rs:13 (step 3). Its earlier park at unparked.rs:11 (step 5) used up that token
// says: nobody unparks it again

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;
static A: AtomicBool = AtomicBool::new(false);
fn main() {
    let t = thread::spawn(|| {
        while !A.load(SeqCst) { thread::park(); }
    });
    t.thread().unpark();
    A.store(true, SeqCst);
    t.join().unwrap();
}
