//! System calls made from our own text, and messages of last resort.
//!
//! They are made here and not through libc because system-call dispatch (see `dispatch`) lets only this library's text
//! through, and because libc would set the program's `errno`.

use core::arch::asm;
use core::fmt::{self, Write};

macro_rules! numbers { ($($name:ident = $value:literal,)*) => { $(pub const $name: i64 = $value;)* } }

numbers! {
    READ = 0, WRITE = 1, OPEN = 2, CLOSE = 3, FSTAT = 5, POLL = 7, LSEEK = 8, MMAP = 9, MPROTECT = 10,
    RT_SIGACTION = 13, IOCTL = 16, MADVISE = 28, FORK = 57, EXIT = 60, WAIT4 = 61,
    SIGALTSTACK = 131, PRCTL = 157, FUTEX = 202, GETPID = 39, KILL = 62, RT_SIGPROCMASK = 14, CLOCK_GETTIME = 228, EXIT_GROUP = 231,
    PROCESS_VM_READV = 310, USERFAULTFD = 323, RSEQ = 334,
}

/// # Safety
/// Whatever the system call asks of its arguments.
#[inline(always)]
pub unsafe fn call6(n: i64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> i64 {
    let result: i64;
    // SAFETY: the kernel's calling convention; rcx and r11 are declared as overwritten.
    unsafe {
        asm!("syscall", inlateout("rax") n => result, in("rdi") a, in("rsi") b, in("rdx") c, in("r10") d, in("r8") e,
            in("r9") f, lateout("rcx") _, lateout("r11") _, options(nostack))
    };
    result
}

/// # Safety
/// As for [`call6`].
#[inline(always)]
pub unsafe fn call(n: i64, a: u64, b: u64, c: u64) -> i64 {
    // SAFETY: passed on.
    unsafe { call6(n, a, b, c, 0, 0, 0) }
}

/// Whether a result is an error number.
pub fn failed(result: i64) -> bool {
    (-4095..0).contains(&result)
}

/// Flags of a mapping that only reserves address space, at its place or not at all: private, anonymous, no reserve,
/// fixed without replacing.
pub const RESERVED: u64 = 0x10_4022;
/// Maps memory; ends the process if the kernel will not.
pub fn map(address: u64, length: u64, protection: u64, flags: u64, fd: i64) -> u64 {
    // SAFETY: a new mapping at an address that is ours by `places`, or chosen by the kernel.
    let result = unsafe { call6(MMAP, address, length, protection, flags, fd as u64, 0) };
    if failed(result) || (address != 0 && result as u64 != address) {
        die(format_args!("cannot map {length:#x} bytes at {address:#x}: error {}", -result));
    }
    result as u64
}

/// A text of bounded length, for messages.
pub struct Text<const N: usize> {
    bytes: [u8; N],
    used: usize,
}

impl<const N: usize> Text<N> {
    pub const fn new() -> Self {
        Text { bytes: [0; N], used: 0 }
    }
    pub fn format(arguments: fmt::Arguments<'_>) -> Self {
        let mut text = Self::new();
        let _ = text.write_fmt(arguments);
        text
    }
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.used]
    }
}

impl<const N: usize> Write for Text<N> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        let n = s.len().min(N - self.used);
        self.bytes[self.used..self.used + n].copy_from_slice(&s.as_bytes()[..n]);
        self.used += n;
        Ok(())
    }
}

/// Ends the process for a fault of ours, with words the driver shows.
pub fn die(arguments: fmt::Arguments<'_>) -> ! {
    let text = Text::<512>::format(arguments);
    crate::control::failed(text.as_bytes());
    // SAFETY: writes a buffer of ours, then ends the process.
    unsafe {
        call(WRITE, 2, b"gabion: ".as_ptr() as u64, 8);
        call(WRITE, 2, text.as_bytes().as_ptr() as u64, text.as_bytes().len() as u64);
        call(WRITE, 2, b"\n".as_ptr() as u64, 1);
        call(EXIT_GROUP, 99, 0, 0);
    }
    unreachable!()
}
