// A box of six bytes is read after the other thread has freed it.
// gabion: verdict=bug kind=use-after-free location=HERE
use std::thread;

#[derive(Clone, Copy)]
struct Colour([u16; 3]);

#[inline(never)]
fn look(colour: *const Colour) -> Colour {
    // SAFETY: none; it may be gone.
    unsafe { *colour } // HERE
}

fn main() {
    let colour = Box::new(Colour([1, 2, 3]));
    let place = &raw const *colour as usize;
    let other = thread::spawn(move || drop(colour));
    std::hint::black_box(look(place as *const Colour).0);
    other.join().unwrap();
}
