//! System calls that the program makes behind the C library's functions.
//!
//! The kernel's system-call dispatch sends every call that is not made from this library's text to a handler. Most are
//! passed on; what they change outside memory decides how the next run must start (see [`Effect`]). Calls that end,
//! multiply or block the process are dealt with here. A `syscall` instruction outside the C library is taken as a call of
//! the function `syscall`: see `raw`.

mod raw;

use crate::apart;
use crate::api::errno::ENOMEM;
use crate::api::{process, random, signal};
use crate::aside;
use crate::control::{self, unsupported};
use crate::executable;
use crate::fault;
use crate::hot;
use crate::maps;
use crate::places::{self, PAGE};
use crate::record;
use crate::standard;
use crate::state::g;
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

/// Sends the program's system calls to us. False: this kernel cannot.
pub fn enable() -> bool {
    fault::handle(SIGSYS, on_call as *const () as usize);
    raw::learn();
    let (from, to) = own_text();
    // SAFETY: calls from our own text stay direct. A kernel without the feature says so and all calls stay direct.
    unsafe { sys::call6(sys::PRCTL, SET_DISPATCH, 1, from, to - from, 0, 0) == 0 }
}

/// Where this library's instructions are.
fn own_text() -> (u64, u64) {
    mapping_of(own_text as *const () as u64)
}

/// The mapping that holds an address.
fn mapping_of(address: u64) -> (u64, u64) {
    let mut found = (0, 0);
    maps::each(|m| {
        if (m.from..m.to).contains(&address) {
            found = (m.from, m.to);
        }
    });
    found
}

/// Builds the table of effects: a name and a number for each call.
macro_rules! effects {
    ($($effect:ident: $($name:ident $number:literal),*;)*) => {
        fn listed(number: i64) -> Effect {
            match number { $($($number)|* => Effect::$effect,)* _ => Effect::Unmodelled }
        }
    };
}

effects! {
    None: stat 4, fstat 5, lstat 6, access 21, sched_yield 24, mincore 27, madvise 28, getpid 39, uname 63, getcwd 79,
        readlink 89, gettimeofday 96, getrlimit 97, getrusage 98, sysinfo 99, times 100, getuid 102, getgid 104,
        geteuid 107, getegid 108, getppid 110, getpgrp 111, getsid 124, rt_sigprocmask 14, sched_getparam 143,
        sched_getscheduler 145, gettid 186, time 201, sched_getaffinity 204, clock_gettime 228, clock_getres 229,
        newfstatat 262, readlinkat 267, faccessat 269, prlimit64 302, getcpu 309, statx 332, faccessat2 439;
    Process: read 0, open 2, close 3, poll 7, lseek 8, mmap 9, mprotect 10, munmap 11, brk 12, ioctl 16, pread64 17,
        readv 19, pipe 22, select 23, mremap 25, msync 26, dup 32, dup2 33, socket 41, connect 42, accept 43,
        sendto 44, recvfrom 45, sendmsg 46, recvmsg 47, shutdown 48, bind 49, listen 50, getsockname 51,
        getpeername 52, socketpair 53, setsockopt 54, getsockopt 55, fcntl 72, getdents 78, chdir 80, fchdir 81,
        umask 95, mlock 149, munlock 150, mlockall 151, munlockall 152, prctl 157, setrlimit 160, getdents64 217,
        set_tid_address 218, epoll_create 213, epoll_wait 232, epoll_ctl 233, openat 257, pselect6 270, ppoll 271,
        set_robust_list 273, epoll_pwait 281, signalfd 282, eventfd 284, accept4 288, signalfd4 289, eventfd2 290,
        epoll_create1 291, dup3 292, pipe2 293, preadv 295, memfd_create 319, rseq 334, close_range 436;
    Outside: write 1, pwrite64 18, writev 20, fsync 74, fdatasync 75, truncate 76, ftruncate 77, rename 82, mkdir 83,
        rmdir 84, creat 85, link 86, unlink 87, symlink 88, chmod 90, fchmod 91, chown 92, fchown 93, lchown 94,
        utime 132, mknod 133, setxattr 188, lsetxattr 189, fsetxattr 190, removexattr 197, mkdirat 258, mknodat 259,
        fchownat 260, futimesat 261, unlinkat 263, renameat 264, linkat 265, symlinkat 266, fchmodat 268,
        utimensat 280, fallocate 285, pwritev 296, renameat2 316, pwritev2 328;
}

