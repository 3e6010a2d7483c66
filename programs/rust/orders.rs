// A message by a release store and an acquire load.
// gabion: verdict=verified races=none
// gabion: compilers=rustc,rebuilt
// gabion: args=--races deny
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static mut DATA: u32 = 0;
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = thread::spawn(|| {
        unsafe { DATA = 1 };
        READY.store(true, Ordering::Release);
    });
    if READY.load(Ordering::Acquire) {
        std::hint::black_box(unsafe { DATA });
    }
    writer.join().unwrap();
}
