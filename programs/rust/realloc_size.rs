// A block is made larger with the layout of another size.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE compilers=rustc,rebuilt
// gabion: message="a block of 16 bytes is given back with a layout of 24 bytes"
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::hint::black_box;
use std::thread;

fn main() {
    let block = unsafe { alloc(Layout::new::<[u64; 2]>()) } as usize; // THERE
    let thread = thread::spawn(move || unsafe {
        let larger = realloc(block as *mut u8, Layout::new::<[u64; 3]>(), 48); // HERE
        dealloc(black_box(larger), Layout::new::<[u64; 6]>());
    });
    thread.join().unwrap();
}