fn effect(number: i64, arguments: &[u64; 6]) -> Effect {
    const TCGETS: u64 = 0x5401;
    const CREATES_OR_WRITES: u64 = 0o1103; // O_TRUNC, O_CREAT, O_WRONLY, O_RDWR
    match number {
        16 if arguments[1] == TCGETS => Effect::None, // isatty
        // Standard output and error go where the driver sent them.
        1 | 20 if arguments[0] == 1 || arguments[0] == 2 => Effect::None,
        2 if arguments[1] & CREATES_OR_WRITES != 0 => Effect::Outside,
        257 if arguments[2] & CREATES_OR_WRITES != 0 => Effect::Outside,
        437 => Effect::Outside, // openat2: its flags are in memory
        56 | 435 => Effect::Multiplies("clone"),
        57 => Effect::Multiplies("fork"),
        58 => Effect::Multiplies("vfork"),
        59 | 322 => Effect::Multiplies("exec"),
        37 => Effect::Asynchronous("alarm"),
        38 => Effect::Asynchronous("setitimer"),
        222 | 223 => Effect::Asynchronous("timer_create"),
        _ => listed(number),
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
    if raw::take(registers) {
        return;
    }
    let stack = registers[15];
    registers[13] = answer(number, &a, &|| place(stack)) as u64;
}

/// What the program gets as the call's result. `pc`: where it made the call.
fn answer(number: i64, a: &[u64; 6], pc: &dyn Fn() -> u64) -> i64 {
    crate::waiting::effect();
    const NANOSLEEP: i64 = 35;
    const CLOCK_NANOSLEEP: i64 = 230;
    const FUTEX_WAKE: u64 = 1;
    const GETRANDOM: i64 = 318;
    const EFAULT: i64 = -14;
    match number {
        sys::EXIT | sys::EXIT_GROUP => process::exit_raw(a[0] as i32),
        sys::FUTEX if a[1] & 0x7f == FUTEX_WAKE => return 0, // nobody waits in the kernel
        sys::FUTEX => unsupported("a wait inside the C library", pc()),
        NANOSLEEP | CLOCK_NANOSLEEP => return 0,
        GETRANDOM => return random::get(a[0] as *mut u8, a[1] as usize, a[2] as u32, pc()) as i64,
        sys::RT_SIGACTION | sys::SIGALTSTACK => return 0, // ours; see api/signal.rs
        sys::WRITE if control::discards() && (a[0] == 1 || a[0] == 2) => return a[2] as i64,
        sys::MMAP if too_much(a) => return -i64::from(ENOMEM),
        _ => {}
    }
    let a = &with_kernels_number(number, *a);
    match effect(number, a) {
        Effect::None => {}
        Effect::Process => control::needs_fork(),
        Effect::Outside => record::cover(Coverage::OUTSIDE.with(Coverage::NEEDS_FORK)),
        Effect::Unmodelled => record::cover(Coverage::UNMODELLED.with(Coverage::NEEDS_FORK)),
        Effect::Multiplies(name) | Effect::Asynchronous(name) => unsupported(name, pc()),
    }
    if let Some(name) = waits(number)
        && would_wait(number, a[0])
    {
        unsupported(name, pc());
    }
    if effect(number, a) != Effect::None {
        // The place is a guess and must not be part of the trace.
        record::op(OpKind::SystemCall, Address::pseudo(Pseudo::World), number as u32, 0);
    }
    if effect(number, a) != Effect::None {
        crate::waiting::wake_all();
        hot::open_all(); // the kernel may write into pages that a reset has not seen change, and stop halfway
    }
    // SAFETY: the program's own call.
    let pass_on = || unsafe { sys::call6(number, a[0], a[1], a[2], a[3], a[4], a[5]) };
    if number == sys::MPROTECT {
        executable::protects(a[0], a[2]);
    }
    match pass_on() {
        EFAULT => {
            hot::open_all();
            pass_on()
        }
        result => result,
    }
}

/// Calls that name a thread by its number: the kernel does not know the numbers that the program does, and has one thread.
fn with_kernels_number(number: i64, mut a: [u64; 6]) -> [u64; 6] {
    let at = match number {
        142..=145 | 203 | 204 | 302 => 0, // of scheduling, affinity and limits
        140 | 141 if a[0] == 0 => 1,      // of priorities: a process's
        _ => return a,
    };
    let known = u64::from(a[at] as u32).wrapping_sub(signal::process_number() as u64);
    if known < g().threads as u64 {
        a[at] = 0;
    }
    a
}

/// Mappings count as memory too: a program that asks for more than its limit is told that there is none.
fn too_much(a: &[u64; 6]) -> bool {
    const WRITABLE: u64 = 2;
    let g = g();
    let limit = g.plan.max_memory;
    let counted = if a[2] & WRITABLE != 0 { a[1] } else { 0 };
    // SAFETY: one kernel thread.
    unsafe {
        if MAPPED + counted > limit {
            record::cover(Coverage::MEMORY_LIMIT);
            return true;
        }
        MAPPED += counted;
    }
    false
}

/// Bytes that the program has mapped writable since it started. A run that maps needs a process of its own, so this is
/// never reset.
static mut MAPPED: u64 = 0;

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

/// Where the program's own code is: (from, to).
static mut PROGRAM: (u64, u64) = (0, 0);

/// Is it an address in the program's own code?
pub fn is_program(address: u64) -> bool {
    // SAFETY: one kernel thread.
    let (from, to) = unsafe { PROGRAM };
    (from..to).contains(&address)
}

/// Learns where the executable lies, for [`place`].
pub fn learn_program(main: u64) {
    // SAFETY: one kernel thread.
    unsafe { PROGRAM = mapping_of(main) };
}

/// Call sites of the program's own code that a prebuilt library was called from, which has come to `site`: words on the stack
/// that point behind a call, up to the return address of the innermost function that was announced. Innermost first, then
/// zeros. A guess, for messages only: words of calls that have returned may lie among them.
pub fn own_calls(stack: u64, site: u64, announced: u64) -> [u64; 8] {
    const DEPTH: usize = 1 << 13;
    let mut found = [0; 8];
    aside::with_scratch(DEPTH as u64 * 8, |buffer| {
        // SAFETY: memory lent for the length of the call.
        let buffer = unsafe { core::slice::from_raw_parts_mut(buffer as *mut u64, DEPTH) };
        let words = stack_words(stack, buffer).iter().copied();
        let between = words.skip_while(|word| *word != site).take_while(|word| *word != announced);
        // SAFETY: one kernel thread; the program's code is mapped.
        unsafe {
            let (from, to) = PROGRAM;
            let own = between.filter(|word| (from + 8..to).contains(word) && !standard::is_library(word - 1));
            let byte = |at: u64| *(at as *const u8);
            // call with an offset; through memory; through a register.
            let called = |word: &u64| byte(word - 5) == 0xe8 || [6, 3, 2].iter().any(|n| byte(word - n) == 0xff);
            found.iter_mut().zip(own.filter(called)).for_each(|(to, word)| *to = word);
        }
    });
    found
}

/// The words of a stack from an address up. The end is only known of the stacks that the runtime made; of any other
/// (`pthread_attr_setstack`, a coroutine's) the kernel says what can be read.
fn stack_words(from: u64, buffer: &mut [u64]) -> &[u64] {
    let thread = g().current;
    let (slot, aside) = (places::slot(thread)..places::slot_end(thread), aside::apart_end(thread));
    let known = if slot.contains(&from) {
        Some(slot.end)
    } else {
        (aside - apart::ROOM..aside).contains(&from).then_some(aside)
    };
    let read = match known {
        Some(end) => {
            let count = (((end - from) / 8) as usize).min(buffer.len());
            // SAFETY: a stack pointer of this thread's, and what lies above it on the same stack.
            unsafe { core::ptr::copy_nonoverlapping(from as *const u64, buffer.as_mut_ptr(), count) };
            count
        }
        None => read_pages(from, buffer),
    };
    &buffer[..read]
}

/// Copies words up to the first page that cannot be read; gives their number.
fn read_pages(from: u64, buffer: &mut [u64]) -> usize {
    // SAFETY: words are bytes.
    let bytes = unsafe { core::slice::from_raw_parts_mut(buffer.as_mut_ptr().cast(), buffer.len() * 8) };
    read_bytes(from, bytes) / 8
}

/// Copies memory up to the first page that cannot be read, as far as there is room; gives the number of bytes.
pub fn read_bytes(from: u64, buffer: &mut [u8]) -> usize {
    const PAGES: usize = 17;
    let mut pages = [[0u64; 2]; PAGES];
    let (mut at, end) = (from, from.saturating_add(buffer.len() as u64));
    let mut count = 0;
    while at < end && count < PAGES {
        let next = ((at | (PAGE - 1)) + 1).min(end);
        pages[count] = [at, next - at];
        (at, count) = (next, count + 1);
    }
    let to = [buffer.as_mut_ptr() as u64, buffer.len() as u64];
    // SAFETY: the kernel reads what can be read, into a buffer of ours.
    let read = unsafe {
        let me = sys::call(sys::GETPID, 0, 0, 0) as u64;
        sys::call6(sys::PROCESS_VM_READV, me, to.as_ptr() as u64, 1, pages.as_ptr() as u64, count as u64, 0)
    };
    read.max(0) as usize
}

/// Where the program called the library function that made the system call: the first word on the stack that points
/// into its code. A guess, for messages only.
fn place(stack: u64) -> u64 {
    const DEPTH: usize = 256;
    let mut buffer = [0; DEPTH];
    // A call from a stack of the runtime's own began on the thread's.
    apart::frames(g().current, stack)
        .into_iter()
        .filter(|(from, to)| from < to || *from == stack)
        .find_map(|(from, _)| stack_words(from, &mut buffer).iter().copied().find(|word| is_program(*word)))
        .map_or(0, |word| word.wrapping_sub(1))
}
