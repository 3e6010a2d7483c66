//! The benchmark's test on the types of std, as a person writes it: three threads, each a locked and an atomic addition,
//! so many times.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

fn work(shared: &(Mutex<i32>, AtomicUsize), rounds: usize) {
    for _ in 0..rounds {
        *shared.0.lock().unwrap() += 1;
        shared.1.fetch_add(1, Ordering::SeqCst);
    }
}

fn main() {
    let mut words = std::env::args().skip(1).map(|word| word.parse::<usize>().unwrap());
    let (threads, rounds) = (words.next().unwrap(), words.next().unwrap());
    let shared = Arc::new((Mutex::new(0), AtomicUsize::new(0)));
    let others: Vec<_> = (1..threads)
        .map(|_| {
            let other = shared.clone();
            std::thread::spawn(move || work(&other, rounds))
        })
        .collect();
    work(&shared, rounds);
    for other in others {
        other.join().unwrap();
    }
    assert_eq!(*shared.0.lock().unwrap(), (threads * rounds) as i32);
}
