// Without a panic that status is one like others.
// gabion: verdict=verified
// gabion: args=--exit-status "0, 101"
// gabion: native=no
fn main() {
    let worker = std::thread::spawn(|| 101);
    std::process::exit(worker.join().unwrap());
}
