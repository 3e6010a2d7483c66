//! The process: main, its end, and ends by failure.

use super::signal;
use crate::control::finish;
use crate::interpose::{caller, next};
use crate::libc::exceptions;
use crate::record;
use crate::sched;
use crate::state::{g, me};
use crate::sys::Text;
use gabion_trace::shared::flag;
use gabion_trace::{Address, Ending, OpKind, Pseudo};

struct Start {
    main: u64,
    argc: i32,
    argv: u64,
    envp: u64,
    exit: usize,
}

static mut START: Start = Start { main: 0, argc: 0, argv: 0, envp: 0, exit: 0 };
/// What a Rust program's `main` returns after a panic.
const PANICKED: i32 = 101;

/// Status with which the program is ending; reset with the rest of a run.
static mut STATUS: i32 = 0;
/// Where it asked for its end, and the hash of the run then.
static mut EXIT_PC: u64 = 0;
static mut HASH_AT_EXIT: u64 = 0;

unsafe extern "C" {
    // ABI: handlers run in the reverse order of their registration.
    fn __cxa_atexit(function: extern "C" fn(u64), argument: u64, handle: u64) -> i32;
    // ABI: stdio.h
    fn fflush(stream: u64) -> i32;
}

pub fn keep_main(main: u64) {
    // SAFETY: one kernel thread.
    unsafe { START.main = main };
}

/// Where the program's `main` is.
pub fn main_function() -> u64 {
    // SAFETY: one kernel thread.
    unsafe { START.main }
}

pub fn keep_arguments(argc: i32, argv: u64, envp: u64) {
    // SAFETY: one kernel thread.
    unsafe {
        (START.argc, START.argv, START.envp) = (argc, argv, envp);
        START.exit = next("exit\0");
    }
}

/// Runs before all code of the program: this library is initialised before all that were linked with it. It makes references to
/// functions that cannot be modelled lead to a refusal, and registers the end of a run as the very last exit handler, because
/// handlers run in reverse. (The process's end would be seen at its system call as well, but that costs as much as a short run.)
extern "C" fn at_start() {
    if crate::control::controlled() {
        super::refused::linked::install();
        // SAFETY: a function of ours that stays loaded.
        unsafe { __cxa_atexit(last_handler, 0, 0) };
    }
}

// ABI: functions in this section are called when the library has been loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static AT_START: extern "C" fn() = at_start;

extern "C" fn last_handler(_: u64) {
    // SAFETY: one kernel thread.
    let (status, pc, before) = unsafe { (STATUS, EXIT_PC, HASH_AT_EXIT) };
    if g().active && g().hash != before {
        // Handlers did something that others can see: these may go on until the process is gone.
        let object = Address::pseudo(Pseudo::Process);
        sched::reach(OpKind::Exit, object, pc);
        record::op(OpKind::Exit, object, status as u32, pc);
    }
    if is_fine(status) {
        super::header::check_at_end();
    }
    // SAFETY: one kernel thread; flushing writes to where the driver sent the program's output.
    unsafe {
        real_flush();
        ended(STATUS)
    }
}

unsafe fn real_flush() {
    crate::state::watch(false);
    // SAFETY: flushes all streams.
    unsafe { fflush(0) };
}

/// May the program end with this status? That of a panic may be accepted only where nobody has panicked: Rust's library and its tests
/// say by it that they failed.
fn is_fine(status: i32) -> bool {
    let g = g();
    let panicked = status == PANICKED && crate::standard::present() && g.fibers[..g.threads].iter().any(|f| f.raised);
    g.plan.may_end_with(status) && !panicked
}

/// The process is over.
fn ended(status: i32) -> ! {
    if let Some((ending, pc, text)) = exceptions::ended_by_handler() {
        finish(ending, status, pc, 0, text.as_bytes())
    }
    let pc = me().pending.pc;
    if is_fine(status) {
        crate::sched::end_in_circle();
        if g().plan.flags & flag::LEAKS != 0 {
            crate::leak::check();
        }
        finish(Ending::Passed, status, 0, 0, b"")
    }
    // SAFETY: one kernel thread.
    let returned = unsafe { EXIT_PC == START.main };
    if status == PANICKED && returned && crate::standard::present() {
        finish(Ending::Panic, status, pc, 0, b"")
    }
    let text = Text::<64>::format(format_args!("exit status {status}"));
    finish(Ending::Exit, status, pc, 0, text.as_bytes())
}

/// Main's fiber.
pub fn run_main() -> ! {
    type Main = unsafe extern "C-unwind" fn(i32, u64, u64) -> i32;
    // SAFETY: the program's main, called as libc would.
    let status = unsafe { core::mem::transmute::<u64, Main>(START.main)(START.argc, START.argv, START.envp) };
    // SAFETY: as above. The return has no call site; it is shown at the function.
    exit_program(status, unsafe { START.main })
}

