// Both end it alike. Which of them does is decided in the library.
// gabion: verdict=complete caveat=unmodelled-call
// gabion: compilers=rebuilt,rustc
fn main() {
    std::thread::spawn(|| std::process::exit(0));
}
