//! Streams: every call touches its stream as an object, so that calls on different streams commute. What moves between
//! a stream and the program's memory is announced exactly.
//!
//! Missed: `putc_unlocked` and `getc_unlocked` where the header expands them in place. They are then plain accesses to
//! the stream's structure, which the calls here do not announce (libc makes those under its own lock).

use super::buffers;
use super::locks;
use super::pass::{Call, Entry, Then};
use super::plain;
use super::touch::{self, R, W};
use crate::abi::access;
use gabion_trace::{AccessKind, Address, Pseudo};

unsafe extern "C" {
    // ABI: stdio.h, and libc's list of all streams.
    static stdin: u64;
    static stdout: u64;
    static stderr: u64;
    static _IO_list_all: u64;
}

/// The stream in a variable that programs may assign to.
fn standard(place: *const u64, pc: u64) -> u64 {
    access::range(place as u64, 8, R, pc);
    // SAFETY: a variable of libc.
    unsafe { *place }
}
pub fn standard_input(pc: u64) -> u64 {
    standard(&raw const stdin, pc)
}
pub fn standard_output(pc: u64) -> u64 {
    standard(&raw const stdout, pc)
}
pub fn standard_error(pc: u64) -> u64 {
    standard(&raw const stderr, pc)
}

/// All streams, as one object: the list of them.
const LIST: Address = Address::pseudo(Pseudo::Stdio);

/// A call on a stream that touches no memory of the program.
fn on(stream: u64, c: &Call) -> Then {
    locks::stream(stream, &[], c.pc());
    Then::Pass
}

