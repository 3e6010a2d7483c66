//! `thread::scope`: its end waits for each of its threads, as joins would.
//!
//! The library counts its running threads in one word. Threads that leave would depend on each other there, in every order,
//! though all that counts is that the last has left. So each leaves by an operation of its own, and the scope waits for them
//! one by one. A thread leaves before its thread-local destructors run, which therefore may still go on after the scope.
//!
//! The library's counter still counts: a thread whose handle was forgotten is never counted down, and its scope never ends. It
//! counts each thread twice, so that it never comes down to zero: then the library would unpark whoever opened the scope,
//! who did not park, and whose next `park` would find a token.

use super::models;
use crate::fiber::Fiber;
use crate::standard;
use crate::state::{g, me};
use crate::{record, sched};
use gabion_trace::standard::Model;
use gabion_trace::{Address, OpKind, ThreadId};

/// Bytes of the counter.
pub const COUNTER: u64 = 8;
/// The counter lies so near the start of what threads of a scope share.
const NEAR: u64 = 128;

/// Detail: the thread has left, but its handle was forgotten.
const FORGOTTEN: u64 = 1 << 32;

/// Has a thread, the detail of a wait, left its scope?
pub fn left(detail: u64) -> bool {
    detail & FORGOTTEN == 0 && g().fibers[detail as usize].left
}

/// The thread that a wait is for.
pub fn waited_for(detail: u64) -> usize {
    (detail & !FORGOTTEN) as usize
}

/// What stands for a thread in its scope.
fn object(thread: usize) -> Address {
    Address::member(ThreadId(thread as u16))
}

/// The end of the scope whose counter is here.
pub fn wait(counter: u64, pc: u64) {
    let mut thread = 1;
    let (mut members, mut last) = (0, 0);
    while thread < g().threads {
        let f = &g().fibers[thread];
        if f.scope != 0 && counter.wrapping_sub(f.scope) < NEAR {
            (members, last) = (members + 1, thread);
            if !f.joined {
                await_member(thread, thread as u64, pc);
            }
        }
        thread += 1;
    }
    // SAFETY: the program's counter, of which there is one access at a time.
    let count = unsafe { &mut *(counter as *mut u64) };
    if *count != members {
        await_member(last, last as u64 | FORGOTTEN, pc);
    }
    *count = 0;
    let g = g();
    let of_it = |f: &&mut Fiber| f.scope != 0 && counter.wrapping_sub(f.scope) < NEAR;
    g.fibers[..g.threads].iter_mut().filter(of_it).for_each(|f| f.scope = 0); // its block may be used again
}

fn await_member(thread: usize, detail: u64, pc: u64) {
    sched::reach_detailed(OpKind::ScopeJoin, object(thread), pc, detail);
    record::op(OpKind::ScopeJoin, object(thread), 0, pc);
}

/// A thread's function has returned and let go of its result. It leaves its scope, before its thread-local destructors run: others
/// may see what those do, so there is a point before it.
#[cold]
#[inline(never)]
pub fn end(pc: u64) {
    let thread = g().current;
    sched::reach(OpKind::ScopeLeave, object(thread), pc);
    me().left = true;
    record::op(OpKind::ScopeLeave, object(thread), 0, pc);
    me().force = true;
}

models! {
    /// The thread that is created next belongs to the scope.
    fn enter(scope: u64) {
        me().opens = scope;
        let function = standard::original(Model::ScopeEnter);
        for _ in 0..2 {
            // SAFETY: the library's own function.
            unsafe { core::mem::transmute::<u64, extern "C-unwind" fn(u64)>(function)(scope) }
        }
    }
    /// Whoever lets go of a thread's result last counts it down: the thread itself, or who had its handle, a thread of the same
    /// scope perhaps. Nobody leaves by that.
    fn leave(scope: u64, panicked: bool) {
        // SAFETY: the library's own function.
        unsafe {
            let function = standard::original(Model::ScopeLeave);
            core::mem::transmute::<u64, extern "C-unwind" fn(u64, bool)>(function)(scope, panicked)
        }
    }
}
