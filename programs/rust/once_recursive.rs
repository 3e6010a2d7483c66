// The closure asks for what it is to make.
// gabion: verdict=bug kind=deadlock
use std::sync::OnceLock;
use std::thread;

static VALUE: OnceLock<u32> = OnceLock::new();

fn main() {
    let thread = thread::spawn(|| *VALUE.get_or_init(|| *VALUE.get_or_init(|| 1) + 1));
    thread.join().unwrap();
}
