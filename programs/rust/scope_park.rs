// The end of a scope leaves no token behind: the next wait is one.
// gabion: verdict=bug kind=deadlock location=HERE
use std::thread;

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| ());
    });
    thread::park(); // HERE
}
