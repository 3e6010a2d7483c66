// The process ends with a status, whatever the other thread is doing.
// gabion: verdict=bug compilers=rustc,rebuilt kind=exit message=3
use std::thread;

fn main() {
    let _thread = thread::spawn(|| ());
    std::process::exit(3);
}
