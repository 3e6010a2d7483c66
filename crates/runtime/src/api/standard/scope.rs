//! `thread::scope`: its end waits for each of its threads, as joins would.
//!
//! The library counts its running threads in one word. Threads that leave would depend on each other there, in every order,
//! though all that counts is that the last has left. So each leaves by an operation of its own, and the scope waits for them
//! one by one. A thread leaves before its thread-local destructors run, which therefore may still go on after the scope.

use super::models;
use crate::interpose::caller;
use crate::standard;
use crate::state::{g, me};
use crate::{record, sched, time};
use gabion_trace::standard::Model;
use gabion_trace::{Address, OpKind, ThreadId};

/// Bytes of the counter.
pub const COUNTER: u64 = 8;
/// The counter lies so near the start of what threads of a scope share.
const NEAR: u64 = 128;

/// Has the thread left its scope?
pub fn left(thread: usize) -> bool {
    g().fibers[thread].left
}

/// What stands for a thread in its scope.
fn object(thread: usize) -> Address {
    Address::member(ThreadId(thread as u16))
}

/// The end of the scope whose counter is here.
pub fn wait(counter: u64, pc: u64) {
    let mut thread = 1;
    while thread < g().threads {
        let f = &g().fibers[thread];
        if f.scope != 0 && counter.wrapping_sub(f.scope) < NEAR && !f.joined {
            sched::reach_detailed(OpKind::ScopeJoin, object(thread), pc, thread as u64);
            time::acquire(object(thread).0);
            record::op(OpKind::ScopeJoin, object(thread), 0, pc);
        }
        thread += 1;
    }
}

/// A thread ends that has not left its scope: whoever dropped its result last counts for it.
pub fn end(pc: u64) {
    let thread = g().current;
    if me().scope != 0 && !me().left {
        me().left = true;
        time::release(object(thread).0);
        record::op(OpKind::ScopeLeave, object(thread), 0, pc);
    }
}

models! {
    /// The thread that is created next belongs to the scope.
    fn enter(scope: u64) {
        me().opens = scope;
        // SAFETY: the library's own function.
        unsafe { core::mem::transmute::<u64, extern "C-unwind" fn(u64)>(standard::original(Model::ScopeEnter))(scope) }
    }
    fn leave(scope: u64, panicked: bool) {
        let pc = caller();
        let thread = g().current;
        if me().scope == scope && !me().left {
            sched::reach(OpKind::ScopeLeave, object(thread), pc);
            me().left = true;
            time::release(object(thread).0);
            record::op(OpKind::ScopeLeave, object(thread), 0, pc);
        }
        // SAFETY: the library's own function.
        unsafe {
            let function = standard::original(Model::ScopeLeave);
            core::mem::transmute::<u64, extern "C-unwind" fn(u64, bool)>(function)(scope, panicked)
        }
    }
}
