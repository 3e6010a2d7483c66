//! What can be asked about threads, and set without effect: attributes, names, affinity, priorities.

use super::errno::{EINVAL, ERANGE};
use super::thread::{named_by, object};
use super::{after_point, put, put_joined};
use crate::abi::access::range;
use crate::interpose::caller;
use crate::places::{STACK_DEFAULT, slot_end};
use crate::state::g;
use crate::{record, sched};
use gabion_trace::{AccessKind, OpKind};

/// Bytes of a `pthread_attr_t`.
pub const ATTRIBUTE_SIZE: u64 = 56;

unsafe extern "C" {
    // ABI: pthread.h; plain writes of the attribute object.
    fn pthread_attr_init(attr: *mut u8) -> i32;
    fn pthread_attr_setstack(attr: *mut u8, address: u64, size: u64) -> i32;
    fn pthread_attr_setdetachstate(attr: *mut u8, state: i32) -> i32;
    fn pthread_attr_setguardsize(attr: *mut u8, size: u64) -> i32;
}

/// A thread's name is asked for or changed.
fn named(id: usize, pc: u64) {
    sched::reach(OpKind::Hidden, object(id), pc);
    record::op(OpKind::Hidden, object(id), 0, pc);
}

/// The running thread's number as the kernel would give it: main's is the process's.
pub fn thread_number() -> i32 {
    1_000_000 + g().current as i32
}

// ABI: pthread.h, sched.h, unistd.h
interpose! {
    fn pthread_getattr_np(handle: u64, attr: *mut u8) -> i32 {
        let pc = caller();
        let id = named_by("pthread_getattr_np", handle, pc);
        let f = &g().fibers[id];
        let size = if f.stack_asked == 0 { STACK_DEFAULT } else { f.stack_asked };
        range(attr as u64, ATTRIBUTE_SIZE, AccessKind::WRITE, pc);
        // SAFETY: the program's attribute object.
        unsafe {
            pthread_attr_init(attr);
            pthread_attr_setstack(attr, slot_end(id) - size, size);
            pthread_attr_setguardsize(attr, 4096);
            pthread_attr_setdetachstate(attr, i32::from(f.detached))
        }
    }
    fn pthread_setname_np(handle: u64, name: *const u8) -> i32 {
        let pc = caller();
        let id = named_by("pthread_setname_np", handle, pc);
        named(id, pc);
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
        let id = named_by("pthread_getname_np", handle, pc);
        if size < 16 {
            return ERANGE;
        }
        named(id, pc);
        put_joined(buffer.cast(), g().fibers[id].name, pc);
        0
    }
    fn pthread_setaffinity_np(handle: u64, _size: usize, _set: *const u8) -> i32 {
        named_by("pthread_setaffinity_np", handle, caller());
        0
    }
    fn pthread_getaffinity_np(handle: u64, size: usize, set: *mut u8) -> i32 {
        let pc = caller();
        named_by("pthread_getaffinity_np", handle, pc);
        if size == 0 {
            return EINVAL;
        }
        range(set as u64, size as u64, AccessKind::WRITE, pc);
        // SAFETY: the program's set, of that size: one processor.
        unsafe {
            core::ptr::write_bytes(set, 0, size);
            *set = 1;
        }
        0
    }
    fn pthread_setschedparam(handle: u64, _policy: i32, _parameters: *const u8) -> i32 {
        named_by("pthread_setschedparam", handle, caller());
        0
    }
    fn pthread_setschedprio(handle: u64, _priority: i32) -> i32 {
        named_by("pthread_setschedprio", handle, caller());
        0
    }
    fn pthread_getschedparam(handle: u64, policy: *mut i32, parameters: *mut i32) -> i32 {
        let pc = caller();
        named_by("pthread_getschedparam", handle, pc);
        put(policy, 0, pc); // the ordinary policy, priority 0
        put_joined(parameters, 0, pc);
        0
    }
    fn pthread_setconcurrency(_level: i32) -> i32 { 0 }
    fn pthread_getcpuclockid(handle: u64, clock: *mut i32) -> i32 {
        let pc = caller();
        named_by("pthread_getcpuclockid", handle, pc);
        put(clock, super::CLOCK_MONOTONIC, pc); // every thread's processor clock is its virtual clock
        0
    }
    fn sched_getcpu() -> i32 { 0 }
    fn gettid() -> i32 { thread_number() }
}
