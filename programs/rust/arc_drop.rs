// Three owners of one value: who drops it last is a matter of order. Main gives the second thread its share after it has
// started the first, so the first may drop its own at any of four moments, and the other two in either order: 8.
// gabion: verdict=verified compilers=rustc,rebuilt runs=8
// gabion: args=--preempt everywhere
use std::sync::Arc;
use std::thread;

fn main() {
    let value = Arc::new(5);
    let threads: Vec<_> = (0..2)
        .map(|_| {
            let value = value.clone();
            thread::spawn(move || drop(value))
        })
        .collect();
    drop(value);
    for thread in threads {
        thread.join().unwrap();
    }
}
