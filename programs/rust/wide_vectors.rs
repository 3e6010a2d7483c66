// Vectors that are wider than what the sanitizer's own hooks announce, asked for by name.
// gabion: verdict=bug kind=race compilers=rebuilt
// gabion: args=--cflags -Ctarget-feature=+avx
use std::arch::x86_64::{__m256i, _mm256_load_si256, _mm256_store_si256};
use std::thread;

#[derive(PartialEq)]
#[repr(align(32))]
struct Numbers([u64; 4]);

static mut NUMBERS: Numbers = Numbers([0; 4]);

fn copy(from: *const Numbers, to: *mut Numbers) {
    // SAFETY: four numbers each, aligned.
    unsafe { _mm256_store_si256(to.cast::<__m256i>(), _mm256_load_si256(from.cast::<__m256i>())) };
}

fn main() {
    let other = thread::spawn(|| copy(&Numbers([1; 4]), &raw mut NUMBERS));
    let mut seen = Numbers([0; 4]);
    copy(&raw const NUMBERS, &mut seen);
    other.join().unwrap();
    assert!(seen.0[0] == seen.0[3]);
}
