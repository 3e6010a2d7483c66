// A reader counts itself in, and out again if there is a writer: it waits without looking.
// gabion: verdict=verified
// gabion: args=--preempt everywhere
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

const WRITER: u32 = 1;
const READER: u32 = 2;

static LOCK: AtomicU32 = AtomicU32::new(WRITER);

fn read(lock: &AtomicU32) {
    while lock.fetch_add(READER, SeqCst) & WRITER != 0 {
        lock.fetch_sub(READER, SeqCst);
    }
}

fn main() {
    let writer = thread::spawn(|| LOCK.fetch_sub(WRITER, SeqCst));
    read(&LOCK);
    writer.join().unwrap();
    assert_eq!(LOCK.load(SeqCst), READER);
}
