//! Functions with state that all threads share and no header shows: the environment, the locale, static results.
//!
//! Each is an operation on the object that stands for that state. Results in static memory are also announced as
//! written, because the program reads them itself. Some of these keep their result per thread in glibc; POSIX lets them
//! not, and they are treated alike.

use super::pass::{Call, Entry, Then};
use super::plain;
use super::touch::{self, R, W};
use gabion_trace::{Address, Pseudo};

unsafe extern "C" {
    // ABI: unistd.h
    static environ: u64;
}

const ENVIRONMENT: Address = Address::pseudo(Pseudo::Environment);
const LOCALE: Address = Address::pseudo(Pseudo::Locale);
const WORLD: Address = Address::pseudo(Pseudo::World);
const STATIC: Address = Address::pseudo(Pseudo::StaticBuffer);

/// An operation on hidden state that reads strings.
fn with_strings(object: Address, strings: &[u64], c: &Call) -> Then {
    touch::hidden(object, &[(strings.first().copied().unwrap_or(0), R)], c.pc());
    for text in strings {
        touch::string(*text, c.pc());
    }
    Then::Pass
}

/// A change of the environment; programs read `environ` themselves.
fn change(strings: &[u64], c: &Call) -> Then {
    with_strings(ENVIRONMENT, strings, c);
    touch::write(&raw const environ as u64, 8, c.pc());
    Then::Pass
}

// ABI: stdlib.h
pass! {
    getenv => |c, _| with_strings(ENVIRONMENT, &[c.a[0]], c);
    secure_getenv => |c, _| with_strings(ENVIRONMENT, &[c.a[0]], c);
    setenv => |c, _| change(&[c.a[0], c.a[1]], c);
    putenv => |c, _| change(&[c.a[0]], c);
    unsetenv => |c, _| change(&[c.a[0]], c);
    clearenv => |c, _| change(&[], c);
}

