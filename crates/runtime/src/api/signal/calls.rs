//! The calls: dispositions, masks, sending.

use super::send::{self, kill_number, process_number, thread_kill};
use super::{
    DEFAULT, Handler, SA_NODEFER, SA_RESETHAND, SI_QUEUE, SI_TKILL, SI_USER, SOVEREIGN, SS_DISABLE, Stack,
    alternate_stack, bit, change_mask, dispose, install, set_alternate_stack, valid,
};
use crate::abi::access::{joined_range, range};
use crate::api::errno::{EINVAL, ENOMEM, fail};
use crate::api::thread::used;
use crate::fault;
use crate::interpose::caller;
use crate::standard;
use crate::state::me;
use gabion_trace::AccessKind;

const SA_RESTART: i32 = 0x1000_0000;
/// Least size of an alternate stack.
const STACK_MIN: u64 = 2048;
const SS_AUTODISARM: i32 = 1 << 31;

/// `struct sigaction`.
#[repr(C)]
struct Action {
    function: u64,
    mask: [u64; 16],
    flags: i32,
    restorer: u64,
}

// ABI: signal.h
interpose! {
    fn sigaction also __sigaction(signal: i32, new: *const Action, old: *mut Action) -> i32 {
        let pc = caller();
        if !valid(signal) || (!new.is_null() && bit(signal) & SOVEREIGN != 0) {
            return fail(EINVAL);
        }
        range(new as u64, if new.is_null() { 0 } else { size_of::<Action>() as u64 }, AccessKind::READ, pc);
        // SAFETY: the program's structure, or none.
        let wanted = unsafe { new.as_ref() }.map(|a| Handler { function: a.function, flags: a.flags, mask: a.mask[0] });
        let mut before = dispose(signal, wanted, pc);
        if new.is_null() && before.function == DEFAULT && fault::takes(signal) && standard::is_library(pc) {
            // Rust's standard library asks before the program begins, to tell overflowing stacks from other faults. So do we, and
            // it keeps no list of threads if somebody else has a handler.
            before.function = fault::entry();
        }
        if !old.is_null() {
            joined_range(old as u64, size_of::<Action>() as u64, AccessKind::WRITE, pc);
            let mut mask = [0; 16];
            mask[0] = before.mask;
            // SAFETY: the program's variable.
            unsafe { *old = Action { function: before.function, mask, flags: before.flags, restorer: 0 } };
        }
        0
    }
    fn signal(signal: i32, function: u64) -> u64 { install(signal, function, SA_RESTART, caller()) }
    fn bsd_signal(signal: i32, function: u64) -> u64 { install(signal, function, SA_RESTART, caller()) }
    fn ssignal(signal: i32, function: u64) -> u64 { install(signal, function, SA_RESTART, caller()) }
    fn sysv_signal(signal: i32, function: u64) -> u64 {
        install(signal, function, SA_RESETHAND | SA_NODEFER, caller())
    }
    fn __sysv_signal(signal: i32, function: u64) -> u64 {
        install(signal, function, SA_RESETHAND | SA_NODEFER, caller())
    }
    fn sigprocmask(how: i32, set: *const u64, old: *mut u64) -> i32 {
        match change_mask(how, set, old, caller()) {
            0 => 0,
            error => fail(error),
        }
    }
    fn pthread_sigmask(how: i32, set: *const u64, old: *mut u64) -> i32 { change_mask(how, set, old, caller()) }
    // Rust's standard library is told that there is one already, so that it maps none of its own for every thread.
    fn sigaltstack(new: *const Stack, old: *mut Stack) -> i32 {
        let pc = caller();
        let size = size_of::<Stack>() as u64;
        range(new as u64, if new.is_null() { 0 } else { size }, AccessKind::READ, pc);
        joined_range(old as u64, if old.is_null() { 0 } else { size }, AccessKind::WRITE, pc);
        let before = if standard::is_library(pc) {
            Stack { address: me().stack_low, flags: 0, size: 64 << 10 }
        } else {
            alternate_stack()
        };
        // SAFETY: the program's structures, or none.
        unsafe {
            if let Some(new) = new.as_ref() {
                let disable = new.flags & SS_DISABLE != 0;
                if new.flags & !(SS_DISABLE | SS_AUTODISARM | 1) != 0 {
                    return fail(EINVAL);
                }
                if !disable && new.size < STACK_MIN {
                    return fail(ENOMEM);
                }
                if !standard::is_library(pc) {
                    set_alternate_stack(if disable { Stack::NONE } else { *new });
                }
            }
            if let Some(old) = old.as_mut() {
                *old = before;
            }
        }
        0
    }
}

// ABI: signal.h, unistd.h
interpose! {
    fn raise(signal: i32) -> i32 { send::raise(signal, caller()) }
    fn gsignal(signal: i32) -> i32 { send::raise(signal, caller()) }
    fn kill(process: i32, signal: i32) -> i32 { send::kill("kill", process, signal, SI_USER, 0, caller()) }
    fn killpg(group: i32, signal: i32) -> i32 { send::kill("killpg", group, signal, SI_USER, 0, caller()) }
    fn sigqueue(process: i32, signal: i32, value: u64) -> i32 {
        send::kill("sigqueue", process, signal, SI_QUEUE, value, caller())
    }
    fn pthread_kill(handle: u64, signal: i32) -> i32 {
        let pc = caller();
        thread_kill("pthread_kill", Some(used("pthread_kill", handle, pc)), signal, SI_TKILL, 0, pc)
    }
    fn pthread_sigqueue(handle: u64, signal: i32, value: u64) -> i32 {
        let pc = caller();
        thread_kill("pthread_sigqueue", Some(used("pthread_sigqueue", handle, pc)), signal, SI_QUEUE, value, pc)
    }
    fn tgkill(_process: i32, thread: i32, signal: i32) -> i32 { kill_number(thread, signal, caller()) }
    fn getpid() -> i32 { process_number() }
}
