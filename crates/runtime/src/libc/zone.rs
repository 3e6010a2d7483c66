//! Times of day: broken-down time and its text in static memory, and the time zone.
//!
//! The library looks at `TZ` in the environment when the local time is asked for, and keeps what it found in `timezone`, `daylight` and
//! `tzname`, which programs read themselves, and in tables out of sight. Each call reads all of that, and writes it if something of it has
//! changed, or if the name of the zone has. (A step that writes what was there already commutes with its readers.) The library's
//! functions do so under a lock, so they are no races with each other.

use super::pass::{Call, Entry, Then};
use super::results::{STATIC, wrote_text};
use super::touch::{self, R, W};
use super::{plain, state};
use crate::interpose::find;
use core::sync::atomic::{AtomicU64, Ordering};
use gabion_trace::AccessKind;

unsafe extern "C" {
    // ABI: unistd.h
    static environ: u64;
}

/// Bytes of a `struct tm`.
const TM: usize = 56;
/// `timezone`, `daylight`, and the two names of `tzname`.
const WORDS: usize = 4;

/// Where these are.
fn words() -> [(u64, u64); WORDS] {
    static AT: [AtomicU64; 3] = [const { AtomicU64::new(0) }; 3];
    let at = |index: usize, name: &str| {
        if AT[index].load(Ordering::Relaxed) == 0 {
            AT[index].store(find(name) as u64, Ordering::Relaxed);
        }
        AT[index].load(Ordering::Relaxed)
    };
    let (zone, daylight, names) = (at(0, "timezone\0"), at(1, "daylight\0"), at(2, "tzname\0"));
    [(zone, 8), (daylight, 4), (names, 8), (names + 8, 8)]
}

fn values(words: &[(u64, u64); WORDS]) -> [u64; WORDS] {
    // SAFETY: variables of the C library, of so many bytes.
    words.map(|(at, bytes)| unsafe { if bytes == 8 { *(at as *const u64) } else { u64::from(*(at as *const u32)) } })
}