/// The working directory, which all threads share, in memory of the program or new memory.
fn working_directory(c: &Call, entry: &Entry) -> Then {
    touch::hidden(WORLD, &[(c.a[0], W)], c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

// ABI: unistd.h
pass! {
    chdir => |c, _| with_strings(WORLD, &[c.a[0]], c);
    fchdir => |c, _| with_strings(WORLD, &[], c);
    getcwd => |c, entry| working_directory(c, entry);
}

// ABI: locale.h
pass! {
    setlocale => |c, _| with_strings(LOCALE, &[c.a[1]], c);
    localeconv => |c, _| with_strings(LOCALE, &[], c);
    newlocale => |c, _| with_strings(LOCALE, &[c.a[1]], c);
    duplocale => |c, _| with_strings(LOCALE, &[], c);
    freelocale => |c, _| with_strings(LOCALE, &[], c);
    uselocale => |c, _| with_strings(LOCALE, &[], c);
    nl_langinfo => |c, _| with_strings(LOCALE, &[], c);
}

/// The result is a string in static memory.
fn text_result(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[], c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

/// A message for a number: constant text, mostly, so it is not announced as written.
fn message(c: &Call) -> Then {
    touch::hidden(STATIC, &[], c.pc());
    Then::Pass
}

const TM: usize = 56;

/// Broken-down time in static memory, from a `time_t`.
fn broken_down(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[(c.a[0], R)], c.pc());
    touch::read(c.a[0], 8, c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, TM, c.pc());
    }
    Then::Return(result)
}

/// Text in static memory, from so many bytes of argument.
fn time_text(bytes: usize, c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[(c.a[0], R)], c.pc());
    touch::read(c.a[0], bytes, c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

/// As [`broken_down`], into memory of the program.
fn broken_down_into(c: &Call) -> Then {
    touch::point(&[(c.a[0], R), (c.a[1], W)], c.pc());
    touch::read(c.a[0], 8, c.pc());
    touch::write(c.a[1], TM, c.pc());
    Then::Pass
}

/// As [`time_text`], into memory of the program.
fn time_text_into(bytes: usize, c: &Call, entry: &Entry) -> Then {
    touch::point(&[(c.a[0], R), (c.a[1], W)], c.pc());
    touch::read(c.a[0], bytes, c.pc());
    let result = entry.call(&c.a);
    if result != 0 {
        touch::write(result, plain::length(result as *const u8) + 1, c.pc());
    }
    Then::Return(result)
}

/// Broken-down time is put in order in place.
fn normalise(c: &Call) -> Then {
    touch::point(&[(c.a[0], W)], c.pc());
    touch::read(c.a[0], TM, c.pc());
    touch::write(c.a[0], TM, c.pc());
    Then::Pass
}

fn format_time(c: &Call, entry: &Entry) -> Then {
    let (to, room, format, time, pc) = (c.a[0], c.a[1], c.a[2], c.a[3], c.pc());
    touch::point(&[(if room > 0 { to } else { 0 }, W), (time, R), (format, R)], pc);
    touch::string(format, pc);
    touch::read(time, TM, pc);
    let n = entry.call(&c.a);
    if n > 0 {
        touch::write(to, n as usize + 1, pc);
    }
    Then::Return(n)
}

fn message_into(c: &Call, entry: &Entry) -> Then {
    touch::point(&[(if c.a[2] > 0 { c.a[1] } else { 0 }, W)], c.pc());
    let result = entry.call(&c.a);
    if c.a[2] > 0 {
        let n = plain::length_within(c.a[1] as *const u8, c.a[2] as usize);
        touch::write(c.a[1], n.saturating_add(1).min(c.a[2] as usize), c.pc());
    }
    Then::Return(result)
}

// ABI: time.h. Time zones are read once from files that are not part of the program.
pass! {
    localtime => |c, e| broken_down(c, e);
    gmtime => |c, e| broken_down(c, e);
    localtime_r => |c, _| broken_down_into(c);
    gmtime_r => |c, _| broken_down_into(c);
    ctime => |c, e| time_text(8, c, e);
    asctime => |c, e| time_text(TM, c, e);
    ctime_r => |c, e| time_text_into(8, c, e);
    asctime_r => |c, e| time_text_into(TM, c, e);
    mktime => |c, _| normalise(c);
    timelocal => |c, _| normalise(c);
    timegm => |c, _| normalise(c);
    strftime => |c, e| format_time(c, e);
    tzset => |c, _| message(c);
}

// ABI: string.h
pass! {
    strerror => |c, _| message(c);
    strsignal => |c, _| message(c);
    strerror_r => |c, e| message_into(c, e);
    __xpg_strerror_r => |c, e| message_into(c, e);
}

// ABI: unistd.h, stdlib.h, libgen.h, arpa/inet.h, netdb.h, pwd.h, grp.h, crypt.h: static results
pass! {
    inet_ntoa => |c, e| text_result(c, e);
    ttyname => |c, e| text_result(c, e);
    ctermid => |c, _| message(c);
    getlogin => |c, e| text_result(c, e);
    ptsname => |c, e| text_result(c, e);
    gethostbyname => |c, _| with_strings(STATIC, &[c.a[0]], c);
    gethostbyname2 => |c, _| with_strings(STATIC, &[c.a[0]], c);
    gethostent => |c, _| message(c);
    getservbyname => |c, _| with_strings(STATIC, &[c.a[0], c.a[1]], c);
    getservbyport => |c, _| with_strings(STATIC, &[c.a[1]], c);
    getprotobyname => |c, _| with_strings(STATIC, &[c.a[0]], c);
    getprotobynumber => |c, _| message(c);
    getpwnam => |c, _| with_strings(STATIC, &[c.a[0]], c);
    getpwuid => |c, _| message(c);
    getpwent => |c, _| message(c);
    setpwent => |c, _| message(c);
    endpwent => |c, _| message(c);
    getgrnam => |c, _| with_strings(STATIC, &[c.a[0]], c);
    getgrgid => |c, _| message(c);
    getgrent => |c, _| message(c);
    setgrent => |c, _| message(c);
    endgrent => |c, _| message(c);
}
