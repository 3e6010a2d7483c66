// The twin whose load is relaxed.
// gabion: verdict=bug kind=race location=HERE
// gabion: would-order="the load of orders_load::READY by T0 (main) at @LOAD (relaxed) would have to be acquire: then the write by T1"
// gabion: compilers=rustc,rebuilt
// gabion: args=--races deny
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

static mut DATA: u32 = 0;
static READY: AtomicBool = AtomicBool::new(false);

fn main() {
    let writer = thread::spawn(|| {
        unsafe { DATA = 1 };
        READY.store(true, Ordering::Release); // @STORE
    });
    if READY.load(Ordering::Relaxed) { // @LOAD
        std::hint::black_box(unsafe { DATA }); // HERE
    }
    writer.join().unwrap();
}
