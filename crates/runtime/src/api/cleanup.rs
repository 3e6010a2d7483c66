//! `pthread_cleanup_push` and `pop` in C, and what `pthread_exit` does with them.
//!
//! The macros save a jump buffer and register it. A thread that exits jumps to the newest; the code there runs the
//! handler and asks for the next. Frames compiled with exceptions (C++) clean up by unwinding instead, which is not done
//! here: their handlers do not run on `pthread_exit`.

use super::thread;
use crate::state::me;

/// Where the link to the next older buffer is kept: the first of four words that are the library's.
const LINK: u64 = 72;

unsafe extern "C-unwind" {
    // ABI: setjmp.h; our own stub, which takes the shadow call stack along.
    fn _longjmp(buffer: u64, value: i32) -> !;
}

fn link(buffer: u64) -> *mut u64 {
    (buffer + LINK) as *mut u64
}

/// The running thread exits: handlers first, newest first.
pub fn exit(result: u64) -> ! {
    let f = me();
    f.result = result;
    let newest = f.cleanup;
    if newest == 0 {
        thread::end(result);
    }
    // SAFETY: a buffer that the program registered and has not taken back, so its frame still exists.
    unsafe {
        f.cleanup = *link(newest);
        _longjmp(newest, 1)
    }
}

// ABI: what the macros of pthread.h call.
interpose! {
    fn __pthread_register_cancel(buffer: u64) {
        let f = me();
        // SAFETY: the program's buffer.
        unsafe { *link(buffer) = f.cleanup };
        f.cleanup = buffer;
    }
    fn __pthread_unregister_cancel(buffer: u64) {
        // SAFETY: the program's buffer.
        me().cleanup = unsafe { *link(buffer) };
    }
    fn __pthread_unwind_next(_buffer: u64) {
        exit(me().result)
    }
}
