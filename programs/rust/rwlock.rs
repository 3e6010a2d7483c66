// Readers see the value before or after, never in between.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::RwLock;
use std::thread;

fn main() {
    let pair = RwLock::new((0, 0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut pair = pair.write().unwrap();
            pair.0 += 1;
            pair.1 += 1;
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let pair = pair.read().unwrap();
                assert_eq!(pair.0, pair.1);
            });
        }
    });
}
