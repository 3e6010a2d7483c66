// A counter is loaded and stored by assembly, which announces nothing: updates are lost, nobody sees it, and the verdict says so.
// gabion: verdict=partial caveat=inline-assembly compilers=rustc,rebuilt
use std::arch::asm;
use std::thread;

static mut COUNTER: u64 = 0;

fn add() {
    let place = &raw mut COUNTER;
    let value: u64;
    // SAFETY: a place of eight bytes; that threads meet there is what this is about.
    unsafe {
        asm!("mov {0}, [{1}]", out(reg) value, in(reg) place);
        asm!("mov [{1}], {0}", in(reg) value + 1, in(reg) place);
    }
}

fn main() {
    let other = thread::spawn(add);
    add();
    other.join().unwrap();
}
