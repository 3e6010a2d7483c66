// Nobody passes before all are there; one of them leads.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

fn main() {
    let (barrier, arrived, leaders) = (Barrier::new(2), AtomicU32::new(0), AtomicU32::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                arrived.fetch_add(1, SeqCst);
                if barrier.wait().is_leader() {
                    leaders.fetch_add(1, SeqCst);
                }
                assert_eq!(arrived.load(SeqCst), 2);
            });
        }
    });
    assert_eq!(leaders.load(SeqCst), 1);
}
