// A text is read by code that was compiled with the standard library, when it may have been freed: only a rebuilt one shows the read.
// gabion: verdict=bug kind=use-after-free compilers=rebuilt freed=FREED
// gabion: args=--races report
use std::sync::atomic::{AtomicPtr, Ordering};
use std::{ptr, slice, str, thread};

const LENGTH: usize = 6;
static TEXT: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());

fn main() {
    let text: Box<[u8]> = Box::from(*b"Gabion");
    assert_eq!(text.len(), LENGTH);
    TEXT.store(Box::into_raw(text).cast(), Ordering::SeqCst);
    let thread = thread::spawn(|| {
        let text = TEXT.load(Ordering::SeqCst);
        if !text.is_null() {
            let text = unsafe { str::from_utf8_unchecked(slice::from_raw_parts(text, LENGTH)) };
            assert_eq!(text.to_lowercase(), "gabion");
        }
    });
    let text = TEXT.swap(ptr::null_mut(), Ordering::SeqCst);
    drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(text, LENGTH)) }); // FREED
    thread.join().unwrap();
}
