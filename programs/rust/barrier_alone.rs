// Three are needed, two come.
// gabion: verdict=bug kind=deadlock location=HERE
use std::sync::Barrier;
use std::thread;

fn main() {
    let barrier = Barrier::new(3);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                barrier.wait(); // HERE
            });
        }
    });
}
