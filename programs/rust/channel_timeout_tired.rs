// The twin of channel_timeout_loop: it gives up after two timeouts.
// gabion: verdict=bug kind=panic
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn main() {
    let (sender, receiver) = mpsc::channel();
    let thread = thread::spawn(move || sender.send(7));
    let first = receiver.recv_timeout(Duration::from_millis(10));
    let received = first.or_else(|_| receiver.recv_timeout(Duration::from_millis(10)));
    assert_eq!(received, Ok(7));
    thread.join().unwrap().unwrap();
}
