// main returns an error, where an update was lost: told at main, not where the standard library ends the process.
// gabion: verdict=bug kind=exit location=HERE compilers=rustc,rebuilt
// gabion: message="which main_returns::main returned: Error: "
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

static COUNT: AtomicU32 = AtomicU32::new(0);

fn add() {
    COUNT.store(COUNT.load(SeqCst) + 1, SeqCst);
}

fn main() -> Result<(), &'static str> {
    let thread = thread::spawn(add);
    add();
    thread.join().unwrap();
    if COUNT.load(SeqCst) == 2 { Ok(()) } else { Err("lost") } // HERE
}
