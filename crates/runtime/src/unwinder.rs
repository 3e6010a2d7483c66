//! Which code is the unwinder's.
//!
//! It asks `pthread_once` for a table of its own whenever an exception or a panic begins, and again at every frame with something to
//! destroy. Nothing of the program's happens there, and the program's threads are not ordered by it.

use crate::objects;

/// Empty: the program is not linked with it, or holds it itself (`-static-libgcc`).
static mut CODE: (u64, u64) = (0, 0);

/// Before anything of the program runs.
pub fn find() {
    let home = objects::home();
    objects::each(|object| {
        if object.name() == b"libgcc_s.so.1" && object.directory() == home {
            // SAFETY: one kernel thread.
            unsafe { CODE = (object.code().start, object.code().end) };
        }
    });
}

/// Is the instruction in it?
pub fn holds(pc: u64) -> bool {
    // SAFETY: one kernel thread; written before the program begins.
    let (from, to) = unsafe { CODE };
    (from..to).contains(&pc)
}
