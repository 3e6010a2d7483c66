//! Memory that the program gave to a stream as its buffer (`setvbuf`). Every call on the stream may read and write all of it until
//! the stream is closed (C17 7.21.5.6). Streams on memory (`fmemopen`, `open_memstream`) are deliberately missed: calls that nobody models.
//!
//! The bytes count as the stream's own: calls on one stream exclude and order each other, anything else that touches the bytes
//! meanwhile is a race with them.

use crate::abi::{access, own, wide};
use crate::control;
use crate::quiet;
use crate::record;
use gabion_trace::{Access, AccessKind, Address};

/// Ranges that there can be at a time.
const MOST: usize = 64;

#[derive(Clone, Copy)]
struct Range {
    stream: u64,
    at: u64,
    size: u64,
}

#[derive(Clone, Copy)]
struct Given {
    each: [Range; MOST],
    used: usize,
    /// Changed since it was put back.
    changed: bool,
}

const NONE: Given = Given { each: [Range { stream: 0, at: 0, size: 0 }; MOST], used: 0, changed: false };
static mut GIVEN: Given = NONE;
static mut KEPT: Given = NONE;

fn given() -> &'static mut Given {
    // SAFETY: one kernel thread.
    unsafe { &mut GIVEN }
}

/// At the checkpoint: what every later run starts with.
pub fn keep() {
    given().changed = false;
    // SAFETY: one kernel thread.
    unsafe { KEPT = GIVEN };
}

/// Before every later run.
pub fn restore() {
    if given().changed {
        // SAFETY: one kernel thread.
        unsafe { GIVEN = KEPT };
    }
}

/// A stream gets some memory of the program's.
pub fn give(stream: u64, at: u64, size: u64, pc: u64) {
    if stream == 0 || at == 0 || size == 0 {
        return;
    }
    let given = given();
    if given.used == MOST {
        control::unsupported("memory for more than 64 streams (setvbuf)", pc);
    }
    given.each[given.used] = Range { stream, at, size };
    given.used += 1;
    given.changed = true;
}

/// A stream uses no memory of the program's from here on.
pub fn take_back(stream: u64) {
    let given = given();
    while let Some(i) = given.each[..given.used].iter().position(|range| range.stream == stream) {
        given.used -= 1;
        given.each[i] = given.each[given.used];
        given.changed = true;
    }
}

/// A call on a stream, while somebody watches.
#[inline(always)]
pub fn touch(stream: u64, pc: u64) {
    if given().used > 0 {
        touch_each(stream, pc);
    }
}

#[cold]
fn touch_each(stream: u64, pc: u64) {
    const KIND: AccessKind =
        AccessKind::UPDATE.with(AccessKind::OF_OBJECT).with(AccessKind::ACQUIRE).with(AccessKind::RELEASE);
    let given = given();
    for range in given.each[..given.used].iter().filter(|range| range.stream == stream) {
        access::learn_shared(range.at);
        if !own::holds(range.at) && quiet::object(range.at, range.size, KIND) {
            let size = range.size.min(u64::from(u32::MAX)) as u32;
            let access = Access { address: Address::memory(range.at), size, kind: KIND, pc };
            wide::check(&access, false);
            record::object_bytes(&access);
        }
    }
}
