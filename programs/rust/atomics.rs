// Atomics of all widths, and a compare-exchange loop: no update is lost.
// gabion: verdict=verified
use std::sync::atomic::{AtomicBool, AtomicI16, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, Ordering::*, fence};
use std::thread;

static BYTE: AtomicU8 = AtomicU8::new(0);
static SHORT: AtomicI16 = AtomicI16::new(0);
static WORD: AtomicU32 = AtomicU32::new(0);
static LONG: AtomicU64 = AtomicU64::new(0);

fn add(word: &AtomicU32) {
    let mut seen = word.load(Relaxed);
    while let Err(now) = word.compare_exchange_weak(seen, seen + 1, AcqRel, Relaxed) {
        seen = now;
    }
}

fn main() {
    let thread = thread::spawn(|| {
        add(&WORD);
        BYTE.fetch_or(1, SeqCst);
        SHORT.fetch_max(-1, Relaxed);
    });
    add(&WORD);
    LONG.fetch_update(SeqCst, SeqCst, |value| Some(value + 1)).unwrap();
    fence(SeqCst);
    thread.join().unwrap();
    assert_eq!((WORD.load(SeqCst), BYTE.load(SeqCst), SHORT.load(SeqCst), LONG.load(SeqCst)), (2, 1, 0, 1));
    let flag = AtomicBool::new(false);
    assert!(!flag.swap(true, Release) && !AtomicPtr::new(&mut 0).load(Acquire).is_null());
}
