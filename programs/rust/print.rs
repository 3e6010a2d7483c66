// Printing from several threads.
// gabion: verdict=verified|complete compilers=rustc,rebuilt
use std::thread;

fn main() {
    thread::scope(|scope| {
        scope.spawn(|| println!("one"));
        scope.spawn(|| println!("two"));
    });
}