/// As [`on`], without waiting for who has locked the stream.
fn unlocked(stream: u64, c: &Call) -> Then {
    touch::hidden(locks::object(stream), &[], c.pc());
    Then::Pass
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Locking {
    Yes,
    No,
}

fn enter(locking: Locking, stream: u64, place: (u64, AccessKind), pc: u64) {
    match locking {
        Locking::Yes => locks::stream(stream, &[place], pc),
        Locking::No => touch::hidden(locks::object(stream), &[place], pc),
    }
}

fn put_string(locking: Locking, text: u64, stream: u64, c: &Call) -> Then {
    enter(locking, stream, (text, R), c.pc());
    touch::string(text, c.pc());
    Then::Pass
}

fn put_block(locking: Locking, c: &Call) -> Then {
    enter(locking, c.a[3], (c.a[0], R), c.pc());
    touch::read(c.a[0], c.a[1].saturating_mul(c.a[2]) as usize, c.pc());
    Then::Pass
}

fn get_string(locking: Locking, c: &Call, entry: &Entry) -> Then {
    enter(locking, c.a[2], (c.a[0], W), c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

fn get_block(locking: Locking, c: &Call, entry: &Entry) -> Then {
    enter(locking, c.a[3], (c.a[0], W), c.pc());
    let count = entry.call(&c.a);
    touch::write(c.a[0], c.a[1].saturating_mul(count) as usize, c.pc());
    Then::Return(count)
}

/// A line into a buffer that grows: its address and size are the program's variables.
fn get_line(stream: u64, c: &Call, entry: &Entry) -> Then {
    let (place, size, pc) = (c.a[0], c.a[1], c.pc());
    locks::stream(stream, &[(place, W), (size, W)], pc);
    touch::variable(place, 8, R, pc);
    touch::variable(size, 8, R, pc);
    let count = entry.call(&c.a);
    touch::variable(place, 8, W, pc);
    touch::variable(size, 8, W, pc);
    if count as i64 > 0 {
        // SAFETY: set by the call.
        touch::write(unsafe { *(place as *const u64) }, count as usize + 1, pc);
    }
    Then::Return(count)
}

/// `fflush`: of one stream, or of all.
fn flush(locking: Locking, c: &Call) -> Then {
    if c.a[0] != 0 {
        return if locking == Locking::Yes { on(c.a[0], c) } else { unlocked(c.a[0], c) };
    }
    every(c)
}

/// A call on all streams. One that another thread has locked is waited for, after which the list may be another.
fn every(c: &Call) -> Then {
    touch::hidden_point(LIST, &[], c.pc());
    while streams().any(|s| locks::wait(s, c.pc())) {}
    touch::also(LIST, c.pc());
    for stream in streams() {
        touch::also(locks::object(stream), c.pc());
    }
    Then::Pass
}

/// Libc's list of streams; good until another thread runs.
fn streams() -> impl Iterator<Item = u64> {
    const NEXT: u64 = 104; // ABI: struct _IO_FILE, _chain
    // SAFETY: libc's variable, or a stream of its list.
    let follow = |at: u64| Some(unsafe { *(at as *const u64) }).filter(|stream| *stream != 0);
    core::iter::successors(follow(&raw const _IO_list_all as u64), move |stream| follow(stream + NEXT))
}

/// A new stream: from a path and a mode, where there are.
fn open(strings: &[u64], c: &Call) -> Then {
    touch::hidden(LIST, &[(strings[0], R)], c.pc());
    for text in strings {
        touch::string(*text, c.pc());
    }
    Then::Pass
}

/// A stream ends, or is opened as something else.
fn close(stream: u64, c: &Call) -> Then {
    locks::stream(stream, &[], c.pc());
    touch::also(LIST, c.pc());
    buffers::take_back(stream);
    Then::Pass
}

/// A stream gets another buffer: the program's, or (0) one of its own.
fn set_buffer(stream: u64, buffer: u64, size: u64, c: &Call) -> Then {
    locks::stream(stream, &[], c.pc());
    buffers::take_back(stream);
    buffers::give(stream, buffer, size, c.pc());
    Then::Pass
}

/// A position of a stream, kept in the program's memory (16 bytes).
fn position(kind: AccessKind, c: &Call) -> Then {
    locks::stream(c.a[0], &[(c.a[1], kind)], c.pc());
    if kind == R {
        touch::read(c.a[1], 16, c.pc())
    } else {
        touch::write(c.a[1], 16, c.pc())
    }
    Then::Pass
}

use Locking::{No, Yes};

// ABI: stdio.h: output
pass! {
    puts => |c, _| put_string(Yes, c.a[0], standard_output(c.pc()), c);
    fputs => |c, _| put_string(Yes, c.a[0], c.a[1], c);
    fputs_unlocked => |c, _| put_string(No, c.a[0], c.a[1], c);
    putchar => |c, _| on(standard_output(c.pc()), c);
    putchar_unlocked => |c, _| unlocked(standard_output(c.pc()), c);
    fputc => |c, _| on(c.a[1], c);
    putc => |c, _| on(c.a[1], c);
    _IO_putc => |c, _| on(c.a[1], c);
    fputc_unlocked => |c, _| unlocked(c.a[1], c);
    putc_unlocked => |c, _| unlocked(c.a[1], c);
    __overflow => |c, _| unlocked(c.a[0], c);
    putw => |c, _| on(c.a[1], c);
    fwrite => |c, _| put_block(Yes, c);
    fwrite_unlocked => |c, _| put_block(No, c);
    perror => |c, _| put_string(Yes, c.a[0], standard_error(c.pc()), c);
    fflush => |c, _| flush(Yes, c);
    fflush_unlocked => |c, _| flush(No, c);
}

// ABI: stdio.h: input
pass! {
    fgets => |c, e| get_string(Yes, c, e);
    fgets_unlocked => |c, e| get_string(No, c, e);
    fread => |c, e| get_block(Yes, c, e);
    fread_unlocked => |c, e| get_block(No, c, e);
    getline => |c, e| get_line(c.a[2], c, e);
    getdelim => |c, e| get_line(c.a[3], c, e);
    __getdelim => |c, e| get_line(c.a[3], c, e);
    fgetc => |c, _| on(c.a[0], c);
    getc => |c, _| on(c.a[0], c);
    _IO_getc => |c, _| on(c.a[0], c);
    fgetc_unlocked => |c, _| unlocked(c.a[0], c);
    getc_unlocked => |c, _| unlocked(c.a[0], c);
    getchar => |c, _| on(standard_input(c.pc()), c);
    getchar_unlocked => |c, _| unlocked(standard_input(c.pc()), c);
    __uflow => |c, _| unlocked(c.a[0], c);
    __underflow => |c, _| unlocked(c.a[0], c);
    getw => |c, _| on(c.a[0], c);
    ungetc => |c, _| on(c.a[1], c);
}

// ABI: stdio.h: opening, closing, positions, state
pass! {
    fopen => |c, _| open(&[c.a[0], c.a[1]], c);
    fopen64 => |c, _| open(&[c.a[0], c.a[1]], c);
    fdopen => |c, _| open(&[c.a[1]], c);
    tmpfile => |c, _| open(&[0], c);
    tmpfile64 => |c, _| open(&[0], c);
    fcloseall => |c, _| every(c);
    fseek => |c, _| on(c.a[0], c);
    fseeko => |c, _| on(c.a[0], c);
    fseeko64 => |c, _| on(c.a[0], c);
    ftell => |c, _| on(c.a[0], c);
    ftello => |c, _| on(c.a[0], c);
    ftello64 => |c, _| on(c.a[0], c);
    rewind => |c, _| on(c.a[0], c);
    fgetpos => |c, _| position(W, c);
    fgetpos64 => |c, _| position(W, c);
    fsetpos => |c, _| position(R, c);
    fsetpos64 => |c, _| position(R, c);
    setlinebuf => |c, _| on(c.a[0], c);
    feof => |c, _| on(c.a[0], c);
    feof_unlocked => |c, _| unlocked(c.a[0], c);
    ferror => |c, _| on(c.a[0], c);
    ferror_unlocked => |c, _| unlocked(c.a[0], c);
    clearerr => |c, _| on(c.a[0], c);
    clearerr_unlocked => |c, _| unlocked(c.a[0], c);
    fileno => |c, _| on(c.a[0], c);
    fileno_unlocked => |c, _| unlocked(c.a[0], c);
}

const NO_BUFFER: u64 = 2;
const BUFFER_SIZE: u64 = 8192;

// ABI: stdio.h: `_IONBF` and `BUFSIZ`. Whose memory a stream uses may be settled before the program is concurrent.
pass! { @when Controlled
    fclose => |c, _| close(c.a[0], c);
    freopen => |c, _| { close(c.a[2], c); touch::string(c.a[0], c.pc()); touch::string(c.a[1], c.pc()); Then::Pass };
    freopen64 => |c, _| { close(c.a[2], c); touch::string(c.a[0], c.pc()); touch::string(c.a[1], c.pc()); Then::Pass };
    setvbuf => |c, _| set_buffer(c.a[0], if c.a[2] as u32 as u64 == NO_BUFFER { 0 } else { c.a[1] }, c.a[3], c);
    setbuf => |c, _| set_buffer(c.a[0], c.a[1], BUFFER_SIZE, c);
    setbuffer => |c, _| set_buffer(c.a[0], c.a[1], c.a[2], c);
}

// ABI: stdio.h: locks. Ours from the start, because a lock may be taken before the program is concurrent.
pass! { @when Controlled
    flockfile => |c, _| { locks::lock(c.a[0], c.pc()); Then::Return(0) };
    _IO_flockfile => |c, _| { locks::lock(c.a[0], c.pc()); Then::Return(0) };
    ftrylockfile => |c, _| Then::Return(locks::try_lock(c.a[0], c.pc()) as u64);
    _IO_ftrylockfile => |c, _| Then::Return(locks::try_lock(c.a[0], c.pc()) as u64);
    funlockfile => |c, _| { locks::unlock(c.a[0], c.pc()); Then::Return(0) };
    _IO_funlockfile => |c, _| { locks::unlock(c.a[0], c.pc()); Then::Return(0) };
}
