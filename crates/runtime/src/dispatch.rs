//! System calls that the program makes behind the C library's functions.
//!
//! The kernel's system-call dispatch sends every call that is not made from this library's text to a handler. Most are
//! passed on; what they change outside memory decides how the next run must start (see [`Effect`]). Calls that end,
//! multiply or block the process are dealt with here.

use crate::api::process;
use crate::control::{self, unsupported};
use crate::fault;
use crate::maps;
use crate::record;
use crate::sys;
use gabion_trace::{Address, Coverage, OpKind, Pseudo};

const SIGSYS: i32 = 31;
const SET_DISPATCH: u64 = 59;

/// What a system call leaves behind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// Nothing that another run could see.
    None,
    /// Something in the process that memory alone does not undo: the next run needs a new process.
    Process,
    /// Something outside: files.
    Outside,
    /// Unknown.
    Unmodelled,
    /// Would make a second process or program.
    Multiplies(&'static str),
    /// Would deliver signals later.
    Asynchronous(&'static str),
}

/// Sends the program's system calls to us.
pub fn enable() {
    fault::handle(SIGSYS, on_call as *const () as usize);
    let (from, to) = own_text();
    // SAFETY: calls from our own text stay direct. A kernel without the feature says so and all calls stay direct.
    unsafe { sys::call6(sys::PRCTL, SET_DISPATCH, 1, from, to - from, 0, 0) };
}

/// Where this library's instructions are.
fn own_text() -> (u64, u64) {
    let here = own_text as *const () as u64;
    let mut found = (0, 0);
    maps::each(|m| {
        if (m.from..m.to).contains(&here) {
            found = (m.from, m.to);
        }
    });
    found
}

fn effect(number: i64, arguments: &[u64; 6]) -> Effect {
    match number {
        // write, writev: standard output and error go where the driver sent them
        1 | 20 if arguments[0] == 1 || arguments[0] == 2 => Effect::None,
        1 | 18 | 20 | 296 | 328 | 74 | 75 | 76 | 77 | 82..=88 | 90..=95 | 133 | 161 | 188..=190 | 197..=199 | 258..=265
        | 266..=268 | 280 | 316 => Effect::Outside,
        // open, openat, creat
        2 if arguments[1] & 0o1103 == 0 => Effect::Process,
        257 if arguments[2] & 0o1103 == 0 => Effect::Process,
        2 | 257 | 437 => Effect::Outside,
        // stat, lstat, fstat, access, getcwd, readlink, uname, get*id, sysinfo, getrlimit, prlimit, sched_get*, madvise…
        4 | 5 | 6 | 21 | 24 | 28 | 39 | 63 | 79 | 89 | 97 | 98 | 99 | 100 | 102 | 104 | 107 | 108 | 110 | 111 | 124 | 186
        | 204 | 262 | 267 | 269 | 302 | 309 | 332 | 96 | 201 | 228 | 229 | 14 | 27 | 26 | 439 => Effect::None,
        // read, pread, lseek, readv, dup, pipe, close, fcntl, getdents, poll…
        0 | 3 | 7 | 8 | 16 | 17 | 19 | 22 | 32 | 33 | 72 | 78 | 217 | 270 | 271 | 290 | 291 | 292 | 293 | 295 | 41..=55
        | 436 | 23 | 232 | 233 | 281 | 282 | 284 | 289 | 319 => Effect::Process,
        // mmap, mprotect, munmap, brk, mremap, msync, mlock, umask, chdir, prctl, setrlimit…
        9..=13 | 25 | 80 | 81 | 149..=152 | 157 | 160 | 95 | 218 | 273 | 334 => Effect::Process,
        56 | 435 => Effect::Multiplies("clone"),
        57 => Effect::Multiplies("fork"),
        58 => Effect::Multiplies("vfork"),
        59 | 322 => Effect::Multiplies("exec"),
        37 => Effect::Asynchronous("alarm"),
        38 => Effect::Asynchronous("setitimer"),
        222 | 223 => Effect::Asynchronous("timer_create"),
        _ => Effect::Unmodelled,
    }
}

/// Calls that may wait for something outside: name, and whether it is a descriptor's readiness (for reading).
fn waits(number: i64) -> Option<&'static str> {
    Some(match number {
        0 => "read",
        17 => "pread",
        19 => "readv",
        43 | 288 => "accept",
        45 => "recvfrom",
        47 => "recvmsg",
        61 | 247 => "wait",
        34 => "pause",
        128 => "sigtimedwait",
        130 => "sigsuspend",
        _ => return None,
    })
}

unsafe extern "C" fn on_call(_signal: i32, _info: *mut u64, context: *mut u64) {
    // Registers as the kernel saves them: r8 r9 r10 r11 r12 r13 r14 r15 rdi rsi rbp rbx rdx rax …
    // SAFETY: what the kernel passes to a handler with details.
    let registers = unsafe { core::slice::from_raw_parts_mut(context.add(fault::REGISTERS), 17) };
    let number = registers[13] as i64;
    let a = [registers[8], registers[9], registers[12], registers[2], registers[0], registers[1]];
    registers[13] = answer(number, &a) as u64;
}

/// What the program gets as the call's result.
fn answer(number: i64, a: &[u64; 6]) -> i64 {
    const NANOSLEEP: i64 = 35;
    const CLOCK_NANOSLEEP: i64 = 230;
    const FUTEX_WAKE: u64 = 1;
    let pc = place();
    match number {
        sys::EXIT | sys::EXIT_GROUP => process::exit_raw(a[0] as i32),
        sys::FUTEX if a[1] & 0x7f == FUTEX_WAKE => return 0, // nobody waits in the kernel
        sys::FUTEX => unsupported("a wait inside the C library", pc),
        NANOSLEEP | CLOCK_NANOSLEEP => return 0,
        sys::RT_SIGACTION | sys::SIGALTSTACK => return 0, // ours; see api/signal.rs
        _ => {}
    }
    match effect(number, a) {
        Effect::None => {}
        Effect::Process => control::needs_fork(),
        Effect::Outside => record::cover(Coverage::OUTSIDE.with(Coverage::NEEDS_FORK)),
        Effect::Unmodelled => record::cover(Coverage::UNMODELLED.with(Coverage::NEEDS_FORK)),
        Effect::Multiplies(name) | Effect::Asynchronous(name) => unsupported(name, pc),
    }
    if let Some(name) = waits(number)
        && would_wait(number, a[0])
    {
        unsupported(name, pc);
    }
    if effect(number, a) != Effect::None {
        record::op(OpKind::SystemCall, Address::pseudo(Pseudo::World), number as u32, pc);
    }
    // SAFETY: the program's own call.
    unsafe { sys::call6(number, a[0], a[1], a[2], a[3], a[4], a[5]) }
}

/// Would the call wait for something that none of the program's threads can bring about while it waits?
fn would_wait(number: i64, descriptor: u64) -> bool {
    const PREAD: i64 = 17;
    if number == PREAD {
        return false;
    }
    if !matches!(number, 0 | 19 | 43 | 45 | 47 | 288) {
        return true;
    }
    let mut poll = descriptor & 0xffff_ffff | 1 << 32; // struct pollfd: descriptor, POLLIN
    // SAFETY: one descriptor, no waiting.
    unsafe { sys::call(sys::POLL, &raw mut poll as u64, 1, 0) == 0 }
}

/// The program's last call site: where it called the library function that made the system call.
fn place() -> u64 {
    crate::interpose::caller()
}
