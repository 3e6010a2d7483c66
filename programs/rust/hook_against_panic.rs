// A thread panics while another says who is to be told of panics: it may be told, or not yet.
// gabion: verdict=bug kind=panic compilers=rebuilt
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::{panic, thread};

static TOLD: AtomicBool = AtomicBool::new(false);

fn main() {
    let other = thread::spawn(|| panic!("told or not"));
    panic::set_hook(Box::new(|_| TOLD.store(true, SeqCst)));
    assert!(other.join().is_err());
    assert!(!TOLD.load(SeqCst));
}