/// A hash of the zone's name, never 0.
fn zone() -> u64 {
    // SAFETY: a string of the environment's, or none.
    let name = unsafe { real!(getenv: fn(*const u8) -> u64)(c"TZ".as_ptr().cast()) };
    let length = if name == 0 { 0 } else { plain::length(name as *const u8) };
    // SAFETY: the string has as many bytes.
    let bytes = (0..length).map(|i| unsafe { *((name + i as u64) as *const u8) });
    bytes.fold(0xcbf2_9ce4_8422_2325 ^ u64::from(name == 0), |h, b| (h ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
        | 1
}

fn environment() -> u64 {
    &raw const environ as u64
}

/// Other places that a call touches, at most.
const PLACES: usize = 4;

/// The point of a call that depends on the zone and touches more places; `hidden`: its result is static.
fn begin(hidden: bool, places: &[(u64, AccessKind)], pc: u64) {
    let mut all = [(0, R); PLACES + 1 + WORDS];
    all[..places.len()].copy_from_slice(places);
    all[PLACES] = (environment(), R);
    for (place, (at, _)) in all[PLACES + 1..].iter_mut().zip(words()) {
        *place = (at, R.with(AccessKind::ATOMIC));
    }
    if hidden {
        touch::hidden(STATIC, &all, pc);
    } else if !touch::protected_point(&all[PLACES..], pc) {
        touch::point(&all, pc);
    }
    super::hidden::environment(R, pc);
}

/// Calls the C library, and announces what became of the zone.
fn call(c: &Call, entry: &Entry) -> u64 {
    let words = words();
    let before = values(&words);
    let result = entry.call(&c.a);
    let (after, zone) = (values(&words), zone());
    let other = core::mem::replace(&mut state().zone, zone) != zone;
    for (i, (at, bytes)) in words.into_iter().enumerate() {
        let kind = if other || before[i] != after[i] { AccessKind::UPDATE } else { R };
        touch::protected(at, bytes, kind, c.pc());
    }
    result
}

/// Broken-down time in static memory, from a `time_t`.
fn broken_down(c: &Call, entry: &Entry) -> Then {
    let pc = c.pc();
    begin(true, &[(c.a[0], R), (state().broken_down, W)], pc);
    touch::variable(c.a[0], 8, R, pc);
    let result = call(c, entry);
    if result != 0 {
        state().broken_down = result;
        touch::write(result, TM, pc);
    }
    Then::Return(result)
}

/// Text in static memory, from so many bytes of argument.
fn text(bytes: usize, c: &Call, entry: &Entry) -> Then {
    let pc = c.pc();
    let (local, between) = (bytes == 8, state().broken_down);
    begin(true, &[(c.a[0], R), (between, W)], pc);
    touch::read(c.a[0], bytes, pc);
    let result = call(c, entry);
    if local && between != 0 {
        touch::write(between, TM, pc); // `ctime` goes by `localtime`
    }
    wrote_text(result, pc);
    Then::Return(result)
}

/// As [`broken_down`], into memory of the program.
fn broken_down_into(c: &Call, entry: &Entry) -> Then {
    let pc = c.pc();
    begin(false, &[(c.a[0], R), (c.a[1], W)], pc);
    touch::variable(c.a[0], 8, R, pc);
    let result = call(c, entry);
    touch::write(c.a[1], TM, pc);
    Then::Return(result)
}

/// As [`text`], into memory of the program.
fn text_into(bytes: usize, c: &Call, entry: &Entry) -> Then {
    let pc = c.pc();
    begin(false, &[(c.a[0], R), (c.a[1], W)], pc);
    touch::read(c.a[0], bytes, pc);
    let result = call(c, entry);
    wrote_text(result, pc);
    Then::Return(result)
}

/// Broken-down time is put in order in place.
fn normalise(c: &Call, entry: &Entry) -> Then {
    let pc = c.pc();
    begin(false, &[(c.a[0], W)], pc);
    touch::read(c.a[0], TM, pc);
    let result = call(c, entry);
    touch::write(c.a[0], TM, pc);
    Then::Return(result)
}

fn format(c: &Call, entry: &Entry) -> Then {
    let (to, room, format, time, pc) = (c.a[0], c.a[1], c.a[2], c.a[3], c.pc());
    let target = if room > 0 { to } else { 0 };
    begin(false, &[(target, W), (time, R), (format, R), (touch::locale(), R)], pc);
    touch::string(format, pc);
    touch::read(time, TM, pc);
    touch::reads_locale(pc);
    let n = call(c, entry);
    if n > 0 {
        touch::write(to, n as usize + 1, pc);
    }
    Then::Return(n)
}

fn set(c: &Call, entry: &Entry) -> Then {
    begin(false, &[], c.pc());
    call(c, entry);
    Then::Return(0)
}

/// The longest name of a zone, which is a limit of the system's.
fn limit(c: &Call, entry: &Entry) -> Then {
    const LONGEST_NAME: u32 = 6;
    if c.a[0] as u32 != LONGEST_NAME {
        return Then::Pass;
    }
    begin(false, &[], c.pc());
    Then::Return(call(c, entry))
}

// ABI: time.h, unistd.h
pass! {
    localtime => |c, e| broken_down(c, e);
    gmtime => |c, e| broken_down(c, e);
    localtime_r => |c, e| broken_down_into(c, e);
    gmtime_r => |c, e| broken_down_into(c, e);
    ctime => |c, e| text(8, c, e);
    asctime => |c, e| text(TM, c, e);
    ctime_r => |c, e| text_into(8, c, e);
    asctime_r => |c, e| text_into(TM, c, e);
    mktime => |c, e| normalise(c, e);
    timelocal => |c, e| normalise(c, e);
    timegm => |c, e| normalise(c, e);
    strftime => |c, e| format(c, e);
    tzset => |c, e| set(c, e);
    sysconf => |c, e| limit(c, e);
    __sysconf => |c, e| limit(c, e);
}
