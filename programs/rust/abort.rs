// The process is aborted.
// gabion: verdict=bug kind=abort
use std::thread;

fn main() {
    let thread = thread::spawn(|| std::process::abort());
    let _ = thread.join();
}
