// Hash maps are the same in every run: their seed comes from a random generator that is.
// gabion: verdict=verified compilers=rustc,rebuilt runs=1
// gabion: args=--preempt everywhere
use std::collections::HashMap;
use std::thread;

fn main() {
    let thread = thread::spawn(|| {
        let map: HashMap<u32, u32> = (0..8).map(|n| (n, n)).collect();
        map.keys().copied().collect::<Vec<_>>()
    });
    assert_eq!(thread.join().unwrap().len(), 8);
}
