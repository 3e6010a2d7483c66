// Two threads panic, and their joins are looked at. Nothing but the standard library and the unwinder is shared: one run.
// gabion: verdict=verified runs=1
// gabion: args=--preempt everywhere
// gabion: compilers=rustc,rebuilt
use std::thread;

fn main() {
    let first = thread::spawn(|| panic!("expected"));
    let second = thread::spawn(|| panic!("expected too"));
    assert!(first.join().is_err());
    assert!(second.join().is_err());
}
