// Guards that nobody looks at: a compiler makes one drop of two. The last has the lock to itself, and whoever comes second sees the poison.
// gabion: verdict=verified
use std::sync::{Arc, Mutex, RwLock};
use std::{panic, thread};

fn main() {
    let shared = Arc::new((Mutex::new(0), RwLock::new(0)));
    let other = shared.clone();
    let thread = thread::spawn(move || {
        let _guard = other.0.lock();
        let _second = other.1.write();
        panic::resume_unwind(Box::new(()));
    });
    let _ = shared.0.lock().is_ok();
    let _ = shared.1.read().is_ok();
    let _ = shared.1.write().is_ok();
    assert!(thread.join().is_err());
    assert!(shared.0.lock().is_err() && shared.1.read().is_err());
}
