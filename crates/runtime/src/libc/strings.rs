//! Functions on zero-terminated strings. What is read ends with the byte that decides the result.

use super::plain::{self, Set, copy, fill};
use super::touch::{R, W};
use crate::control::controlled;
use crate::heap;
use core::ptr::null;

type Bytes = *const u8;
type Place = *mut u8;

/// Bytes up to and with the first that differs, the end, or the limit; and that difference.
#[inline]
unsafe fn difference(a: Bytes, b: Bytes, limit: usize) -> (usize, i32) {
    for i in 0..limit {
        // SAFETY: both go at least so far.
        let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
        if x != y || x == 0 {
            return (i + 1, i32::from(x) - i32::from(y));
        }
    }
    (limit, 0)
}

/// A new block on the heap of the program.
fn allocate(size: usize, pc: u64) -> Place {
    unsafe extern "C-unwind" {
        // ABI: stdlib.h
        fn malloc(size: usize) -> *mut u8;
    }
    if !controlled() {
        // SAFETY: asks for a block.
        return unsafe { malloc(size) };
    }
    let at = heap::allocate(size as u64, 16, pc);
    if at == 0 {
        crate::api::errno::fail(crate::api::errno::ENOMEM);
    }
    at as Place
}

// ABI: string.h
own! {
    fn strnlen(s: Bytes, limit: usize) -> usize |call| {
        if limit == 0 {
            return 0;
        }
        call.point([(s, R)]);
        let n = plain::length_within(s, limit);
        call.read(s, (n + 1).min(limit));
        n
    }
    fn strcpy(to: Place, from: Bytes) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let n = plain::length(from) + 1;
        call.read(from, n);
        call.write(to, n);
        copy(to, from, n)
    }
    fn strncpy(to: Place, from: Bytes, n: usize) -> Place |call| {
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
    fn strcat(to: Place, from: Bytes) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let (end, n) = (plain::length(to), plain::length(from) + 1);
        call.read(to, end + 1);
        call.read(from, n);
        call.write(to.add(end), n);
        copy(to.add(end), from, n);
        to
    }
    fn strncat(to: Place, from: Bytes, limit: usize) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let (end, n) = (plain::length(to), plain::length_within(from, limit));
        call.read(to, end + 1);
        call.read(from, (n + 1).min(limit));
        call.write(to.add(end), n + 1);
        copy(to.add(end), from, n);
        *to.add(end + n) = 0;
        to
    }
    fn strlcpy(to: Place, from: Bytes, size: usize) -> usize |call| {
        call.point([(from, R), (to, W)]);
        let n = plain::length(from);
        call.read(from, n + 1);
        if size > 0 {
            let kept = n.min(size - 1);
            call.write(to, kept + 1);
            copy(to, from, kept);
            *to.add(kept) = 0;
        }
        n
    }
    fn strlcat(to: Place, from: Bytes, size: usize) -> usize |call| {
        call.point([(from, R), (to, W)]);
        let (end, n) = (plain::length_within(to, size), plain::length(from));
        call.read(to, (end + 1).min(size));
        call.read(from, n + 1);
        if end < size {
            let kept = n.min(size - end - 1);
            call.write(to.add(end), kept + 1);
            copy(to.add(end), from, kept);
            *to.add(end + kept) = 0;
        }
        end + n
    }
    fn strcmp(a: Bytes, b: Bytes) -> i32 |call| {
        call.point([(a, R), (b, R)]);
        let (n, result) = difference(a, b, usize::MAX);
        call.read(a, n);
        call.read(b, n);
        result
    }
    fn strncmp(a: Bytes, b: Bytes, limit: usize) -> i32 |call| {
        if limit == 0 {
            return 0;
        }
        call.point([(a, R), (b, R)]);
        let (n, result) = difference(a, b, limit);
        call.read(a, n);
        call.read(b, n);
        result
    }
    fn strchrnul(s: Bytes, byte: i32) -> Bytes |call| {
        call.point([(s, R)]);
        let mut i = 0;
        while *s.add(i) != byte as u8 && *s.add(i) != 0 {
            i += 1;
        }
        call.read(s, i + 1);
        s.add(i)
    }
    fn strstr(hay: Bytes, needle: Bytes) -> Bytes |call| {
        call.point([(hay, R), (needle, R)]);
        let (total, n) = (plain::length(hay), plain::length(needle));
        call.read(needle, n + 1);
        if n == 0 {
            return hay;
        }
        let found = plain::find_string(hay, total, needle, n);
        call.read(hay, found.map_or(total + 1, |i| i + n));
        found.map_or(null(), |i| hay.add(i))
    }
    fn strspn(s: Bytes, members: Bytes) -> usize |call| {
        call.point([(s, R), (members, R)]);
        let (set, n) = Set::new(members);
        let span = set.span(s, true);
        call.read(s, span + 1);
        call.read(members, n + 1);
        span
    }
    fn strcspn(s: Bytes, members: Bytes) -> usize |call| {
        call.point([(s, R), (members, R)]);
        let (set, n) = Set::new(members);
        let span = set.span(s, false);
        call.read(s, span + 1);
        call.read(members, n + 1);
        span
    }
    fn strpbrk(s: Bytes, members: Bytes) -> Bytes |call| {
        call.point([(s, R), (members, R)]);
        let (set, n) = Set::new(members);
        let span = set.span(s, false);
        call.read(s, span + 1);
        call.read(members, n + 1);
        if *s.add(span) == 0 { null() } else { s.add(span) }
    }
}

