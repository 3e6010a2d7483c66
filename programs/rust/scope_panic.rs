// A scope passes panics of its threads on.
// gabion: verdict=bug compilers=rustc,rebuilt kind=panic location=HERE
use std::thread;

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| panic!("in a scope")); // HERE
    });
}
