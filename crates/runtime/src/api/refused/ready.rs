//! `poll`, `select`, `epoll_wait` and `accept`: descriptors that are ready, or time.
//!
//! Without descriptors they only sleep. With some: what is ready now is the answer; else, if there is a timeout, other
//! threads may run in the meantime and what is ready then is the answer. To wait without end for something outside
//! cannot be modelled.

use super::point;
use crate::abi::access::{joined_range, range};
use crate::api::errno::{EINVAL, fail};
use crate::api::{Timespec, after_point, clock};
use crate::control::{needs_fork, unsupported};
use crate::interpose::caller;
use crate::{record, sys};
use gabion_trace::{AccessKind, Address, OpKind, Pseudo};

const SELECT: i64 = 23;
const CONNECT: i64 = 42;
const FCNTL: i64 = 72;
const ACCEPT: i64 = 288;
const EPOLL_WAIT: i64 = 232;
/// Words of an `fd_set`.
const SET: usize = 16;

/// How long, in nanoseconds. None: without end.
type Timeout = Option<u64>;

fn milliseconds(timeout: i32) -> Timeout {
    u64::try_from(timeout).ok().map(|t| t * 1_000_000)
}

/// Asks the kernel without waiting.
fn ask(number: i64, ask: &mut impl FnMut() -> i64, pc: u64) -> i64 {
    point(pc);
    record::op(OpKind::SystemCall, Address::pseudo(Pseudo::World), number as u32, pc);
    crate::hot::open_all(); // the kernel writes into the program's memory
    ask()
}

/// The common course of all of them. `now` asks the kernel without waiting.
fn wait(call: &str, number: i64, descriptors: bool, timeout: Timeout, mut now: impl FnMut() -> i64, pc: u64) -> i32 {
    let mut found = if descriptors { ask(number, &mut now, pc) } else { 0 };
    if found == 0 {
        match timeout {
            Some(0) => {}
            None => {
                point(pc);
                unsupported(call, pc)
            }
            Some(time) => {
                clock::sleep_for(time, pc);
                if descriptors {
                    found = ask(number, &mut now, pc);
                }
            }
        }
    }
    if sys::failed(found) { fail(-found as i32) } else { found as i32 }
}

fn poll_for(call: &str, fds: u64, count: u64, timeout: Timeout, pc: u64) -> i32 {
    let now = || {
        after_point(fds, count.saturating_mul(8), AccessKind::UPDATE, pc);
        // SAFETY: the program's array of that many descriptors; no waiting.
        unsafe { sys::call(sys::POLL, fds, count, 0) }
    };
    wait(call, sys::POLL, count > 0, timeout, now, pc)
}

/// `sets`: for reading, writing, errors; any may be null.
fn select_for(call: &str, count: i32, sets: [*mut u64; 3], timeout: Timeout, pc: u64) -> i32 {
    let any = count > 0 && sets.iter().any(|s| !s.is_null());
    let words = (count.max(0) as usize).div_ceil(64).min(SET);
    let mut asked = [[0u64; SET]; 3];
    for set in sets.iter().filter(|set| !set.is_null()) {
        range(*set as u64, words as u64 * 8, AccessKind::UPDATE, pc);
    }
    for (copy, set) in asked.iter_mut().zip(sets).filter(|(_, s)| !s.is_null()) {
        // SAFETY: a set of the program has at least as many words as its count needs.
        unsafe { core::ptr::copy_nonoverlapping(set, copy.as_mut_ptr(), words) };
    }
    let now = || {
        let zero = [0u64; 2];
        // SAFETY: as above; the kernel overwrites the sets, so what was asked for is put back first.
        unsafe {
            for (copy, set) in asked.iter().zip(sets).filter(|(_, s)| !s.is_null()) {
                core::ptr::copy_nonoverlapping(copy.as_ptr(), set, words);
            }
            let [r, w, e] = sets.map(|s| s as u64);
            sys::call6(SELECT, count as u64, r, w, e, zero.as_ptr() as u64, 0)
        }
    };
    wait(call, SELECT, any, timeout, now, pc)
}

/// A timeout given as a structure whose fraction counts in units of `unit` nanoseconds. Err: not a valid one.
fn given(timeout: *const Timespec, unit: i64, pc: u64) -> Result<Timeout, i32> {
    let size = if timeout.is_null() { 0 } else { size_of::<Timespec>() as u64 };
    range(timeout as u64, size, AccessKind::READ, pc);
    // SAFETY: the program's timeout, or none.
    match unsafe { timeout.as_ref() } {
        None => Ok(None),
        Some(t) if t.seconds >= 0 && (0..1_000_000_000 / unit).contains(&t.nanoseconds) => {
            Ok(Some(Timespec { seconds: t.seconds, nanoseconds: t.nanoseconds * unit }.total()))
        }
        Some(_) => Err(EINVAL),
    }
}

