// A thread asks under the lock, lets go of it, takes it again and waits: the signal came in between. Whether the lock is poisoned,
// which every `lock()` looks at, is nothing that it waits for.
// says: The wake-up is lost
// never: asked for before it waited
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = pair.clone();
    let thread = thread::spawn(move || {
        let (ready, changed) = &*other;
        *ready.lock().unwrap() = true;
        changed.notify_one();
    });
    let (ready, changed) = &*pair;
    let is_ready = *ready.lock().unwrap();
    if !is_ready {
        drop(changed.wait(ready.lock().unwrap()).unwrap());
    }
    thread.join().unwrap();
}
