// A thread gives up another's handle: with the library's insides under test, what they share is counted and freed by whoever is last, and
// ordered by the counts. (There are more orders then than those of `start_trusted.rs`: crates/cli/tests/inside.rs.)
// gabion: verdict=verified compilers=rustc,rebuilt
// gabion: args=--std
use std::thread;

fn main() {
    let handle = thread::spawn(|| ());
    let other = thread::spawn(move || drop(handle));
    other.join().unwrap();
}
