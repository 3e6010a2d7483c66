// The twin in which both are relaxed.
// gabion: verdict=bug kind=race location=HERE
// gabion: would-order="at @STORE (relaxed) would have to be release, and the load of orders_both::READY by T0 (main) at @LOAD (relaxed) acquire: then"
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
    if READY.load(Ordering::Relaxed) { // @LOAD
        std::hint::black_box(unsafe { DATA }); // HERE
    }
    writer.join().unwrap();
}
