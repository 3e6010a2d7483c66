// Nothing fails, but the race is one.
// gabion: verdict=bug compilers=rustc,rebuilt kind=race
// gabion: args=--races deny
use std::thread;

static mut VALUE: u32 = 0;

fn main() {
    let thread = thread::spawn(|| unsafe { VALUE = 1 });
    std::hint::black_box(unsafe { VALUE });
    thread.join().unwrap();
}
