// A thread gives up another's handle. What the handle and the thread share is counted; in what order they give it up is the library's own
// business (2 runs: who ends first), unless its insides are under test.
// gabion: verdict=verified compilers=rustc,rebuilt runs=2
// gabion: args=--preempt everywhere
use std::thread;

fn main() {
    let handle = thread::spawn(|| ());
    let other = thread::spawn(move || drop(handle));
    other.join().unwrap();
}
