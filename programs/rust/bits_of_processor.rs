// A function of the processor's that is made of assembly; the source has no word of that.
// gabion: verdict=partial caveat=inline-assembly compilers=rustc,rebuilt
use std::arch::x86_64::_bittestandset;
use std::thread;

static mut FLAGS: i32 = 0;

fn set(bit: i32) {
    // SAFETY: none; updates can be lost.
    unsafe { _bittestandset(&raw mut FLAGS, bit) };
}

fn main() {
    let other = thread::spawn(|| set(1));
    set(2);
    other.join().unwrap();
    // SAFETY: the other thread has ended.
    assert!(unsafe { FLAGS } == 6);
}
