//! Numbers from strings, and comparisons that depend on the locale. How far a call reads is asked of libc itself.

use super::pass::{Call, Entry, Then};
use super::plain;
use super::touch::{self, R, W};

unsafe extern "C" {
    // ABI: errno.h
    fn __errno_location() -> *mut i32;
}

/// Asks libc something that must leave no trace in `errno`.
fn quietly<T>(ask: impl FnOnce() -> T) -> T {
    // SAFETY: thread-local, of the running fiber.
    unsafe {
        let before = *__errno_location();
        let answer = ask();
        *__errno_location() = before;
        answer
    }
}

/// Bytes that a conversion reads which stops at `end`: with the byte at which it stopped. Where nothing was converted,
/// blanks and a sign were looked past.
fn consumed(text: u64, end: u64) -> usize {
    if end > text {
        return (end - text) as usize + 1;
    }
    let at = |i: usize| {
        // SAFETY: not beyond the string's end, where the search for blanks stops.
        unsafe { *(text as *const u8).add(i) }
    };
    let mut n = 0;
    while matches!(at(n), b' ' | 9..=13) {
        n += 1;
    }
    if matches!(at(n), b'+' | b'-') { n + 2 } else { n + 1 }
}

/// A whole number: the string, where to tell its end (or 0), and the base.
fn whole(c: &Call, end_place: u64, base: u64) -> Then {
    let (text, pc) = (c.a[0], c.pc());
    touch::point(&[(text, R), (end_place, W), (touch::locale(), R)], pc);
    touch::reads_locale(pc);
    let mut end = 0u64;
    // SAFETY: the program's string; its end goes to a variable of ours. No value is too large for reading on.
    quietly(|| unsafe { real!(strtoull: fn(u64, *mut u64, i32) -> u64)(text, &mut end, base as i32) });
    finish(text, end, end_place, pc)
}

/// A number with a fraction.
fn fraction(c: &Call, end_place: u64) -> Then {
    let (text, pc) = (c.a[0], c.pc());
    touch::point(&[(text, R), (end_place, W), (touch::locale(), R)], pc);
    touch::reads_locale(pc);
    let mut end = 0u64;
    // SAFETY: as above.
    quietly(|| unsafe { real!(strtod: fn(u64, *mut u64) -> f64)(text, &mut end) });
    finish(text, end, end_place, pc)
}

fn finish(text: u64, end: u64, end_place: u64, pc: u64) -> Then {
    if end == 0 {
        return Then::Pass; // an impossible base
    }
    touch::read(text, consumed(text, end), pc);
    if end_place != 0 {
        touch::variable(end_place, 8, W, pc);
    }
    Then::Pass
}

// ABI: stdlib.h, inttypes.h
pass! {
    atoi => |c, _| whole(c, 0, 10);
    atol => |c, _| whole(c, 0, 10);
    atoll => |c, _| whole(c, 0, 10);
    strtol => |c, _| whole(c, c.a[1], c.a[2]);
    strtoul => |c, _| whole(c, c.a[1], c.a[2]);
    strtoll => |c, _| whole(c, c.a[1], c.a[2]);
    strtoull => |c, _| whole(c, c.a[1], c.a[2]);
    strtoq => |c, _| whole(c, c.a[1], c.a[2]);
    strtouq => |c, _| whole(c, c.a[1], c.a[2]);
    strtoimax => |c, _| whole(c, c.a[1], c.a[2]);
    strtoumax => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtol => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtoul => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtoll => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtoull => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtoimax => |c, _| whole(c, c.a[1], c.a[2]);
    __isoc23_strtoumax => |c, _| whole(c, c.a[1], c.a[2]);
    atof => |c, _| fraction(c, 0);
    strtod => |c, _| fraction(c, c.a[1]);
    strtof => |c, _| fraction(c, c.a[1]);
    strtold => |c, _| fraction(c, c.a[1]);
}

/// A comparison without regard to case reads up to and with the first letters that differ.
fn without_case(limit: u64, c: &Call) -> Then {
    if limit == 0 {
        return Then::Pass;
    }
    let (a, b, pc) = (c.a[0], c.a[1], c.pc());
    touch::point(&[(a, R), (b, R), (touch::locale(), R)], pc);
    touch::reads_locale(pc);
    let mut n = 0;
    // SAFETY: strings of the program, read to the first difference; the table covers all bytes.
    unsafe {
        let lower = *real!(__ctype_tolower_loc: fn() -> *const *const i32)();
        loop {
            let (x, y) = (*((a + n) as *const u8), *((b + n) as *const u8));
            n += 1;
            if *lower.add(x as usize) != *lower.add(y as usize) || x == 0 || n == limit {
                break;
            }
        }
    }
    touch::read(a, n as usize, pc);
    touch::read(b, n as usize, pc);
    Then::Pass
}

/// A comparison by the locale's order, which may look at all of both.
fn collate(c: &Call) -> Then {
    touch::point(&[(c.a[0], R), (c.a[1], R), (touch::locale(), R)], c.pc());
    touch::reads_locale(c.pc());
    touch::string(c.a[0], c.pc());
    touch::string(c.a[1], c.pc());
    Then::Pass
}

fn transform(c: &Call, entry: &Entry) -> Then {
    let (to, from, room, pc) = (c.a[0], c.a[1], c.a[2], c.pc());
    touch::point(&[(from, R), (if room > 0 { to } else { 0 }, W), (touch::locale(), R)], pc);
    touch::reads_locale(pc);
    touch::string(from, pc);
    let needed = entry.call(&c.a);
    if room > 0 {
        touch::write(to, needed.saturating_add(1).min(room) as usize, pc);
    }
    Then::Return(needed)
}

fn search_without_case(c: &Call, entry: &Entry) -> Then {
    let (hay, needle, pc) = (c.a[0], c.a[1], c.pc());
    touch::point(&[(hay, R), (needle, R), (touch::locale(), R)], pc);
    touch::reads_locale(pc);
    touch::string(needle, pc);
    match entry.call(&c.a) {
        0 => {
            touch::string(hay, pc);
            Then::Return(0)
        }
        found => {
            touch::read(hay, (found - hay) as usize + plain::length(needle as *const u8), pc);
            Then::Return(found)
        }
    }
}

// ABI: string.h, strings.h
pass! {
    strcasecmp => |c, _| without_case(u64::MAX, c);
    __strcasecmp => |c, _| without_case(u64::MAX, c);
    strncasecmp => |c, _| without_case(c.a[2], c);
    strcoll => |c, _| collate(c);
    strverscmp => |c, _| collate(c);
    strxfrm => |c, e| transform(c, e);
    strcasestr => |c, e| search_without_case(c, e);
    __strcasestr => |c, e| search_without_case(c, e);
}
