// The same text is given back by whoever is last.
// gabion: verdict=verified compilers=rustc,rebuilt
use std::sync::Arc;
use std::thread;

fn main() {
    let text: Arc<str> = Arc::from("Gabion");
    let copy = text.clone();
    let thread = thread::spawn(move || assert_eq!(copy.to_lowercase(), "gabion"));
    drop(text);
    thread.join().unwrap();
}
