// A data race is no bug as long as the standard library comes prebuilt, and the verdict says why.
// gabion: verdict=verified caveat=told-races
use std::thread;

static mut VALUE: u32 = 0;

fn main() {
    let thread = thread::spawn(|| unsafe { VALUE = 1 });
    std::hint::black_box(unsafe { VALUE });
    thread.join().unwrap();
}
