// One that is unwrapped is, where the thread panicked.
// gabion: verdict=bug compilers=rustc,rebuilt kind=panic location=HERE message=boom
use std::thread;

fn main() {
    let thread = thread::spawn(|| panic!("boom")); // HERE
    thread.join().unwrap();
}
