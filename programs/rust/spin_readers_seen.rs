// Whoever looks meanwhile sees the reader that counts itself in and out again, in whatever round.
// gabion: verdict=bug kind=panic location=HERE
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

const WRITER: u32 = 1;
const READER: u32 = 2;

static LOCK: AtomicU32 = AtomicU32::new(WRITER);
static LATE: AtomicU32 = AtomicU32::new(0);

fn main() {
    let reader = thread::spawn(|| {
        let mut rounds = 0;
        while LOCK.fetch_add(READER, SeqCst) & WRITER != 0 {
            LOCK.fetch_sub(READER, SeqCst);
            if rounds < 2 {
                rounds += 1;
                LATE.store(rounds, SeqCst);
            }
        }
    });
    let late = LATE.load(SeqCst);
    let seen = LOCK.fetch_sub(WRITER, SeqCst);
    reader.join().unwrap();
    assert!(late < 2 || seen == WRITER); // HERE
}
