// As env_last.rs, with the library as it came: in which order threads come to its lock is not seen, and the verdict says so.
// gabion: verdict=any caveat=uninstrumented-function
use std::thread;

fn main() {
    // SAFETY: all access is by the standard library, under its lock.
    let other = thread::spawn(|| unsafe { std::env::set_var("LAST", "other") });
    // SAFETY: as above.
    unsafe { std::env::set_var("LAST", "main") };
    other.join().unwrap();
    assert_eq!(std::env::var("LAST").unwrap(), "main");
}
