//! Which code is the unwinder's, in the library that it shares with others.
//!
//! It asks `pthread_once` for a table of its own whenever an exception or a panic begins, and again at every frame with something to
//! destroy. Nothing of the program's happens there, and the program's threads are not ordered by it.

use crate::interpose::find as find_symbol;
use crate::objects;

/// Empty: the program is not linked with it, or holds it itself (`-static-libgcc`).
static mut CODE: (u64, u64) = (0, 0);

/// Thread-local storage without the loader's help (`-femulated-tls`): what it does once makes a key, which is a point. Where its only function
/// that asks begins, and what surely holds it; what else lies there is treated like any other code.
static mut EMULATION: u64 = 0;
const NEAR: u64 = 0x1000;

/// Before anything of the program runs.
pub fn find() {
    let home = objects::home();
    let mut code = 0..0;
    objects::each(|object| {
        if object.name() == b"libgcc_s.so.1" && object.directory() == home {
            code = object.code();
        }
    });
    if !code.is_empty() {
        // SAFETY: one kernel thread.
        unsafe { (CODE, EMULATION) = ((code.start, code.end), find_symbol("__emutls_get_address\0") as u64) };
    }
}

/// Is the instruction in it?
pub fn holds(pc: u64) -> bool {
    // SAFETY: one kernel thread; written before the program begins.
    let ((from, to), emulation) = unsafe { (CODE, EMULATION) };
    (from..to).contains(&pc) && !(emulation..emulation + NEAR).contains(&pc)
}
