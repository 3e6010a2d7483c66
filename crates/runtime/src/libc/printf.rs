//! Formatted output. The format and every string argument are read; `%n` writes.
//!
//! The target of `sprintf` and its like is announced after formatting: only then is its length known, and nobody runs in
//! between. Wide formats are not here.

use super::format::{Arguments, Format, Use};
use super::pass::{Call, Then};
use super::stdio::{standard_error, standard_output};
use super::touch::{self, R, W};
use super::{locks, plain};
use gabion_trace::{AccessKind, Address, Pseudo};

/// Addresses that are looked at for the point before a call.
const PLACES: usize = 16;

/// Addresses that the call will touch, as it looks before the point; `target` may be 0.
fn places(format: u64, arguments: Arguments, target: u64) -> [(u64, AccessKind); PLACES] {
    let mut found = [(0, R); PLACES];
    found[0] = (target, W);
    found[1] = (format, R);
    found[2] = (touch::locale(), R);
    let mut n = 3;
    Format::output(format).each(arguments, |what, argument, amount| {
        if n < PLACES && what != Use::Value && amount > 0 {
            found[n] = (argument, if matches!(what, Use::Number(_)) { W } else { R });
            n += 1;
        }
    });
    found
}

/// The ranges that the call touches, after the point.
fn announce(format: u64, arguments: Arguments, pc: u64) {
    let understood = Format::output(format);
    touch::read(format, understood.length + 1, pc);
    touch::reads_locale(pc);
    understood.each(arguments, |what, argument, amount| {
        if argument == 0 {
            return; // printed as (null)
        }
        match what {
            Use::Text => {
                let limit = amount.min(usize::MAX as u64) as usize;
                let n = plain::length_within(argument as *const u8, limit);
                touch::read(argument, n.saturating_add(1).min(limit), pc);
            }
            // A precision counts bytes of output, of which each character makes at least one.
            Use::WideText => {
                let text = argument as *const u32;
                // SAFETY: a string of the program, read up to its end or the limit.
                let n = (0..amount as usize).find(|i| unsafe { *text.add(*i) } == 0).map_or(amount as usize, |n| n + 1);
                touch::read(argument, n.saturating_mul(4), pc);
            }
            Use::Number(bytes) => touch::variable(argument, bytes as usize, W, pc),
            _ => {}
        }
    });
}

/// Output to a stream.
fn to_stream(stream: u64, format: u64, arguments: Arguments, pc: u64) -> Then {
    locks::stream(stream, &places(format, arguments, 0), pc);
    announce(format, arguments, pc);
    Then::Pass
}

/// Output to a descriptor.
fn to_descriptor(format: u64, arguments: Arguments, pc: u64) -> Then {
    touch::hidden(Address::pseudo(Pseudo::World), &places(format, arguments, 0), pc);
    announce(format, arguments, pc);
    Then::Pass
}

/// Output to memory of at most `room` bytes, by `call`.
fn to_memory(
    target: u64,
    room: u64,
    format: u64,
    arguments: Arguments,
    pc: u64,
    call: impl FnOnce(&mut Arguments) -> i32,
) -> Then {
    touch::point(&places(format, arguments, if room > 0 { target } else { 0 }), pc);
    announce(format, arguments, pc);
    let mut list = arguments;
    let n = call(&mut list);
    if n >= 0 && room > 0 {
        touch::write(target, (n as u64 + 1).min(room) as usize, pc);
    }
    Then::Return(n as u32 as u64)
}

/// Output to a new block, whose address goes to `place`.
fn to_block(place: u64, format: u64, arguments: Arguments, pc: u64) -> Then {
    touch::point(&places(format, arguments, place), pc);
    announce(format, arguments, pc);
    let mut list = arguments;
    // SAFETY: the program's arguments.
    let n = unsafe { real!(vasprintf: fn(u64, u64, *mut Arguments) -> i32)(place, format, &mut list) };
    touch::variable(place, 8, W, pc);
    Then::Return(n as u32 as u64)
}

fn to_string(c: &mut Call, list: Arguments) -> Then {
    let (to, format) = (c.a[0], c.a[1]);
    // SAFETY: the program's arguments.
    to_memory(to, u64::MAX, format, list, c.pc(), |l| unsafe {
        real!(vsprintf: fn(u64, u64, *mut Arguments) -> i32)(to, format, l)
    })
}

fn to_room(c: &mut Call, list: Arguments) -> Then {
    let (to, room, format) = (c.a[0], c.a[1], c.a[2]);
    // SAFETY: the program's arguments.
    to_memory(to, room, format, list, c.pc(), |l| unsafe {
        real!(vsnprintf: fn(u64, u64, u64, *mut Arguments) -> i32)(to, room, format, l)
    })
}

