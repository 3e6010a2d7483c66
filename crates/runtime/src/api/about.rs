//! What can be asked about threads, and set without effect: attributes, names, affinity, priorities.

use super::errno::{EINVAL, ERANGE};
use super::thread::{check_alive, named_by, object, used};
use super::{after_point, put_joined, usable};
use crate::abi::access::range;
use crate::interpose::caller;
use crate::libc::attributes::{INIT, SET_DETACHED, SET_GUARD, SET_STACK};
use crate::places::{STACK_DEFAULT, slot_end};
use crate::state::g;
use crate::{record, sched};
use gabion_trace::{AccessKind, Coverage, OpKind};

/// Bytes of a `pthread_attr_t`.
pub const ATTRIBUTE_SIZE: u64 = 56;

/// Name of a thread that nobody has given one: the program's.
fn program_name() -> [u8; 16] {
    unsafe extern "C" {
        // ABI: errno.h.
        static program_invocation_short_name: *const core::ffi::c_char;
    }
    let mut name = [0; 16];
    // SAFETY: a string of the C library's.
    let text = unsafe { core::ffi::CStr::from_ptr(program_invocation_short_name) }.to_bytes();
    let length = text.len().min(15);
    name[..length].copy_from_slice(&text[..length]);
    name
}

fn name_of(id: usize) -> [u8; 16] {
    match g().fibers[id].name {
        [0, ..] => program_name(),
        name => name,
    }
}

/// `prctl`, as far as it is about the running thread's name. None: the kernel's business.
pub fn own_name(option: i32, at: u64, pc: u64) -> Option<i32> {
    const SET_NAME: i32 = 15;
    const GET_NAME: i32 = 16;
    if option != SET_NAME && option != GET_NAME {
        return None;
    }
    let id = g().current;
    sched::reach(OpKind::Hidden, object(id), pc);
    record::op(OpKind::Hidden, object(id), 0, pc);
    if option == GET_NAME {
        put_joined(at as *mut [u8; 16], name_of(id), pc);
        return Some(0);
    }
    let (name, length) = name_at(at as *const u8);
    after_point(at, length as u64 + 1, AccessKind::READ, pc);
    g().fibers[id].name = name;
    g().fibers[id].name[15] = 0;
    Some(0)
}

/// The first sixteen bytes of a name, and its length, at most sixteen.
fn name_at(name: *const u8) -> ([u8; 16], usize) {
    let (mut copy, mut n) = ([0; 16], 0);
    // SAFETY: the program's string, read up to its end.
    while n < 16 && unsafe { *name.add(n) } != 0 {
        // SAFETY: as above.
        copy[n] = unsafe { *name.add(n) };
        n += 1;
    }
    (copy, n)
}

/// A thread's name or priority is asked for or changed.
fn named(call: &str, handle: u64, pc: u64) -> usize {
    let id = named_by(call, handle, pc);
    sched::reach(OpKind::Hidden, object(id), pc);
    record::op(OpKind::Hidden, object(id), 0, pc);
    check_alive(call, id, pc);
    id
}

/// Memory that a call about a thread fills in: after its point, if it has had one.
fn written(at: *mut u8, size: u64, id: usize, pc: u64) {
    match id == g().current {
        true => range(at as u64, size, AccessKind::WRITE, pc),
        false => after_point(at as u64, size, AccessKind::WRITE, pc),
    }
}

/// The running thread's number as the kernel would give it: main's is the process's.
pub fn thread_number() -> i32 {
    1_000_000 + g().current as i32
}

