//! What takes longest, told at the end of tests that check many programs: these decide how long all tests take.

use std::sync::Mutex;
use std::time::{Duration, Instant};

/// So many are told.
const TOLD: usize = 8;

static TOOK: Mutex<Vec<(Duration, String)>> = Mutex::new(Vec::new());

/// Runs a test and keeps its time.
pub fn timed<T>(name: &str, test: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = test();
    TOOK.lock().expect("nobody panics with it").push((begin.elapsed(), name.to_string()));
    result
}

/// Prints the longest, and how long all took together.
pub fn tell() {
    let mut all = std::mem::take(&mut *TOOK.lock().expect("nobody panics with it"));
    all.sort_by(|a, b| b.cmp(a));
    let total: Duration = all.iter().map(|(time, _)| *time).sum();
    let told: Vec<_> = all.iter().take(TOLD).map(|(time, name)| format!("{name} {:.1}", time.as_secs_f64())).collect();
    println!("seconds: {:.0} together; longest: {}", total.as_secs_f64(), told.join(", "));
}
