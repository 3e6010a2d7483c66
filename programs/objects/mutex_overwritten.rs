// A mutex is overwritten with a new one while another thread may hold it.
// gabion: verdict=bug
use std::cell::UnsafeCell;
use std::sync::Mutex;
use std::thread;

struct Shared(UnsafeCell<Mutex<u32>>, UnsafeCell<u32>);
unsafe impl Sync for Shared {}

static SHARED: Shared = Shared(UnsafeCell::new(Mutex::new(0)), UnsafeCell::new(0));

fn add() {
    let lock = unsafe { &*SHARED.0.get() };
    let held = lock.lock().unwrap();
    let at = SHARED.1.get();
    unsafe {
        let inside = at.read_volatile();
        assert_eq!(inside, 0);
        at.write_volatile(1);
        at.write_volatile(0);
    }
    drop(held);
}

fn main() {
    let t = thread::spawn(add);
    unsafe { SHARED.0.get().write(Mutex::new(0)) };
    add();
    t.join().unwrap();
}
