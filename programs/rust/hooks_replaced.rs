// Two threads say who is to be told of panics: the last one holds, and either may be the last.
// gabion: verdict=bug kind=panic compilers=rebuilt
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::{panic, thread};

static TOLD: AtomicU32 = AtomicU32::new(0);

fn main() {
    let other = thread::spawn(|| panic::set_hook(Box::new(|_| TOLD.store(1, SeqCst))));
    panic::set_hook(Box::new(|_| TOLD.store(2, SeqCst)));
    other.join().unwrap();
    let _ = thread::spawn(|| panic!("who is told?")).join();
    assert_eq!(TOLD.load(SeqCst), 2);
}