// ABI: pthread.h, sched.h, unistd.h
interpose! {
    fn pthread_getattr_np(handle: u64, attr: *mut u8) -> i32 {
        let pc = caller();
        let id = used("pthread_getattr_np", handle, pc);
        if !crate::control::started() {
            // Constructors run on the stack that the kernel gave.
            // SAFETY: the C library's own handle of this thread, and the program's attribute.
            return unsafe {
                real!(pthread_getattr_np: fn(u64, *mut u8) -> i32)(crate::tls::thread_pointer(), attr)
            };
        }
        let f = &g().fibers[id];
        let size = if f.stack_asked == 0 { STACK_DEFAULT } else { f.stack_asked };
        written(attr, ATTRIBUTE_SIZE, id, pc);
        let attr = attr as u64;
        INIT.call(attr, 0, 0);
        SET_STACK.call(attr, slot_end(id) - size, size);
        SET_GUARD.call(attr, 4096, 0);
        SET_DETACHED.call(attr, u64::from(f.detached), 0)
    }
    fn pthread_setname_np(handle: u64, name: *const u8) -> i32 {
        let pc = caller();
        let id = named("pthread_setname_np", handle, pc);
        let (copy, n) = name_at(name);
        after_point(name as u64, n as u64 + 1, AccessKind::READ, pc);
        if n == 16 {
            return ERANGE;
        }
        g().fibers[id].name = copy;
        0
    }
    fn pthread_getname_np(handle: u64, buffer: *mut u8, size: usize) -> i32 {
        let pc = caller();
        if size < 16 {
            used("pthread_getname_np", handle, pc);
            return ERANGE;
        }
        let id = named("pthread_getname_np", handle, pc);
        put_joined(buffer.cast(), name_of(id), pc);
        0
    }
    fn pthread_setaffinity_np(handle: u64, _size: usize, _set: *const u8) -> i32 {
        used("pthread_setaffinity_np", handle, caller());
        0
    }
    fn pthread_getaffinity_np(handle: u64, size: usize, set: *mut u8) -> i32 {
        let pc = caller();
        let id = used("pthread_getaffinity_np", handle, pc);
        if size == 0 {
            return EINVAL;
        }
        written(set, size as u64, id, pc);
        // SAFETY: the program's set, of that size: one processor.
        unsafe {
            core::ptr::write_bytes(set, 0, size);
            *set = 1;
        }
        0
    }
    fn pthread_setschedparam(handle: u64, policy: i32, parameters: *const i32) -> i32 {
        let pc = caller();
        let id = named("pthread_setschedparam", handle, pc);
        if parameters.is_null() {
            return EINVAL;
        }
        after_point(parameters as u64, 4, AccessKind::READ, pc);
        // SAFETY: the program's structure.
        g().fibers[id].scheduling = (policy, unsafe { parameters.read_unaligned() });
        0
    }
    fn pthread_setschedprio(handle: u64, priority: i32) -> i32 {
        let id = named("pthread_setschedprio", handle, caller());
        g().fibers[id].scheduling.1 = priority;
        0
    }
    fn pthread_getschedparam(handle: u64, policy: *mut i32, parameters: *mut i32) -> i32 {
        let pc = caller();
        let id = named("pthread_getschedparam", handle, pc);
        usable::check_present(policy as u64, pc);
        usable::check_present(parameters as u64, pc);
        put_joined(policy, g().fibers[id].scheduling.0, pc);
        put_joined(parameters, g().fibers[id].scheduling.1, pc);
        0
    }
    fn pthread_setconcurrency(_level: i32) -> i32 { 0 }
    fn pthread_getcpuclockid(handle: u64, clock: *mut i32) -> i32 {
        let pc = caller();
        let id = used("pthread_getcpuclockid", handle, pc);
        usable::check_present(clock as u64, pc);
        written(clock.cast(), 4, id, pc);
        // SAFETY: the program's variable.
        unsafe { clock.write_unaligned(super::CLOCK_MONOTONIC) }; // every thread's processor clock is its virtual clock
        0
    }
    fn prctl(option: i32, a: u64, b: u64, c: u64, d: u64) -> i32 {
        let pc = caller();
        own_name(option, a, pc).unwrap_or_else(|| {
            record::cover(Coverage::UNMODELLED);
            // SAFETY: the program's call.
            unsafe { real!(prctl: fn(i32, u64, u64, u64, u64) -> i32)(option, a, b, c, d) }
        })
    }
    fn sched_getcpu() -> i32 { 0 }
    fn gettid() -> i32 { thread_number() }
}
