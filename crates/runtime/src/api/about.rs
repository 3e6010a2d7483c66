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
use gabion_trace::{AccessKind, OpKind};

/// Bytes of a `pthread_attr_t`.
pub const ATTRIBUTE_SIZE: u64 = 56;

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
        let mut copy = [0; 16];
        let mut n = 0;
        // SAFETY: the program's string, read up to its end.
        while n < 16 && unsafe { *name.add(n) } != 0 {
            // SAFETY: as above.
            copy[n] = unsafe { *name.add(n) };
            n += 1;
        }
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
        put_joined(buffer.cast(), g().fibers[id].name, pc);
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
    fn sched_getcpu() -> i32 { 0 }
    fn gettid() -> i32 { thread_number() }
}
