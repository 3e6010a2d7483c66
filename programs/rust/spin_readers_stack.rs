// A reader counts itself in, and out again if there is a writer: it waits without looking. The lock is on its own stack.
// gabion: verdict=verified
// gabion: args=--preempt everywhere
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

const WRITER: u32 = 1;
const READER: u32 = 2;

fn read(lock: &AtomicU32) {
    while lock.fetch_add(READER, SeqCst) & WRITER != 0 {
        lock.fetch_sub(READER, SeqCst);
    }
}

fn main() {
    let lock = AtomicU32::new(WRITER);
    thread::scope(|scope| {
        scope.spawn(|| lock.fetch_sub(WRITER, SeqCst));
        read(&lock);
    });
    assert_eq!(lock.load(SeqCst), READER);
}