/// `exit`: handlers run in the calling thread, while the other threads can still run.
pub fn exit_program(status: i32, pc: u64) -> ! {
    if !crate::control::started() {
        ended(status & 0xff); // no run has begun whose handlers could be seen
    }
    let object = Address::pseudo(Pseudo::Process);
    sched::reach(OpKind::Exit, object, pc);
    record::op(OpKind::Exit, object, status as u32, pc);
    crate::standard::leave_harness();
    // SAFETY: one kernel thread; libc's exit, which ends in `last_handler`.
    unsafe {
        STATUS = status & 0xff;
        (EXIT_PC, HASH_AT_EXIT) = (pc, g().hash);
        core::mem::transmute::<usize, unsafe extern "C-unwind" fn(i32) -> !>(START.exit)(status)
    }
}

fn exit_now(status: i32, pc: u64) -> ! {
    let object = Address::pseudo(Pseudo::Process);
    sched::reach(OpKind::Exit, object, pc);
    record::op(OpKind::Exit, object, status as u32, pc);
    me().pending.pc = pc;
    ended(status & 0xff)
}

/// For system-call dispatch: the process asked the kernel to end.
pub fn exit_raw(status: i32) -> ! {
    ended(status & 0xff)
}

unsafe fn c_string<'a>(text: *const u8) -> &'a [u8] {
    if text.is_null() {
        return b"";
    }
    let mut n = 0;
    // SAFETY: the caller gives a string that ends in zero; no more than 300 bytes are of use.
    unsafe {
        while n < 300 && *text.add(n) != 0 {
            n += 1;
        }
        core::slice::from_raw_parts(text, n)
    }
}

/// An assertion failed.
pub fn failed_assertion(expression: *const u8, file: *const u8, line: u32, function: *const u8, pc: u64) -> ! {
    // SAFETY: strings that the compiler put into the program.
    let [expression, file, function] = unsafe { [c_string(expression), c_string(file), c_string(function)] }
        .map(|s| core::str::from_utf8(s).unwrap_or("?"));
    let text = Text::<1024>::format(format_args!("{file}:{line}: {function}: Assertion `{expression}' failed."));
    // SAFETY: what the program printed so far belongs to the failing run.
    unsafe { real_flush() };
    finish(Ending::Assertion, 0, pc, 0, text.as_bytes())
}

/// `abort`: the program's own handler first.
pub fn abort_program(pc: u64) -> ! {
    const SIGABRT: i32 = 6;
    if signal::handler_for(SIGABRT).is_some() {
        signal::deliver(SIGABRT, core::ptr::null_mut(), core::ptr::null_mut());
    }
    // SAFETY: as for an assertion.
    unsafe { real_flush() };
    match exceptions::uncaught(pc) {
        Some((ending, pc, text)) => finish(ending, 6, pc, 0, text.as_bytes()),
        None => finish(Ending::Abort, 6, pc, 0, b"abort"),
    }
}

// ABI: stdlib.h, unistd.h, assert.h
interpose! {
    fn exit(status: i32) { exit_program(status, caller()) }
    fn _exit(status: i32) { exit_now(status, caller()) }
    fn _Exit(status: i32) { exit_now(status, caller()) }
    fn quick_exit(status: i32) {
        let pc = caller();
        sched::reach(OpKind::Exit, Address::pseudo(Pseudo::Process), pc);
        me().pending.pc = pc;
        // Runs the program's handlers, then asks the kernel to end the process, which comes back to us.
        // SAFETY: the program's argument.
        unsafe { real!(quick_exit: fn(i32))(status) };
        ended(status & 0xff)
    }
    fn abort() { abort_program(caller()) }
    fn __assert_fail(expression: *const u8, file: *const u8, line: u32, function: *const u8) {
        failed_assertion(expression, file, line, function, caller())
    }
    fn __assert_perror_fail(_error: i32, file: *const u8, line: u32, function: *const u8) {
        failed_assertion(c"assert_perror".as_ptr().cast(), file, line, function, caller())
    }
    fn __assert(expression: *const u8, file: *const u8, line: i32) {
        failed_assertion(expression, file, line as u32, core::ptr::null(), caller())
    }
    fn __stack_chk_fail() { finish(Ending::Abort, 6, caller(), 0, b"stack smashing detected") }
}

/// What a reset has to restore: (address, length).
pub fn region() -> (u64, u64) {
    (&raw const STATUS as u64, size_of::<i32>() as u64)
}
