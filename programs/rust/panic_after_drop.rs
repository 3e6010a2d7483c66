// The twin of panic_in_drop: the destructor sees that a panic unwinds.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::thread;

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        assert!(thread::panicking());
    }
}

fn main() {
    let thread = thread::spawn(|| {
        let _guard = Guard;
        panic!("at first");
    });
    assert!(thread.join().is_err());
}
