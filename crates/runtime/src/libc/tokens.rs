//! Cutting strings into tokens. `strtok` remembers where it is in one place for all threads.

use super::own::To;
use super::plain::Set;
use super::state;
use super::touch::{self, R, W};
use crate::interpose::caller;
use core::ptr::null_mut;
use gabion_trace::{Address, Pseudo};

type Bytes = *const u8;
type Place = *mut u8;

/// The next token from `from` on, and where to look for the one after it. The caller has passed its point.
unsafe fn next_token<const W: bool>(from: Place, members: Bytes, call: &To<W>) -> (Place, Place) {
    let (set, n) = Set::new(members);
    call.read(members, n + 1);
    // SAFETY: a string of the program, which it lets us cut.
    unsafe {
        let skipped = set.span(from, true);
        let token = from.add(skipped);
        if *token == 0 {
            call.read(from, skipped + 1);
            return (null_mut(), token);
        }
        let length = set.span(token, false);
        let end = token.add(length);
        call.read(from, skipped + length + 1);
        if *end == 0 {
            return (token, end);
        }
        call.write(end, 1);
        *end = 0;
        (token, end.add(1))
    }
}

/// Defines `strtok_r` under its two names.
macro_rules! reentrant {
    ($($name:ident)*) => {
        own! {$(
            fn $name(s: Place, members: Bytes, place: *mut Place) -> Place |call| {
                call.point([(s.cast_const(), R), (place.cast_const().cast(), W), (members, R)]);
                let from = if s.is_null() {
                    call.variable(place.cast(), 8, R);
                    *place
                } else {
                    s
                };
                let (token, rest) = next_token(from, members, &call);
                call.variable(place.cast(), 8, W);
                *place = rest;
                token
            }
        )*}
    };
}

// ABI: string.h
reentrant! { strtok_r __strtok_r }
own! {
    fn strsep(place: *mut Place, members: Bytes) -> Place |call| {
        call.point([(place.cast_const().cast(), R), (members, R)]);
        call.variable(place.cast(), 8, R);
        let from = *place;
        if from.is_null() {
            return from;
        }
        let (set, n) = Set::new(members);
        call.read(members, n + 1);
        let length = set.span(from, false);
        call.read(from, length + 1);
        call.variable(place.cast(), 8, W);
        if *from.add(length) == 0 {
            *place = null_mut();
        } else {
            call.write(from.add(length), 1);
            *from.add(length) = 0;
            *place = from.add(length + 1);
        }
        from
    }
}

// ABI: string.h
interpose! {
    fn strtok(s: Place, members: Bytes) -> Place {
        let pc = caller();
        touch::hidden(Address::pseudo(Pseudo::StaticBuffer), &[(s as u64, R), (members as u64, R)], pc);
        let from = if s.is_null() { state().token as Place } else { s };
        // SAFETY: strings of the program.
        let (token, rest) = unsafe {
            if touch::watching() {
                next_token(from, members, &To::<true>::at(pc))
            } else {
                next_token(from, members, &To::<false>::at(pc))
            }
        };
        state().token = rest as u64;
        token
    }
}
