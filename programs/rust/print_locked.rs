// The lock of standard output is a lock like any other to who holds it: it orders more than what is printed.
// gabion: verdict=verified compilers=rebuilt races=none
use std::io::{self, Write};
use std::thread;

static mut LINES: u32 = 0;

fn print() {
    let mut out = io::stdout().lock();
    unsafe { LINES += 1 };
    writeln!(out, "{}", unsafe { LINES }).unwrap();
}

fn main() {
    let thread = thread::spawn(print);
    print();
    thread.join().unwrap();
    assert_eq!(unsafe { LINES }, 2);
}
