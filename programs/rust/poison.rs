// A panic with the lock held poisons it, in every order in which the panic comes first; the program copes.
// gabion: verdict=verified
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let value = Arc::new(Mutex::new(0));
    let other = value.clone();
    let thread = thread::spawn(move || {
        let _guard = other.lock().unwrap();
        panic!("with the lock held");
    });
    let early = value.lock().is_ok();
    assert!(thread.join().is_err());
    assert!(value.is_poisoned());
    assert!(value.lock().is_err() || early);
}
