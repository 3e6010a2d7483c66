// A block is given back with the layout of another size.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE compilers=rustc,rebuilt
// gabion: message="a block of 16 bytes is given back with a layout of 24 bytes"
use std::alloc::{Layout, alloc, dealloc};
use std::thread;

fn main() {
    let block = unsafe { alloc(Layout::new::<[u64; 2]>()) } as usize; // THERE
    let thread = thread::spawn(move || unsafe {
        dealloc(block as *mut u8, Layout::new::<[u64; 3]>()); // HERE
    });
    thread.join().unwrap();
}
