// A destructor panics while a panic unwinds: the process aborts, and the library prints the stack without being asked.
// gabion: verdict=bug kind=abort location=HERE compilers=rustc,rebuilt
use std::thread;

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        panic!("in a destructor"); // HERE
    }
}

fn main() {
    let thread = thread::spawn(|| {
        let _guard = Guard;
        panic!("at first");
    });
    let _ = thread.join();
}
