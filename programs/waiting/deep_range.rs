// As deep_for.c: a range, with a hint to the processor.
// gabion: verdict=bug kind=panic
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static FLAG: AtomicUsize = AtomicUsize::new(0);

fn main() {
    let writer = std::thread::spawn(|| FLAG.store(1, SeqCst));
    let mut seen = 0;
    for _ in 0..60 {
        seen += FLAG.load(SeqCst);
        std::hint::spin_loop();
    }
    writer.join().unwrap();
    assert!(seen != 31);
}
