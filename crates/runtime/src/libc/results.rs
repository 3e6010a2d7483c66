//! Results in static memory: the next call overwrites what the last one gave, whichever thread made it.
//!
//! Each call is an operation on the object that stands for that memory. What it writes is announced as written, with everything that
//! the program reaches from the result, because the program reads it itself.

use super::hidden::with_strings;
use super::pass::{Call, Entry, Then};
use super::plain;
use super::touch::{self, R};
use gabion_trace::{Address, Pseudo};

pub const STATIC: Address = Address::pseudo(Pseudo::StaticBuffer);

/// A string that the call has written.
pub fn wrote_text(at: u64, pc: u64) {
    if at != 0 && touch::watching() {
        touch::write(at, plain::length(at as *const u8) + 1, pc);
    }
}

fn word(at: u64) -> u64 {
    // SAFETY: a member of the structure that the call has given.
    unsafe { *(at as *const u64) }
}

/// What a result consists of.
struct Layout {
    bytes: usize,
    /// Offsets of strings.
    texts: &'static [u64],
    /// Offsets of lists of strings, which end with a null pointer.
    lists: &'static [u64],
    /// Offset of such a list of addresses, each of as many bytes as the word behind their family says.
    addresses: Option<u64>,
}

// ABI: pwd.h, grp.h, netdb.h, locale.h
const PASSWD: Layout = Layout { bytes: 48, texts: &[0, 8, 24, 32, 40], lists: &[], addresses: None };
const GROUP: Layout = Layout { bytes: 32, texts: &[0, 8], lists: &[24], addresses: None };
const HOST: Layout = Layout { bytes: 32, texts: &[0], lists: &[8], addresses: Some(24) };
const SERVICE: Layout = Layout { bytes: 32, texts: &[0, 24], lists: &[8], addresses: None };
const PROTOCOL: Layout = Layout { bytes: 24, texts: &[0], lists: &[8], addresses: None };
/// Its strings are the locale's own.
const CONVENTIONS: Layout = Layout { bytes: 96, texts: &[], lists: &[], addresses: None };
const HOST_LENGTH: u64 = 20;

/// The entries of a list; it is written itself.
fn each_of(list: u64, pc: u64, mut each: impl FnMut(u64)) {
    if list != 0 {
        let entries =
            (0..).map(|i| word(list + i * 8)).take_while(|entry| *entry != 0).inspect(|entry| each(*entry)).count();
        touch::write(list, (entries + 1) * 8, pc);
    }
}

/// A structure in static memory, found by these strings.
fn structure(layout: &Layout, strings: &[u64], c: &Call, entry: &Entry) -> Then {
    with_strings(STATIC, strings, c);
    let (result, pc) = (entry.call(&c.a), c.pc());
    if result != 0 {
        touch::write(result, layout.bytes, pc);
        layout.texts.iter().for_each(|offset| wrote_text(word(result + offset), pc));
        for offset in layout.lists {
            each_of(word(result + offset), pc, |text| wrote_text(text, pc));
        }
        if let Some(offset) = layout.addresses {
            let length = word(result + HOST_LENGTH - 4) >> 32;
            each_of(word(result + offset), pc, |address| touch::write(address, length as usize, pc));
        }
    }
    Then::Return(result)
}

fn conventions(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[(touch::locale(), R)], c.pc());
    touch::reads_locale(c.pc());
    let result = entry.call(&c.a);
    touch::write(result, CONVENTIONS.bytes, c.pc());
    Then::Return(result)
}

/// The same, or in memory of the program.
fn terminal(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[(c.a[0], touch::W)], c.pc());
    let result = entry.call(&c.a);
    wrote_text(result, c.pc());
    Then::Return(result)
}

/// A string in static memory, of a number.
fn text_of_number(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[], c.pc());
    let result = entry.call(&c.a);
    wrote_text(result, c.pc());
    Then::Return(result)
}

/// A message for a number: constant text, or, of numbers that have none, text that the library has made for the calling thread, which
/// lasts until its next call.
fn message(c: &Call, entry: &Entry) -> Then {
    touch::hidden(STATIC, &[(touch::locale(), R)], c.pc());
    touch::reads_locale(c.pc());
    let result = entry.call(&c.a);
    let (from, to) = touch::module("gnu_get_libc_version\0");
    if !(from..to).contains(&result) {
        wrote_text(result, c.pc());
    }
    Then::Return(result)
}

/// A list that is gone through, entry after entry.
fn position(c: &Call) -> Then {
    touch::hidden(STATIC, &[], c.pc());
    Then::Pass
}

// ABI: string.h, locale.h
pass! {
    strerror => |c, e| message(c, e);
    strsignal => |c, e| message(c, e);
    localeconv => |c, e| conventions(c, e);
}

// ABI: unistd.h, stdlib.h, stdio.h, arpa/inet.h, netdb.h, pwd.h, grp.h
pass! {
    inet_ntoa => |c, e| text_of_number(c, e);
    ttyname => |c, e| text_of_number(c, e);
    ptsname => |c, e| text_of_number(c, e);
    ctermid => |c, e| terminal(c, e);
    getlogin => |c, e| text_of_number(c, e);
    gethostbyname => |c, e| structure(&HOST, &[c.a[0]], c, e);
    gethostbyname2 => |c, e| structure(&HOST, &[c.a[0]], c, e);
    gethostent => |c, e| structure(&HOST, &[], c, e);
    getservbyname => |c, e| structure(&SERVICE, &[c.a[0], c.a[1]], c, e);
    getservbyport => |c, e| structure(&SERVICE, &[c.a[1]], c, e);
    getprotobyname => |c, e| structure(&PROTOCOL, &[c.a[0]], c, e);
    getprotobynumber => |c, e| structure(&PROTOCOL, &[], c, e);
    getpwnam => |c, e| structure(&PASSWD, &[c.a[0]], c, e);
    getpwuid => |c, e| structure(&PASSWD, &[], c, e);
    getpwent => |c, e| structure(&PASSWD, &[], c, e);
    setpwent => |c, _| position(c);
    endpwent => |c, _| position(c);
    getgrnam => |c, e| structure(&GROUP, &[c.a[0]], c, e);
    getgrgid => |c, e| structure(&GROUP, &[], c, e);
    getgrent => |c, e| structure(&GROUP, &[], c, e);
    setgrent => |c, _| position(c);
    endgrent => |c, _| position(c);
}
