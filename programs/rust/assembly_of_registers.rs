// Assembly that touches no memory hides nothing.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::arch::asm;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::thread;

static SUM: AtomicU64 = AtomicU64::new(0);

fn add(value: u64) {
    let doubled: u64;
    // SAFETY: an addition in registers.
    unsafe { asm!("lea {0}, [{1} + {1}]", out(reg) doubled, in(reg) value) };
    SUM.fetch_add(doubled, SeqCst);
}

fn main() {
    let other = thread::spawn(|| add(1));
    add(2);
    other.join().unwrap();
    assert_eq!(SUM.load(SeqCst), 6);
}