fn sprintf_checked(c: &mut Call, list: Arguments) -> Then {
    let (to, flag, room, format) = (c.a[0], c.a[1], c.a[2], c.a[3]);
    // SAFETY: the program's arguments.
    to_memory(to, u64::MAX, format, list, c.pc(), |l| unsafe {
        real!(__vsprintf_chk: fn(u64, u64, u64, u64, *mut Arguments) -> i32)(to, flag, room, format, l)
    })
}

fn snprintf_checked(c: &mut Call, list: Arguments) -> Then {
    let (to, limit, flag, room, format) = (c.a[0], c.a[1], c.a[2], c.a[3], c.a[4]);
    // SAFETY: the program's arguments.
    to_memory(to, limit, format, list, c.pc(), |l| unsafe {
        real!(__vsnprintf_chk: fn(u64, u64, u64, u64, u64, *mut Arguments) -> i32)(to, limit, flag, room, format, l)
    })
}

// ABI: stdio.h
pass! {
    printf => |c, _| { let l = c.rest(1); to_stream(standard_output(c.pc()), c.a[0], l, c.pc()) };
    vprintf => |c, _| to_stream(standard_output(c.pc()), c.a[0], Arguments::at(c.a[1]), c.pc());
    fprintf => |c, _| { let l = c.rest(2); to_stream(c.a[0], c.a[1], l, c.pc()) };
    vfprintf => |c, _| to_stream(c.a[0], c.a[1], Arguments::at(c.a[2]), c.pc());
    dprintf => |c, _| { let l = c.rest(2); to_descriptor(c.a[1], l, c.pc()) };
    vdprintf => |c, _| to_descriptor(c.a[1], Arguments::at(c.a[2]), c.pc());
    sprintf => |c, _| { let l = c.rest(2); to_string(c, l) };
    vsprintf => |c, _| to_string(c, Arguments::at(c.a[2]));
    snprintf => |c, _| { let l = c.rest(3); to_room(c, l) };
    vsnprintf => |c, _| to_room(c, Arguments::at(c.a[3]));
    asprintf => |c, _| { let l = c.rest(2); to_block(c.a[0], c.a[1], l, c.pc()) };
    vasprintf => |c, _| to_block(c.a[0], c.a[1], Arguments::at(c.a[2]), c.pc());
}

// ABI: bits/stdio2.h, with _FORTIFY_SOURCE
pass! {
    __printf_chk => |c, _| { let l = c.rest(2); to_stream(standard_output(c.pc()), c.a[1], l, c.pc()) };
    __vprintf_chk => |c, _| to_stream(standard_output(c.pc()), c.a[1], Arguments::at(c.a[2]), c.pc());
    __fprintf_chk => |c, _| { let l = c.rest(3); to_stream(c.a[0], c.a[2], l, c.pc()) };
    __vfprintf_chk => |c, _| to_stream(c.a[0], c.a[2], Arguments::at(c.a[3]), c.pc());
    __dprintf_chk => |c, _| { let l = c.rest(3); to_descriptor(c.a[2], l, c.pc()) };
    __vdprintf_chk => |c, _| to_descriptor(c.a[2], Arguments::at(c.a[3]), c.pc());
    __sprintf_chk => |c, _| { let l = c.rest(4); sprintf_checked(c, l) };
    __vsprintf_chk => |c, _| sprintf_checked(c, Arguments::at(c.a[4]));
    __snprintf_chk => |c, _| { let l = c.rest(5); snprintf_checked(c, l) };
    __vsnprintf_chk => |c, _| snprintf_checked(c, Arguments::at(c.a[5]));
    __asprintf_chk => |c, _| { let l = c.rest(3); to_block(c.a[0], c.a[2], l, c.pc()) };
    __vasprintf_chk => |c, _| to_block(c.a[0], c.a[2], Arguments::at(c.a[3]), c.pc());
}

// ABI: err.h: messages to standard error. The variants that end the program are not here.
pass! {
    warn => |c, _| { let l = c.rest(1); to_stream(standard_error(c.pc()), c.a[0], l, c.pc()) };
    vwarn => |c, _| to_stream(standard_error(c.pc()), c.a[0], Arguments::at(c.a[1]), c.pc());
    warnx => |c, _| { let l = c.rest(1); to_stream(standard_error(c.pc()), c.a[0], l, c.pc()) };
    vwarnx => |c, _| to_stream(standard_error(c.pc()), c.a[0], Arguments::at(c.a[1]), c.pc());
}
