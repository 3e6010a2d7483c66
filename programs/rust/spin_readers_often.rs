// The reader's rounds can be seen again and again, each time with the reader gone in between.
// gabion: verdict=bug kind=panic location=HERE
// gabion: args=--preempt everywhere
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

const WRITER: u32 = 1;
const READER: u32 = 2;

static LOCK: AtomicU32 = AtomicU32::new(WRITER);

fn main() {
    let reader = thread::spawn(|| {
        while LOCK.fetch_add(READER, SeqCst) & WRITER != 0 {
            LOCK.fetch_sub(READER, SeqCst);
        }
    });
    let comes_and_goes = || LOCK.load(SeqCst) != WRITER && LOCK.load(SeqCst) == WRITER;
    let times = (0..5).filter(|_| comes_and_goes()).count();
    LOCK.fetch_sub(WRITER, SeqCst);
    reader.join().unwrap();
    assert!(times < 5); // HERE
}
