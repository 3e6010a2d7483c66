//! Functions on wide characters: few, as they are rare.

use super::plain::{self, copy};
use super::touch::{R, W};

type Wide = *const u32;
type Place = *mut u32;

/// Bytes of so many wide characters.
fn bytes(n: usize) -> usize {
    n.wrapping_mul(4)
}

// ABI: wchar.h. A wide character is a signed word of 32 bits.
own! {
    fn wmemcpy(to: Place, from: Wide, n: usize) -> Place |call| {
        call.all([(from.cast(), bytes(n), R), (to.cast_const().cast(), bytes(n), W)]);
        copy(to.cast(), from.cast(), bytes(n)).cast()
    }
    fn wmemmove(to: Place, from: Wide, n: usize) -> Place |call| {
        call.all([(from.cast(), bytes(n), R), (to.cast_const().cast(), bytes(n), W)]);
        copy(to.cast(), from.cast(), bytes(n)).cast()
    }
    fn wmempcpy(to: Place, from: Wide, n: usize) -> Place |call| {
        call.all([(from.cast(), bytes(n), R), (to.cast_const().cast(), bytes(n), W)]);
        copy(to.cast(), from.cast(), bytes(n)).add(bytes(n)).cast()
    }
    fn wmemset(to: Place, value: u32, n: usize) -> Place |call| {
        call.all([(to.cast_const().cast(), bytes(n), W)]);
        for i in 0..n {
            *to.add(i) = value;
        }
        to
    }
    fn wmemcmp(a: Wide, b: Wide, n: usize) -> i32 |call| {
        call.all([(a.cast(), bytes(n), R), (b.cast(), bytes(n), R)]);
        order((0..n).map(|i| (*a.add(i), *b.add(i))).find(|(x, y)| x != y))
    }
    fn wmemchr(s: Wide, value: u32, n: usize) -> Wide |call| {
        if n == 0 {
            return core::ptr::null();
        }
        call.point([(s.cast(), R)]);
        let found = (0..n).find(|i| *s.add(*i) == value);
        call.read(s.cast(), bytes(found.map_or(n, |i| i + 1)));
        found.map_or(core::ptr::null(), |i| s.add(i))
    }
    fn wcsnlen(s: Wide, limit: usize) -> usize |call| {
        if limit == 0 {
            return 0;
        }
        call.point([(s.cast(), R)]);
        let n = (0..limit).find(|i| *s.add(*i) == 0).unwrap_or(limit);
        call.read(s.cast(), bytes((n + 1).min(limit)));
        n
    }
    fn wcscpy(to: Place, from: Wide) -> Place |call| {
        call.point([(from.cast(), R), (to.cast_const().cast(), W)]);
        let n = bytes(plain::wide_length(from) + 1);
        call.read(from.cast(), n);
        call.write(to.cast(), n);
        copy(to.cast(), from.cast(), n).cast()
    }
    fn wcscat(to: Place, from: Wide) -> Place |call| {
        call.point([(from.cast(), R), (to.cast_const().cast(), W)]);
        let (end, n) = (plain::wide_length(to), bytes(plain::wide_length(from) + 1));
        call.read(to.cast(), bytes(end + 1));
        call.read(from.cast(), n);
        call.write(to.add(end).cast(), n);
        copy(to.add(end).cast(), from.cast(), n);
        to
    }
    fn wcscmp(a: Wide, b: Wide) -> i32 |call| {
        call.point([(a.cast(), R), (b.cast(), R)]);
        let mut i = 0;
        while *a.add(i) == *b.add(i) && *a.add(i) != 0 {
            i += 1;
        }
        call.read(a.cast(), bytes(i + 1));
        call.read(b.cast(), bytes(i + 1));
        order(Some((*a.add(i), *b.add(i))))
    }
    fn wcschr(s: Wide, value: u32) -> Wide |call| {
        call.point([(s.cast(), R)]);
        let mut i = 0;
        while *s.add(i) != value && *s.add(i) != 0 {
            i += 1;
        }
        call.read(s.cast(), bytes(i + 1));
        if *s.add(i) == value { s.add(i) } else { core::ptr::null() }
    }
}

/// Sign of a comparison, at the first pair that differs.
fn order(pair: Option<(u32, u32)>) -> i32 {
    pair.map_or(0, |(x, y)| (x as i32).cmp(&(y as i32)) as i32)
}