// ABI: poll.h, sys/select.h, sys/epoll.h. Signal masks do not matter: nothing arrives while they would hold.
interpose! {
    fn poll also __poll(fds: u64, count: u64, timeout: i32) -> i32 {
        poll_for("poll", fds, count, milliseconds(timeout), caller())
    }
    fn __poll_chk(fds: u64, count: u64, timeout: i32, _size: usize) -> i32 {
        poll_for("poll", fds, count, milliseconds(timeout), caller())
    }
    fn ppoll(fds: u64, count: u64, timeout: *const Timespec, _mask: *const u64) -> i32 {
        let pc = caller();
        match given(timeout, 1, pc) {
            Ok(timeout) => poll_for("ppoll", fds, count, timeout, pc),
            Err(error) => fail(error),
        }
    }
    fn select also __select(
        count: i32,
        read: *mut u64,
        write: *mut u64,
        error: *mut u64,
        timeout: *mut Timespec,
    ) -> i32 {
        let pc = caller();
        match given(timeout, 1000, pc) {
            Ok(time) => {
                let ready = select_for("select", count, [read, write, error], time, pc);
                if ready == 0 && !timeout.is_null() {
                    // Linux tells what is left.
                    joined_range(timeout as u64, size_of::<Timespec>() as u64, AccessKind::WRITE, pc);
                    // SAFETY: the program's timeout.
                    unsafe { *timeout = Timespec { seconds: 0, nanoseconds: 0 } };
                }
                ready
            }
            Err(error) => fail(error),
        }
    }
    fn pselect(
        count: i32, read: *mut u64, write: *mut u64, error: *mut u64, timeout: *const Timespec, _mask: *const u64,
    ) -> i32 {
        let pc = caller();
        match given(timeout, 1, pc) {
            Ok(timeout) => select_for("pselect", count, [read, write, error], timeout, pc),
            Err(error) => fail(error),
        }
    }
    fn epoll_wait(epoll: i32, events: u64, count: i32, timeout: i32) -> i32 {
        let pc = caller();
        epoll_for("epoll_wait", epoll, events, count, timeout, pc)
    }
    fn epoll_pwait(epoll: i32, events: u64, count: i32, timeout: i32, _mask: *const u64) -> i32 {
        epoll_for("epoll_pwait", epoll, events, count, timeout, caller())
    }
}

fn epoll_for(call: &str, epoll: i32, events: u64, count: i32, timeout: i32, pc: u64) -> i32 {
    needs_fork(); // an event may be given only once
    // SAFETY: the program's array of that many events; no waiting.
    let now = || unsafe { sys::call6(EPOLL_WAIT, epoll as u64, events, count as u64, 0, 0, 0) };
    wait(call, EPOLL_WAIT, true, milliseconds(timeout), now, pc)
}

fn accept_for(socket: i32, address: u64, length: u64, flags: i32, pc: u64) -> i32 {
    const GET_FLAGS: u64 = 3;
    const NON_BLOCKING: i64 = 0o4000;
    needs_fork(); // there is one connection less
    let mut waiting = || {
        let mut poll = u64::from(socket as u32) | 1 << 32; // struct pollfd: descriptor, POLLIN
        // SAFETY: one descriptor, no waiting.
        unsafe { sys::call(sys::POLL, &raw mut poll as u64, 1, 0) }
    };
    // SAFETY: the program's descriptor; an error has the bit too.
    let blocks = unsafe { sys::call(FCNTL, socket as u64, GET_FLAGS, 0) } & NON_BLOCKING == 0;
    if ask(ACCEPT, &mut waiting, pc) == 0 && blocks {
        unsupported("accept", pc);
    }
    // SAFETY: the program's own call, which does not wait.
    let found = unsafe { sys::call6(ACCEPT, socket as u64, address, length, flags as u64, 0, 0) };
    if sys::failed(found) { fail(-found as i32) } else { found as i32 }
}

// ABI: sys/socket.h. Somebody has connected, or there is nobody to wait for.
interpose! {
    fn connect(socket: i32, address: u64, length: u32) -> i32 {
        needs_fork();
        // SAFETY: the program's own call.
        let mut now = || unsafe { sys::call(CONNECT, socket as u64, address, length.into()) };
        let found = ask(CONNECT, &mut now, caller());
        if sys::failed(found) { fail(-found as i32) } else { found as i32 }
    }
    fn accept(socket: i32, address: u64, length: u64) -> i32 { accept_for(socket, address, length, 0, caller()) }
    fn accept4(socket: i32, address: u64, length: u64, flags: i32) -> i32 {
        accept_for(socket, address, length, flags, caller())
    }
}
