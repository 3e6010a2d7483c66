// Seven bytes that are compared with others become one comparison of 56 bits, at full optimisation.
// gabion: verdict=bug kind=race compilers=rebuilt
// gabion: args=--cflags -Copt-level=3
use std::thread;

static mut NAME: [u8; 7] = *b"nothing";

#[inline(never)]
fn is_known(name: &[u8; 7]) -> bool {
    // SAFETY: none; the race is what this is about.
    unsafe { *(&raw const NAME) == *name }
}

fn main() {
    // SAFETY: as above.
    let other = thread::spawn(|| unsafe { NAME = std::hint::black_box(*b"another") });
    std::hint::black_box(is_known(b"another"));
    other.join().unwrap();
}
