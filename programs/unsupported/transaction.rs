// A hardware transaction in Rust.
// gabion: verdict=error message="hardware transactions (xtest at"
// gabion: native=no
use std::arch::asm;
use std::thread;

fn main() {
    let inside = thread::spawn(|| {
        let inside: u8;
        // SAFETY: asks the processor whether it is in a transaction.
        unsafe { asm!("xtest", "setnz {}", out(reg_byte) inside) };
        inside
    });
    assert_eq!(inside.join().unwrap(), 0);
}
