// There may be nothing yet.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::mpsc;
use std::thread;

fn main() {
    let (sender, receiver) = mpsc::sync_channel(1);
    let thread = thread::spawn(move || sender.send(1).unwrap());
    assert_eq!(receiver.try_recv(), Ok(1)); // HERE
    thread.join().unwrap();
}
