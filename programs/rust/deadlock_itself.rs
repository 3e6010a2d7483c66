// A guard that lives on: the thread waits for itself.
// gabion: verdict=bug kind=deadlock location=HERE message=itself
use std::sync::Mutex;

fn main() {
    let value = Mutex::new(1);
    let guard = value.lock().unwrap();
    assert_eq!(*value.lock().unwrap(), *guard); // HERE
}
