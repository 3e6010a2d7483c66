//! A stack of the runtime's own for each thread.
//!
//! Hooks are calls from the program. On the program's stack they would leave their frames below its stack pointer, and the
//! program's next calls would lay their own over them: slots that nobody has written yet would hold what the runtime did
//! there last. That differs between a run that follows a plan and one that goes on by itself, and `waiting` compares
//! stacks. So hooks, and the calls that polling is made of, go to another stack; the program's sees nothing of them but its
//! own return address and registers.
//!
//! Such a stack is used from its top by one call at a time. Code of the program that is run from there (a handler of
//! a signal) makes its own calls further down.

use crate::aside::apart_end;
use gabion_trace::Point;

/// Bytes of each; a page at its low end is never used.
pub const ROOM: u64 = 256 << 10;

/// Where the running thread's begins, one past its first byte; 0: calls stay where they are.
pub static mut APART: u64 = 0;

/// The running thread is this one, from here on.
#[inline(always)]
pub fn choose(thread: usize) {
    // SAFETY: one kernel thread.
    unsafe { APART = apart_end(thread) }
}

/// Calls stay where they are.
pub fn none() {
    // SAFETY: one kernel thread.
    unsafe { APART = 0 }
}

/// Runs `f` while calls stay where they are: the running thread may be in the middle of one.
pub fn without<T>(f: impl FnOnce() -> T) -> T {
    // SAFETY: one kernel thread.
    let before = unsafe { core::mem::replace(&mut APART, 0) };
    let result = f();
    // SAFETY: as above.
    unsafe { APART = before };
    result
}

/// The stretches of memory that hold a thread's frames, if its stack pointer is this: there, and on its proper stack.
pub fn frames(thread: usize, sp: u64) -> [(u64, u64); 2] {
    let (end, proper_end) = (apart_end(thread), crate::places::slot_end(thread));
    if !(end - ROOM..end).contains(&sp) {
        return [(sp, sp), (sp, proper_end)];
    }
    // SAFETY: the thread is in a call that `apart!` has moved, which left the other stack pointer there.
    let proper = unsafe { *((end - 8) as *const u64) };
    [(sp, end), (proper, proper_end)]
}

/// Instructions of a stub that call {body} on the running thread's own stack, with the arguments in registers and the first of
/// those in memory, and return. Whoever is there already stays. Unwinders find their way back by the frame pointer.
macro_rules! apart {
    () => {
        ".cfi_startproc
         mov rax, [rip + {apart}]
         test rax, rax
         je 2f
         mov r11, rax
         sub r11, rsp
         cmp r11, {room}
         jb 2f
         push rbp
         .cfi_def_cfa_offset 16
         .cfi_offset rbp, -16
         mov rbp, rsp
         .cfi_def_cfa_register rbp
         mov rsp, rax
         push rbp
         push [rbp + 16]
         call {body}
         mov rsp, rbp
         pop rbp
         .cfi_def_cfa rsp, 8
         ret
         2: jmp {body}
         .cfi_endproc"
    };
}

/// Calls `f` there, for the scheduler: also whoever did not come through such a stub has its choices made there.
#[unsafe(naked)]
pub extern "C" fn call(_point: Point, _f: extern "C" fn(Point)) {
    core::arch::naked_asm!(apart!(), apart = sym APART, room = const ROOM, body = sym second)
}

/// Calls what its second argument points to, with the first.
#[unsafe(naked)]
unsafe extern "C" fn second() {
    core::arch::naked_asm!("jmp rsi")
}
