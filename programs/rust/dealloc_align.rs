// A block is given back with the layout of another alignment.
// gabion: verdict=bug kind=bad-free location=HERE allocated=THERE compilers=rustc,rebuilt
// gabion: message="a block of 64 bytes with alignment 16 is given back with a layout of alignment 8"
use std::alloc::{Layout, alloc, dealloc};
use std::thread;

fn main() {
    let block = unsafe { alloc(Layout::from_size_align(64, 16).unwrap()) } as usize; // THERE
    let thread = thread::spawn(move || unsafe {
        dealloc(block as *mut u8, Layout::from_size_align(64, 8).unwrap()); // HERE
    });
    thread.join().unwrap();
}
