// A panic in a thread whose join is looked at is no bug.
// gabion: verdict=verified runs=1
// gabion: args=--preempt everywhere
use std::thread;

fn main() {
    let thread = thread::spawn(|| panic!("expected"));
    assert!(thread.join().is_err());
}
