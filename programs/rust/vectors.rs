// Four numbers at once, without a lock: an optimiser would make a vector of them that is wider than what is announced.
// gabion: verdict=bug kind=race compilers=rebuilt
// gabion: args=--cflags "-Copt-level=3 -Ctarget-cpu=x86-64-v3"
use std::thread;

static mut NUMBERS: [u64; 4] = [0; 4];

fn main() {
    // SAFETY: none; the race is what this is about.
    let other = thread::spawn(|| unsafe { NUMBERS = std::hint::black_box([1; 4]) });
    // SAFETY: as above.
    let seen = unsafe { NUMBERS };
    other.join().unwrap();
    assert!(seen == [0; 4] || seen == [1; 4]);
}
