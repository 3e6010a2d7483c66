// A wait for a once that was poisoned panics where it was called; one that does not mind goes on when it was done after all.
// gabion: verdict=verified|complete
// gabion: compilers=rustc,rebuilt
use std::sync::Once;
use std::{panic, thread};

static ONCE: Once = Once::new();

fn main() {
    let first = thread::spawn(|| {
        let _ = panic::catch_unwind(|| ONCE.call_once(|| panic!("expected")));
        ONCE.call_once_force(|_| ());
    });
    let waits = thread::spawn(|| panic::catch_unwind(|| ONCE.wait()).is_ok());
    ONCE.wait_force();
    assert!(ONCE.is_completed());
    first.join().unwrap();
    let _ = waits.join().unwrap();
}
