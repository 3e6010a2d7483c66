// Descriptors of events are part of the program, and this input makes none.
// gabion: verdict=verified
use std::sync::Mutex;

unsafe extern "C" {
    fn eventfd(initial: u32, flags: i32) -> i32;
}

static COUNT: Mutex<i32> = Mutex::new(0);

fn work(asks: bool) {
    if asks {
        assert!(unsafe { eventfd(0, 0) } >= 0);
    }
    *COUNT.lock().unwrap() += 1;
}

fn main() {
    let asks = std::env::args().count() > 1;
    let thread = std::thread::spawn(move || work(asks));
    work(asks);
    thread.join().unwrap();
    assert_eq!(*COUNT.lock().unwrap(), 2);
}
