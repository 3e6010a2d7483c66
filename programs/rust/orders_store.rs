// The twin whose store is relaxed.
// gabion: verdict=bug kind=race location=HERE
// gabion: would-order="the store to orders_store::READY by T1 at @STORE (relaxed) would have to be release: then the write by T1 comes before the read by T0"
// gabion: compilers=rustc,rebuilt
// gabion: args=--races deny
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static mut DATA: u32 = 0;
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = thread::spawn(|| {
        unsafe { DATA = 1 };
        READY.store(true, Ordering::Relaxed); // @STORE
    });
    if READY.load(Ordering::Acquire) { // @LOAD
        std::hint::black_box(unsafe { DATA }); // HERE
    }
    writer.join().unwrap();
}
