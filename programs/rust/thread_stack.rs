// The library gives its threads two megabytes of stack, main has eight.
// gabion: verdict=bug kind=segfault message="the stack of T1 overflowed"
// gabion: compilers=rustc,rebuilt
use std::hint::black_box;

fn deep(n: u64) -> u64 {
    let here = black_box([n; 128]);
    if n == 4000 { 0 } else { deep(n + 1) + here[3] }
}

fn main() {
    black_box(deep(0));
    std::thread::spawn(|| black_box(deep(0))).join().unwrap();
}
