// A lock for writing that has to wait, for which a second lock for reading waits.
// says: T0 (main) read-locked it at writer_waits.rs:11
// shows: write-lock writer_waits::ROWS (has to wait: T0 holds it)

use std::sync::RwLock;
use std::thread;
static ROWS: RwLock<Vec<i32>> = RwLock::new(Vec::new());
fn main() {
    let writer = thread::spawn(|| ROWS.write().unwrap().push(1));
    {
        let first = ROWS.read().unwrap();
        let second = ROWS.read().unwrap();
        drop((first, second));
    }
    writer.join().unwrap();
}
