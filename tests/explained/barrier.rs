// The same of Rust, where two of three have come.
// says: (2 of 3 have arrived)

use std::sync::Barrier;
use std::thread;
static BARRIER: Barrier = Barrier::new(3);
fn main() {
    let all = [thread::spawn(|| _ = BARRIER.wait()), thread::spawn(|| _ = BARRIER.wait())];
    all.into_iter().for_each(|one| one.join().unwrap());
}
