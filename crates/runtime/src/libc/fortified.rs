//! The variants that check the size of their target first (`_FORTIFY_SOURCE`). Where it is too small the C library's own
//! says so and ends the program.

use super::plain::{self, copy, fill};
use super::touch::{R, W};

type Bytes = *const u8;
type Place = *mut u8;

/// Defines the checked variant of a function that moves `$n` bytes.
macro_rules! checked {
    ($($name:ident($($a:ident : $t:ty),*) $n:ident |$call:ident| $body:block)*) => {
        own! {$(
            fn $name($($a: $t,)* room: usize) -> Place |$call| {
                if $n > room {
                    return real!($name: fn($($t,)* usize) -> Place)($($a,)* room);
                }
                $body
            }
        )*}
    };
}

// ABI: bits/string_fortified.h
checked! {
    __memcpy_chk(to: Place, from: Bytes, n: usize) n |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n)
    }
    __memmove_chk(to: Place, from: Bytes, n: usize) n |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n)
    }
    __mempcpy_chk(to: Place, from: Bytes, n: usize) n |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n).add(n)
    }
    __memset_chk(to: Place, value: i32, n: usize) n |call| {
        call.all([(to, n, W)]);
        fill(to, value, n)
    }
    __strncpy_chk(to: Place, from: Bytes, n: usize) n |call| {
        if n == 0 {
            return to;
        }
        call.point([(from, R), (to, W)]);
        let length = plain::length_within(from, n);
        call.read(from, (length + 1).min(n));
        call.write(to, n);
        copy(to, from, length);
        fill(to.add(length), 0, n - length);
        to
    }
    __stpncpy_chk(to: Place, from: Bytes, n: usize) n |call| {
        if n == 0 {
            return to;
        }
        call.point([(from, R), (to, W)]);
        let length = plain::length_within(from, n);
        call.read(from, (length + 1).min(n));
        call.write(to, n);
        copy(to, from, length);
        fill(to.add(length), 0, n - length)
    }
}

// ABI: bits/string_fortified.h
own! {
    fn __explicit_bzero_chk(to: Place, n: usize, room: usize) |call| {
        if n > room {
            return real!(__explicit_bzero_chk: fn(Place, usize, usize))(to, n, room);
        }
        call.all([(to, n, W)]);
        fill(to, 0, n);
    }
    fn __strcpy_chk(to: Place, from: Bytes, room: usize) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let n = plain::length(from) + 1;
        if n > room {
            return real!(__strcpy_chk: fn(Place, Bytes, usize) -> Place)(to, from, room);
        }
        call.read(from, n);
        call.write(to, n);
        copy(to, from, n)
    }
    fn __stpcpy_chk(to: Place, from: Bytes, room: usize) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let n = plain::length(from) + 1;
        if n > room {
            return real!(__stpcpy_chk: fn(Place, Bytes, usize) -> Place)(to, from, room);
        }
        call.read(from, n);
        call.write(to, n);
        copy(to, from, n).add(n - 1)
    }
    fn __strcat_chk(to: Place, from: Bytes, room: usize) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let (end, n) = (plain::length(to), plain::length(from) + 1);
        if end + n > room {
            return real!(__strcat_chk: fn(Place, Bytes, usize) -> Place)(to, from, room);
        }
        call.read(to, end + 1);
        call.read(from, n);
        call.write(to.add(end), n);
        copy(to.add(end), from, n);
        to
    }
    fn __strncat_chk(to: Place, from: Bytes, limit: usize, room: usize) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let (end, n) = (plain::length(to), plain::length_within(from, limit));
        if end + n + 1 > room {
            return real!(__strncat_chk: fn(Place, Bytes, usize, usize) -> Place)(to, from, limit, room);
        }
        call.read(to, end + 1);
        call.read(from, (n + 1).min(limit));
        call.write(to.add(end), n + 1);
        copy(to.add(end), from, n);
        *to.add(end + n) = 0;
        to
    }
}
