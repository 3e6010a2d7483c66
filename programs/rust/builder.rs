// Names and stack sizes.
// gabion: verdict=verified runs=1
// gabion: args=--preempt everywhere
use std::thread;

fn main() {
    let builder = thread::Builder::new().name("worker".to_string()).stack_size(256 << 10);
    let thread = builder.spawn(|| thread::current().name().map(str::to_string)).unwrap();
    assert_eq!(thread.join().unwrap().as_deref(), Some("worker"));
}
