// Two threads change the working directory, which is the process's: the last one holds.
// gabion: verdict=bug kind=panic compilers=rustc,rebuilt
use std::env::{current_dir, set_current_dir};
use std::path::Path;
use std::thread;

fn main() {
    let other = thread::spawn(|| set_current_dir("/").unwrap());
    set_current_dir("/proc").unwrap();
    other.join().unwrap();
    assert_eq!(current_dir().unwrap(), Path::new("/proc"));
}
