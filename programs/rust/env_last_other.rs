// As env_last.rs, the other way round.
// gabion: verdict=bug kind=panic compilers=rebuilt
use std::thread;

fn main() {
    // SAFETY: all access is by the standard library, under its lock.
    let other = thread::spawn(|| unsafe { std::env::set_var("LAST", "other") });
    // SAFETY: as above.
    unsafe { std::env::set_var("LAST", "main") };
    other.join().unwrap();
    assert_eq!(std::env::var("LAST").unwrap(), "other");
}
