// Two tokens at once are one.
// says: unparked T1
// says: when there was a token already, and two are no more than one. Its earlier park at
// says: used up that token, and nobody unparks it again

use std::thread;
fn main() {
    let waiter = thread::spawn(|| {
        thread::park();
        thread::park();
    });
    waiter.thread().unpark();
    waiter.thread().unpark();
    waiter.join().unwrap();
}
