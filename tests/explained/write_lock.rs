// A lock for writing that was had at once: nobody tries anything.
// says: write-locked it at write_lock.rs:
// shows: 5 write-lock heap(

use std::sync::{Arc, Mutex, RwLock};
use std::thread;
struct Db { rows: RwLock<Vec<i32>>, log: Mutex<Vec<String>> }
impl Db {
    fn insert(&self, v: i32) {
        let mut rows = self.rows.write().unwrap();
        rows.push(v);
        self.log.lock().unwrap().push(format!("insert {v}"));
    }
    fn dump(&self) -> usize {
        let log = self.log.lock().unwrap();
        log.len() + self.rows.read().unwrap().len()
    }
}
fn main() {
    let db = Arc::new(Db { rows: RwLock::new(vec![]), log: Mutex::new(vec![]) });
    let d = db.clone();
    let t = thread::Builder::new().name("writer".into()).spawn(move || d.insert(1)).unwrap();
    db.dump();
    t.join().unwrap();
}
