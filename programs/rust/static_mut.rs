// A data race in unsafe code, with both of its places, and what it leads to.
// gabion: verdict=bug kind=panic location=HERE
use std::thread;

static mut COUNT: u32 = 0;

fn main() {
    let thread = thread::spawn(|| unsafe { COUNT += 1 });
    unsafe { COUNT += 1 };
    thread.join().unwrap();
    assert_eq!(unsafe { COUNT }, 2); // HERE
}
