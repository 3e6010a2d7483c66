//! Functions on memory of a given length. A comparison counts as reading all of both, as the standard allows it to.

use super::plain::{self, copy, fill};
use super::touch::{R, W};

type Bytes = *const u8;
type Place = *mut u8;

// ABI: string.h, strings.h, wchar.h: the names that the compiler refers to.
own_unnamed! {
    memcpy = "gabion_memcpy", "__wrap_memcpy": fn(to: Place, from: Bytes, n: usize) -> Place |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n)
    }
    memmove = "gabion_memmove", "__wrap_memmove": fn(to: Place, from: Bytes, n: usize) -> Place |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n)
    }
    memset = "gabion_memset", "__wrap_memset": fn(to: Place, value: i32, n: usize) -> Place |call| {
        call.all([(to, n, W)]);
        fill(to, value, n)
    }
    memcmp = "gabion_memcmp", "__wrap_memcmp": fn(a: Bytes, b: Bytes, n: usize) -> i32 |call| {
        call.all([(a, n, R), (b, n, R)]);
        plain::compare(a, b, n)
    }
    bcmp = "gabion_bcmp", "__wrap_bcmp": fn(a: Bytes, b: Bytes, n: usize) -> i32 |call| {
        call.all([(a, n, R), (b, n, R)]);
        plain::compare(a, b, n)
    }
    strlen = "gabion_strlen", "__wrap_strlen": fn(s: Bytes) -> usize |call| {
        call.point([(s, R)]);
        let n = plain::length(s);
        call.read(s, n + 1);
        n
    }
    wcslen = "gabion_wcslen", "__wrap_wcslen": fn(s: *const u32) -> usize |call| {
        call.point([(s.cast(), R)]);
        let n = plain::wide_length(s);
        call.read(s.cast(), (n + 1) * 4);
        n
    }
}

// ABI: string.h, strings.h
own! {
    fn mempcpy(to: Place, from: Bytes, n: usize) -> Place |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n).add(n)
    }
    fn __mempcpy(to: Place, from: Bytes, n: usize) -> Place |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n).add(n)
    }
    fn bcopy(from: Bytes, to: Place, n: usize) |call| {
        call.all([(from, n, R), (to, n, W)]);
        copy(to, from, n);
    }
    fn bzero(to: Place, n: usize) |call| {
        call.all([(to, n, W)]);
        fill(to, 0, n);
    }
    fn __bzero(to: Place, n: usize) |call| {
        call.all([(to, n, W)]);
        fill(to, 0, n);
    }
    fn explicit_bzero(to: Place, n: usize) |call| {
        call.all([(to, n, W)]);
        fill(to, 0, n);
    }
    fn memccpy(to: Place, from: Bytes, byte: i32, n: usize) -> Place |call| {
        if n == 0 {
            return core::ptr::null_mut();
        }
        call.point([(from, R), (to, W)]);
        let found = plain::find(from, byte as u8, n);
        let n = found.map_or(n, |i| i + 1);
        call.read(from, n);
        call.write(to, n);
        copy(to, from, n);
        if found.is_some() { to.add(n) } else { core::ptr::null_mut() }
    }
    fn memchr(at: Bytes, byte: i32, n: usize) -> Bytes |call| {
        if n == 0 {
            return core::ptr::null();
        }
        call.point([(at, R)]);
        let found = plain::find(at, byte as u8, n);
        call.read(at, found.map_or(n, |i| i + 1));
        found.map_or(core::ptr::null(), |i| at.add(i))
    }
    fn rawmemchr(at: Bytes, byte: i32) -> Bytes |call| {
        call.point([(at, R)]);
        let found = plain::find(at, byte as u8, usize::MAX).unwrap_or(0);
        call.read(at, found + 1);
        at.add(found)
    }
    fn __rawmemchr(at: Bytes, byte: i32) -> Bytes |call| {
        call.point([(at, R)]);
        let found = plain::find(at, byte as u8, usize::MAX).unwrap_or(0);
        call.read(at, found + 1);
        at.add(found)
    }
    fn memrchr(at: Bytes, byte: i32, n: usize) -> Bytes |call| {
        if n == 0 {
            return core::ptr::null();
        }
        call.point([(at, R)]);
        let found = (0..n).rev().find(|i| *at.add(*i) == byte as u8);
        let from = found.unwrap_or(0);
        call.read(at.add(from), n - from);
        found.map_or(core::ptr::null(), |i| at.add(i))
    }
    fn memmem(hay: Bytes, hay_length: usize, needle: Bytes, length: usize) -> Bytes |call| {
        if length == 0 {
            return hay;
        }
        if length > hay_length {
            return core::ptr::null();
        }
        call.all([(hay, hay_length, R), (needle, length, R)]);
        match plain::find_string(hay, hay_length, needle, length) {
            Some(i) => hay.add(i),
            None => core::ptr::null(),
        }
    }
    fn swab(from: Bytes, to: Place, n: isize) |call| {
        let n = n.max(0) as usize & !1;
        call.all([(from, n, R), (to, n, W)]);
        for i in (0..n).step_by(2) {
            let pair = [*from.add(i), *from.add(i + 1)];
            *to.add(i) = pair[1];
            *to.add(i + 1) = pair[0];
        }
    }
}
