//! Whether the process was started with its standard output closed.
//!
//! Rust's runtime opens `/dev/null` in the place of a closed descriptor before `main`: a report written there would be lost without a
//! word. So the descriptor is asked before that runtime begins, by a constructor of the executable.

use std::sync::atomic::{AtomicBool, Ordering};

static CLOSED: AtomicBool = AtomicBool::new(false);

extern "C" fn ask() {
    // SAFETY: asks for flags of a descriptor, open or not; nothing of Rust's runtime is needed for that.
    let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
    CLOSED.store(flags == -1, Ordering::Relaxed);
}

// ABI: the dynamic loader calls what `.init_array` points to before it enters the program; arguments are of no interest here.
#[used]
// SAFETY: the section is an array of such pointers, and the function needs nothing that is not there yet.
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = ask;

/// Was standard output closed when the process began?
pub fn was_closed() -> bool {
    std::hint::black_box(&CONSTRUCTOR); // whoever asks has the constructor linked
    CLOSED.load(Ordering::Relaxed)
}
