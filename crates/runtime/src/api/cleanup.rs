//! What `pthread_exit` leaves behind: destructors and cleanup handlers, innermost first.
//!
//! Where an unwinder is loaded (C++, and C with exceptions) the stack is unwound by force, as in the C library: every
//! frame's own cleanups run, and a frame of C that registered a buffer with `pthread_cleanup_push` is jumped to when it
//! is reached. The code there runs the handler and asks for the next. Without an unwinder there are only buffers.

use super::thread;
use crate::control::finish;
use crate::state::{g, me};
use core::arch::{asm, naked_asm};
use gabion_trace::Ending;
use gabion_trace::shared::MAX_THREADS;

/// Where the link to the next older buffer is kept: the first of four words that are the library's.
const LINK: u64 = 72;
/// Where a jump buffer keeps the stack pointer, scrambled.
const STACK_POINTER: u64 = 48;

unsafe extern "C-unwind" {
    // ABI: setjmp.h; our own stub, which takes the shadow call stack along.
    fn _longjmp(buffer: u64, value: i32) -> !;
}

/// ABI: `struct _Unwind_Exception`.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Exception {
    class: u64,
    cleanup: u64,
    private: [u64; 2],
}

/// One for each thread, because its stack goes away under it. Set anew before each use.
static mut EXCEPTIONS: [Exception; MAX_THREADS] = [Exception { class: 0, cleanup: 0, private: [0; 2] }; MAX_THREADS];

/// Defines functions that give the address of one of the unwinder's, 0 if it was not loaded with the program.
macro_rules! unwinder {
    ($($function:ident $name:literal;)*) => {$(
        #[unsafe(naked)]
        pub extern "C" fn $function() -> usize {
            naked_asm!(concat!(".weak ", $name), concat!("mov rax, [rip + ", $name, "@GOTPCREL]"), "ret")
        }
    )*};
}

// ABI: unwind.h
unwinder! {
    forced_unwind "_Unwind_ForcedUnwind";
    get_frame "_Unwind_GetCFA";
    get_register "_Unwind_GetGR";
}

fn link(buffer: u64) -> *mut u64 {
    (buffer + LINK) as *mut u64
}

/// The running thread exits: destructors and handlers first, newest first.
pub fn exit(result: u64) -> ! {
    me().result = result;
    let address = forced_unwind();
    if address != 0 {
        type Unwind = unsafe extern "C-unwind" fn(*mut Exception, u64, u64) -> i32;
        // SAFETY: the unwinder's function; the exception is the thread's own. It does not come back: `stop` sees the
        // end of the stack first.
        unsafe {
            let exception = &raw mut EXCEPTIONS[g().current];
            *exception = Exception { class: 0, cleanup: swallowed as *const () as u64, private: [0; 2] };
            core::mem::transmute::<usize, Unwind>(address)(exception, stop as *const () as u64, 0);
        }
    }
    next()
}

/// To the newest handler; to the thread's end if there is none.
fn next() -> ! {
    let f = me();
    let newest = f.cleanup;
    if newest == 0 {
        thread::end(f.result);
    }
    // SAFETY: a buffer that the program registered and has not taken back, so its frame still exists.
    unsafe {
        f.cleanup = *link(newest);
        _longjmp(newest, 1)
    }
}

/// The stack pointer that a buffer goes back to.
fn stack_pointer(buffer: u64) -> u64 {
    let guard: u64;
    // SAFETY: the C library's guard for pointers, in the thread's control block; and the program's buffer.
    unsafe {
        asm!("mov {}, fs:[0x30]", out(reg) guard, options(nostack, readonly, preserves_flags));
        ((buffer + STACK_POINTER) as *const u64).read().rotate_right(17) ^ guard
    }
}

const END_OF_STACK: i32 = 16;

// ABI: _Unwind_Stop_Fn; asked before each frame whether to stop there.
unsafe extern "C-unwind" fn stop(_: i32, actions: i32, _class: u64, _exception: u64, context: u64, _: u64) -> i32 {
    type Frame = unsafe extern "C" fn(u64) -> u64;
    let newest = me().cleanup;
    // SAFETY: the unwinder's function on its own context.
    let at = unsafe { core::mem::transmute::<usize, Frame>(get_frame())(context) };
    if actions & END_OF_STACK != 0 || (newest != 0 && at >= stack_pointer(newest)) {
        next();
    }
    0
}

// ABI: _Unwind_Exception_Cleanup_Fn; somebody caught everything and did not throw it on, which is fatal in glibc too.
unsafe extern "C-unwind" fn swallowed(_reason: i32, _exception: u64) {
    finish(Ending::Abort, 6, me().pending.pc, 0, b"pthread_exit was caught by catch (...) and not rethrown")
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