/// Defines a function under two names: the public one and the one that old headers expand to.
macro_rules! twice {
    ($($first:ident $second:ident ($($a:ident : $t:ty),*) -> $r:ty |$to:ident| $body:block)*) => {$(
        own! {
            fn $first($($a: $t),*) -> $r |$to| $body
            fn $second($($a: $t),*) -> $r |$to| $body
        }
    )*};
}

// ABI: string.h, strings.h
twice! {
    strrchr rindex(s: Bytes, byte: i32) -> Bytes |call| {
        call.point([(s, R)]);
        let n = plain::length(s);
        call.read(s, n + 1);
        (0..=n).rev().find(|i| *s.add(*i) == byte as u8).map_or(null(), |i| s.add(i))
    }
    strchr index(s: Bytes, byte: i32) -> Bytes |call| {
        call.point([(s, R)]);
        let mut i = 0;
        while *s.add(i) != byte as u8 && *s.add(i) != 0 {
            i += 1;
        }
        call.read(s, i + 1);
        if *s.add(i) == byte as u8 { s.add(i) } else { null() }
    }
    stpcpy __stpcpy(to: Place, from: Bytes) -> Place |call| {
        call.point([(from, R), (to, W)]);
        let n = plain::length(from) + 1;
        call.read(from, n);
        call.write(to, n);
        copy(to, from, n).add(n - 1)
    }
    stpncpy __stpncpy(to: Place, from: Bytes, n: usize) -> Place |call| {
        if n == 0 {
            return to;
        }
        call.point([(from, R), (to, W)]);
        let length = plain::length_within(from, n);
        call.read(from, (length + 1).min(n));
        call.write(to, n);
        copy(to, from, length);
        fill(to.add(length), 0, n - length).cast()
    }
    strdup __strdup(s: Bytes) -> Place |call| {
        call.point([(s, R)]);
        let n = plain::length(s) + 1;
        call.read(s, n);
        let new = allocate(n, call.pc());
        if new.is_null() { new } else { copy(new, s, n) }
    }
    strndup __strndup(s: Bytes, limit: usize) -> Place |call| {
        call.point([(s, R)]);
        let n = plain::length_within(s, limit);
        call.read(s, (n + 1).min(limit));
        let new = allocate(n + 1, call.pc());
        if !new.is_null() {
            copy(new, s, n);
            *new.add(n) = 0;
        }
        new
    }
}
