// A receive that waits for some time only may find nothing.
// gabion: verdict=bug compilers=rustc,rebuilt kind=panic location=HERE
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(1));
    assert_eq!(receiver.recv_timeout(Duration::from_secs(1)), Ok(1)); // HERE
    thread.join().unwrap().unwrap();
}
