// A thread that nobody unparks.
// says: waits to be unparked at never_unparked.rs:8.
// says: Nobody unparks T1
// never: token

use std::thread;
fn main() {
    let waiter = thread::spawn(|| thread::park());
    let other = thread::spawn(|| {});
    other.thread().unpark();
    other.join().unwrap();
    waiter.join().unwrap();
}
