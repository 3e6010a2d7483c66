//! The locale: `setlocale` changes what very many functions do.
//!
//! To announce them all as operations on one object would make them depend on each other. So the locale is a word of memory: who
//! changes it writes there, who depends on it reads, and it costs nothing as long as no two threads meet there with a change.

use super::hidden::with_strings;
use super::pass::{Call, Then};
use super::touch::{self, R, W};
use crate::objects;
use core::sync::atomic::Ordering;
use gabion_trace::{Address, Pseudo};

const LOCALE: Address = Address::pseudo(Pseudo::Locale);

/// The program is about to create its first thread. The locale may change if the program, or a library other than those of its
/// language, calls a function that changes it, or can look one up by name.
pub fn before_threads() {
    const CHANGING: &[&[u8]] = &[b"setlocale", b"_ZNSt6locale6globalERKS_", b"dlsym", b"dlvsym", b"dlopen", b"dlmopen"];
    const OF_LANGUAGES: [&[u8]; 6] =
        [b"linux-vdso.so", b"libc.so", b"libstdc++.so", b"libc++.so", b"libgabion_rt.so", b"ld-linux"];
    let mut may_change = false;
    objects::each(|object| {
        let of_language = OF_LANGUAGES.iter().any(|library| object.name().starts_with(library));
        may_change |= !of_language && object.refers_to(CHANGING);
    });
    touch::LOCALE_MAY_CHANGE.store(may_change, Ordering::Relaxed);
}

/// A thread begins, with the tables of characters of the locale that there is now.
pub fn thread_begins(function: u64) {
    if touch::watching() && touch::LOCALE_MAY_CHANGE.load(Ordering::Relaxed) {
        touch::of_locale(function);
    }
}

/// Asks for the locale, or changes it; the name of a locale and the contents of its files are no state of the process.
fn set(c: &Call) -> Then {
    let kind = if c.a[1] == 0 { R } else { W };
    touch::hidden(LOCALE, &[(touch::locale(), kind), (c.a[1], R)], c.pc());
    touch::string(c.a[1], c.pc());
    touch::variable(touch::locale(), 8, kind, c.pc());
    Then::Pass
}

fn reads(c: &Call) -> Then {
    touch::of_locale(c.pc());
    Then::Pass
}

// ABI: locale.h, langinfo.h
pass! {
    setlocale => |c, _| set(c);
    newlocale => |c, _| with_strings(LOCALE, &[c.a[1]], c);
    duplocale => |c, _| { reads(c); with_strings(LOCALE, &[], c) };
    freelocale => |c, _| with_strings(LOCALE, &[], c);
    uselocale => |c, _| with_strings(LOCALE, &[], c);
    nl_langinfo => |c, _| reads(c);
}

// ABI: ctype.h and what its macros call, wctype.h, wchar.h: characters by the locale
pass! {
    __ctype_get_mb_cur_max => |c, _| reads(c);
    __ctype_b_loc => |c, _| reads(c);
    __ctype_tolower_loc => |c, _| reads(c);
    __ctype_toupper_loc => |c, _| reads(c);
    isalnum => |c, _| reads(c);
    isalpha => |c, _| reads(c);
    isblank => |c, _| reads(c);
    iscntrl => |c, _| reads(c);
    isgraph => |c, _| reads(c);
    islower => |c, _| reads(c);
    isprint => |c, _| reads(c);
    ispunct => |c, _| reads(c);
    isspace => |c, _| reads(c);
    isupper => |c, _| reads(c);
    isctype => |c, _| reads(c);
    tolower => |c, _| reads(c);
    toupper => |c, _| reads(c);
    iswalnum => |c, _| reads(c);
    iswalpha => |c, _| reads(c);
    iswblank => |c, _| reads(c);
    iswcntrl => |c, _| reads(c);
    iswdigit => |c, _| reads(c);
    iswgraph => |c, _| reads(c);
    iswlower => |c, _| reads(c);
    iswprint => |c, _| reads(c);
    iswpunct => |c, _| reads(c);
    iswspace => |c, _| reads(c);
    iswupper => |c, _| reads(c);
    iswxdigit => |c, _| reads(c);
    iswctype => |c, _| reads(c);
    towlower => |c, _| reads(c);
    towupper => |c, _| reads(c);
    towctrans => |c, _| reads(c);
    wctrans => |c, _| { reads(c); touch::string(c.a[0], c.pc()); Then::Pass };
    _tolower => |c, _| reads(c);
    _toupper => |c, _| reads(c);
    btowc => |c, _| reads(c);
    wctob => |c, _| reads(c);
    wcwidth => |c, _| reads(c);
}

// ABI: netdb.h. Messages in the locale's language.
pass! {
    gai_strerror => |c, _| reads(c);
    hstrerror => |c, _| reads(c);
}
