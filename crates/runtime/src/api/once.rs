//! `pthread_once`, what libc++ has in its place, and the guards of C++ static locals: the first caller runs the code, the others wait
//! until it is done.
//!
//! Code that leaves by an exception, or by the unwinding of `pthread_exit`, has not run: the next caller tries again.
//! For guards the compiler says so (`__cxa_guard_abort`); for `pthread_once` the frame that calls the function has a
//! personality routine of ours, which the unwinder asks as it passes.

use super::usable::{self, State};
use super::watched::{self, Watch};
use crate::abi::atomic;
use crate::interpose::caller;
use crate::record;
use crate::sched;
use crate::state::g;
use crate::unwinder;
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{Address, ONCE_DONE, OpKind};

/// Our use of a `pthread_once_t` or guard: 0 new, [`DONE`], else 1 + the running thread above the lowest byte, which is
/// what compiled code looks at before it calls us.
const DONE: u32 = ONCE_DONE;
const OWNER: u32 = 8;
/// As [`DONE`], in a flag of libc++: all bits of eight bytes, which compiled code looks for before it calls.
const COMPLETE: u32 = u32::MAX;

fn at(address: u64) -> &'static mut u32 {
    // SAFETY: the program's control word.
    unsafe { &mut *(address as *mut u32) }
}

fn is_done(address: u64) -> bool {
    matches!(*at(address), DONE | COMPLETE)
}

/// What its memory holds.
fn state(address: u64) -> State {
    match *at(address) {
        0 | DONE | COMPLETE => State::Ready,
        word if word & 0xff == 0 && (word >> OWNER) as usize <= MAX_THREADS => State::Ready,
        _ => State::Unset,
    }
}

/// A thread that calls again from inside would wait for itself.
pub fn free_for(address: u64, _thread: usize) -> bool {
    usable::fails(address, state) || *at(address) == 0 || is_done(address)
}

/// Who runs the function.
pub fn owner(address: u64) -> Option<usize> {
    ((*at(address) >> OWNER) as usize).checked_sub(1)
}

/// Waits while another runs the code. True: it is ours to run.
fn begin(control: u64, pc: u64) -> bool {
    let object = Address::object(control);
    sched::reach_detailed(OpKind::Once, object, pc, 0);
    usable::check("once object", OpKind::Once, control, state, pc);
    let done = is_done(control);
    record::op(OpKind::Once, object, if done { ONCE_DONE } else { 0 }, pc);
    if done {
        return false;
    }
    *at(control) = (g().current as u32 + 1) << OWNER;
    true
}

/// The code has run, or (state 0) was left.
fn finish(control: u64, state: u32, pc: u64) {
    let object = Address::object(control);
    sched::reach(OpKind::OnceDone, object, pc);
    *at(control) = state;
    record::op(OpKind::OnceDone, object, u32::from(state == 0), pc);
}

/// Runs `function` if nobody has.
pub fn run(control: u64, function: u64, pc: u64) {
    if unwinder::holds(pc) {
        if core::mem::replace(at(control), DONE) != DONE {
            // SAFETY: a function of the unwinder's, which takes and returns nothing and calls nobody.
            unsafe { core::mem::transmute::<u64, extern "C" fn()>(function)() };
        }
        return;
    }
    if begin(control, pc) {
        call(control, function, 0, pc);
        finish(control, DONE, pc);
    }
}

/// Calls the program's function, which takes a word or nothing.
fn call(control: u64, function: u64, argument: u64, pc: u64) {
    let running = Running { watch: Watch { left }, control, pc };
    // SAFETY: the program's function, with the program's argument.
    unsafe { watched::call(function, argument, 0, (&raw const running).cast()) };
}

/// What must be known if the function is left by an exception.
#[repr(C)]
struct Running {
    watch: Watch,
    control: u64,
    pc: u64,
}

unsafe fn left(watch: *const Watch) {
    // SAFETY: it stands first in what `run` made, whose frame lives.
    let running = unsafe { &*watch.cast::<Running>() };
    finish(running.control, 0, running.pc);
}

// ABI: pthread.h
interpose! {
    fn pthread_once also __pthread_once(control: u64, function: u64) -> i32 { run(control, function, caller()); 0 }
}

// ABI: libc++, `__call_once(volatile unsigned long& flag, void* argument, void (*function)(void*))`.
interpose! {
    fn _ZNSt3__111__call_onceERVmPvPFvS2_E(flag: u64, argument: u64, function: u64) {
        let pc = caller();
        if begin(flag, pc) {
            call(flag, function, argument, pc);
            finish(flag, COMPLETE, pc);
            *at(flag + 4) = COMPLETE;
            atomic::published(flag, pc);
        }
    }
}

// ABI: Itanium C++ ABI, 3.3.3: one-time construction. The guard has eight bytes; only the first has a meaning to others.
interpose! {
    fn __cxa_guard_acquire(guard: u64) -> i32 { i32::from(begin(guard, caller())) }
    fn __cxa_guard_release(guard: u64) {
        let pc = caller();
        finish(guard, DONE, pc);
        atomic::published(guard, pc); // the byte that compiled code reads without asking us
    }
    fn __cxa_guard_abort(guard: u64) { finish(guard, 0, caller()) }
}
