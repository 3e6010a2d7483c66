// A vector of which a mask chooses the elements that are stored: the verdict says that it is not seen.
// gabion: verdict=partial caveat=uninstrumented-function compilers=rustc,rebuilt
// gabion: args=--cflags -Ctarget-feature=+avx2
use std::arch::x86_64::{_mm256_maskstore_epi64, _mm256_set1_epi64x};
use std::thread;

static mut NUMBERS: [i64; 4] = [0; 4];

fn store(value: i64, mask: i64) {
    // SAFETY: four numbers.
    unsafe { _mm256_maskstore_epi64((&raw mut NUMBERS).cast(), _mm256_set1_epi64x(mask), _mm256_set1_epi64x(value)) };
}

fn main() {
    let mask = std::hint::black_box(-1);
    let other = thread::spawn(move || store(1, mask));
    store(2, mask);
    other.join().unwrap();
}
