// The status of a panic is not accepted where somebody has panicked.
// gabion: verdict=bug kind=panic
// gabion: args=--exit-status 0,101
// gabion: native=no
fn main() {
    let worker = std::thread::spawn(|| panic!("no"));
    worker.join().unwrap();
}
