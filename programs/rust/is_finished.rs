// Whether a thread has finished can be seen.
// gabion: verdict=bug compilers=rustc,rebuilt kind=panic location=HERE
use std::thread;

fn main() {
    let thread = thread::spawn(|| ());
    assert!(!thread.is_finished()); // HERE
    thread.join().unwrap();
}
