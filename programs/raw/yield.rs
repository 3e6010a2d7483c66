// System calls that Rust code makes for itself: a thread gives way until the other has come, and both have the same process.
// gabion: verdict=partial caveat=inline-assembly
use std::arch::asm;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

fn call(number: isize) -> isize {
    let result;
    // SAFETY: calls without arguments that change nothing.
    unsafe { asm!("syscall", inlateout("rax") number => result, lateout("rcx") _, lateout("r11") _) };
    result
}

static HERE: AtomicBool = AtomicBool::new(false);

fn main() {
    let other = thread::spawn(|| {
        HERE.store(true, Ordering::SeqCst);
        (call(39), call(186))
    });
    while !HERE.load(Ordering::SeqCst) {
        assert_eq!(call(24), 0);
    }
    let (process, thread) = other.join().unwrap();
    assert_eq!(process, std::process::id() as isize);
    assert_ne!(thread, call(186));
}
