// Two threads end the process, with another status each: the library lets only the first do so.
// gabion: verdict=bug kind=exit message="status 2"
// gabion: compilers=rebuilt,rustc
fn main() {
    std::thread::spawn(|| std::process::exit(2));
}
