//! Threads: create, join, detach, exit.

use super::about::ATTRIBUTE_SIZE;
use super::errno::{EBUSY, EDEADLK, EINVAL, ETIMEDOUT};
use super::{
    CLOCK_REALTIME, Timespec, after_point, failed, keys, moment, mutex, process, put_joined, reads_attributes, waits_on,
};
use crate::control::{self, become_concurrent};
use crate::fiber::{self, Fiber, Life};
use crate::interpose::{caller, require};
use crate::libc::attributes::{GET_DETACHED, GET_STACK};
use crate::places::{STACK_MAX, STACK_SPAN, STACKS};
use crate::state::{g, me};
use crate::{aside, blame, plan, record, sched, time, tls};
use core::sync::atomic::{AtomicUsize, Ordering};
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{Access, AccessKind, Address, OpKind, Point, Rec, Tag, ThreadId};

/// What a creator asks for.
struct Attributes {
    detached: bool,
    /// Stack memory of the program's own: (address, size); address 0: ours, of that size.
    stack: (u64, u64),
}

fn attributes(attr: *const u8) -> Attributes {
    let (mut state, mut address, mut size) = (0i32, 0u64, 0u64);
    if !attr.is_null() {
        GET_DETACHED.call(attr as u64, &raw mut state as u64, 0);
        if GET_STACK.call(attr as u64, &raw mut address as u64, &raw mut size as u64) != 0 {
            (address, size) = (0, 0);
        }
    }
    // An attribute without a stack of its own reports address −size.
    let own = address != 0 && address < 1 << 47;
    Attributes { detached: state == 1, stack: (if own { address } else { 0 }, size) }
}

/// The id of the running thread's next child.
fn next_id() -> Option<usize> {
    let g = g();
    let (parent, nth) = (g.current as u16, me().children);
    // A plan's table names threads seen in earlier runs, so that numbers mean the same in all of them.
    let known = g.table[..g.table_len].iter().enumerate().skip(1).find(|(_, t)| **t == (parent, nth));
    let id = known.map_or(g.threads.max(g.table_len).max(1), |(i, _)| i);
    (id < MAX_THREADS).then_some(id)
}

/// Creates a thread. `handle` gets its `pthread_t`.
pub fn create(handle: *mut u64, attr: *const u8, function: u64, argument: u64, pc: u64) -> i32 {
    if !control::started() {
        crate::sys::die(format_args!(
            "a constructor or a global variable starts a thread before main, where runs begin: start it in main or later"
        ));
    }
    become_concurrent();
    sched::reach(OpKind::Create, Address(0), pc);
    after_point(handle as u64, size_of::<u64>() as u64, AccessKind::WRITE, pc);
    reads_attributes(attr as u64, ATTRIBUTE_SIZE, pc);
    let wanted = attributes(attr);
    let own = wanted.stack.0 != 0;
    let asked = if own { 0 } else { wanted.stack.1 };
    let room = next_id().filter(|_| asked <= STACK_MAX).and_then(|id| Some((id, fiber::stack_memory(id, asked)?)));
    let Some((id, stack)) = room else {
        // To fail here would blame the program for our limits.
        control::unsupported("more threads, or larger stacks, than gabion has room for", pc)
    };
    let g = g();
    let parent = g.current;
    announce(id, function);
    g.fibers[id] = Fiber {
        life: Life::Starting,
        detached: wanted.detached,
        parent: parent as u16,
        function,
        argument,
        stack_asked: asked,
        scope: core::mem::replace(&mut g.fibers[parent].opens, 0),
        name: g.fibers[parent].name,
        ..Fiber::NEW
    };
    g.fibers[parent].children += 1;
    g.fibers[id].priority = plan::random();
    g.fibers[id].random = g.plan.seed ^ (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (g.fibers[id].stack_low, g.fibers[id].stack_high) = stack;
    crate::waiting::begin(id);
    keys::clear(id);
    let below_tls = tls::give(id);
    fiber::clear_below(below_tls);
    fiber::prepare(id, if own { wanted.stack.0 + wanted.stack.1 } else { below_tls });
    g.fibers[id].shadow = aside::shadow_base(id);
    g.live.insert(id);
    time::inherit(parent, id);
    super::signal::inherit(parent, id);
    record::op(OpKind::Create, Address::thread(ThreadId(id as u16)), 0, pc);
    // SAFETY: the program's variable, announced above; filled before the new thread can look at it.
    unsafe { *handle = g.fibers[id].fs };
    // The child runs up to its first visible operation and comes back.
    fiber::go_to(id);
    me().force = true;
    0
}

/// Every id up to this one gets its place in the trace's table.
fn announce(id: usize, function: u64) {
    let g = g();
    let (parent, nth) = (g.current as u16, me().children);
    while g.threads <= id {
        let t = g.threads;
        g.threads += 1;
        if t == id {
            record::thread(t, parent, nth, function);
        } else {
            let (p, n) = g.table[t]; // seen in an earlier run; may or may not be created in this one
            record::thread(t, p, n, 0);
        }
    }
}

/// First code of every fiber.
pub unsafe extern "C-unwind" fn fiber_main(id: usize) -> ! {
    if id == 0 {
        process::run_main();
    }
    crate::libc::thread_begins(me().function);
    tls::enter_thread();
    let g = g();
    // SAFETY: the program's thread function and its argument.
    let result = unsafe {
        core::mem::transmute::<u64, unsafe extern "C-unwind" fn(u64) -> u64>(g.fibers[id].function)(
            g.fibers[id].argument,
        )
    };
    end(result)
}

/// The running thread ends.
pub fn end(result: u64) -> ! {
    static DESTRUCTORS: AtomicUsize = AtomicUsize::new(0);
    if me().scope != 0 {
        super::standard::scope::end(me().function);
    }
    if DESTRUCTORS.load(Ordering::Relaxed) == 0 {
        DESTRUCTORS.store(require("__call_tls_dtors\0"), Ordering::Relaxed);
    }
    // SAFETY: runs the thread's C++ and Rust thread-local destructors; takes and returns nothing.
    unsafe { core::mem::transmute::<usize, unsafe extern "C" fn()>(DESTRUCTORS.load(Ordering::Relaxed))() };
    keys::run_destructors(me().function);
    let pc = me().function;
    // A thread's end matters only to who joins it, and a join waits; so it belongs to the thread's last step, unless
    // the program can see the moment itself, or others know its stack, which goes with it.
    let shared = g().shared_stacks.has(g().current);
    let seen = control::ends_are_seen() || me().robust != 0 || shared;
    me().force = seen && g().points.has(Point::Other);
    sched::reach(OpKind::ThreadEnd, Address::thread(ThreadId(g().current as u16)), pc);
    mutex::owner_dies();
    still_held(pc);
    if shared {
        give_stack_back(pc);
    }
    let g = g();
    let id = g.current;
    g.fibers[id].result = result;
    g.fibers[id].life = Life::Ended;
    g.live.remove(id);
    record::op(OpKind::ThreadEnd, Address::thread(ThreadId(id as u16)), 0, pc);
    if g.live.len() == 0 {
        // The last thread of a process whose main thread has left: the process ends as if by exit(0).
        g.fibers[id].life = Life::Live;
        g.live.insert(id);
        process::exit_program(0, pc);
    }
    sched::leave()
}

/// Locks that the running thread takes with it.
fn still_held(pc: u64) {
    let thread = ThreadId(g().current as u16);
    for lock in me().locks.into_iter().filter(|lock| *lock != 0) {
        record::store(Rec::new(Tag::HeldAtEnd, 0, thread, 0, Address(lock).offset(), pc));
    }
}

/// The running thread's stack is gone: whoever touches it depends on that.
fn give_stack_back(pc: u64) {
    let f = me();
    let kind = AccessKind::WRITE.with(AccessKind::FREE);
    let size = f.stack_high - f.stack_low;
    crate::quiet::loud(f.stack_low, size, kind);
    for address in [Address::memory(f.stack_low), Address::object(f.stack_low)] {
        record::access(&Access { address, size: size as u32, kind, pc });
    }
}

/// The thread that a `pthread_t` names; None: no thread of this program.
pub fn by_handle(handle: u64) -> Option<usize> {
    let g = g();
    if handle == g.fibers[0].fs {
        return Some(0);
    }
    if !(STACKS..STACKS + STACK_SPAN * g.threads as u64).contains(&handle) {
        return None;
    }
    let id = ((handle - STACKS) / STACK_SPAN) as usize;
    (g.fibers[id].fs == handle && g.fibers[id].life != Life::Unborn).then_some(id)
}

/// The thread that a call's argument names; a handle that never was a thread's is a finding: the C library looks into the memory
/// that it points to.
pub fn named_by(call: &str, handle: u64, pc: u64) -> usize {
    by_handle(handle).unwrap_or_else(|| blame::no_thread(call, handle, pc))
}

/// As [`named_by`], for a call that has no point of its own. Whether the thread is still there depends on who joins or detaches it;
/// of itself a thread knows.
pub fn used(call: &str, handle: u64, pc: u64) -> usize {
    let id = named_by(call, handle, pc);
    if id != g().current {
        looks_at(id, pc);
        check_alive(call, id, pc);
    }
    id
}

/// The running thread does what depends on another's end.
pub fn looks_at(id: usize, pc: u64) {
    sched::reach(OpKind::Hidden, object(id), pc);
    record::op(OpKind::Hidden, object(id), 0, pc);
}

/// Is what a handle points to gone? It is once the thread was joined, or was detached and has ended.
fn is_gone(id: usize) -> bool {
    let f = &g().fibers[id];
    f.joined || f.detached && f.life == Life::Ended
}

/// The running thread has passed its point and uses a thread's handle. Does not come back if that is gone.
pub fn check_alive(call: &str, id: usize, pc: u64) {
    if is_gone(id) {
        blame::gone_thread(call, id, g().fibers[id].joined, pc);
    }
}

/// A detached thread cannot be joined.
fn joinable(id: usize) -> Result<(), i32> {
    if g().fibers[id].detached { Err(EINVAL) } else { Ok(()) }
}

/// The thread has ended and is joined: `give` gets its result.
fn take_result(id: usize, op: OpKind, give: impl FnOnce(u64), pc: u64) -> i32 {
    let f = &mut g().fibers[id];
    f.joined = true;
    let result = f.result;
    record::op(op, object(id), 0, pc);
    give(result);
    0
}

pub fn object(id: usize) -> Address {
    Address::thread(ThreadId(id as u16))
}

/// Waits for a thread's end. Who else joined or detached it may have done so in the meantime.
pub fn join(call: &str, handle: u64, give: impl FnOnce(u64), pc: u64) -> i32 {
    let id = named_by(call, handle, pc);
    if is_gone(id) || joinable(id).is_err() {
        sched::reach(OpKind::TryJoin, object(id), pc); // it will not become joinable again: no need to wait
        check_alive(call, id, pc);
        return failed(OpKind::TryJoin, object(id), EINVAL, pc);
    }
    if id == g().current {
        return EDEADLK;
    }
    sched::reach_detailed(OpKind::Join, object(id), pc, 0);
    check_alive(call, id, pc);
    match joinable(id) {
        Err(error) => failed(OpKind::Join, object(id), error, pc),
        Ok(_) => take_result(id, OpKind::Join, give, pc),
    }
}

/// Joins if the thread has ended; else the error that `otherwise` gives.
fn try_join(call: &str, handle: u64, result: *mut u64, otherwise: impl FnOnce() -> i32, pc: u64) -> i32 {
    let id = named_by(call, handle, pc);
    sched::reach(OpKind::TryJoin, object(id), pc);
    check_alive(call, id, pc);
    match joinable(id) {
        Err(error) => failed(OpKind::TryJoin, object(id), error, pc),
        Ok(_) if g().fibers[id].life != Life::Ended => failed(OpKind::TryJoin, object(id), otherwise(), pc),
        Ok(_) => take_result(id, OpKind::TryJoin, |value| put_joined(result, value, pc), pc),
    }
}

/// Timed joins: of a thread that has not ended, they end by time. Without a deadline they wait.
fn timed_join(call: &str, handle: u64, result: *mut u64, clock: i32, until: *const Timespec, pc: u64) -> i32 {
    if until.is_null() {
        return join(call, handle, |value| put_joined(result, value, pc), pc);
    }
    if !waits_on(clock) {
        return EINVAL;
    }
    if by_handle(handle) == Some(g().current) {
        return EDEADLK;
    }
    let wait = || match moment(clock, until, pc) {
        Ok(at) => {
            time::reach(at);
            ETIMEDOUT
        }
        Err(error) => error,
    };
    try_join(call, handle, result, wait, pc)
}

/// `pthread_detach`.
pub fn detach(call: &str, handle: u64, pc: u64) -> i32 {
    let id = named_by(call, handle, pc);
    if crate::standard::trusts(pc) {
        // A dropped handle: nobody can use it any more, so nobody sees when that was.
        g().fibers[id].detached = true;
        return 0;
    }
    sched::reach(OpKind::Detach, object(id), pc);
    check_alive(call, id, pc);
    let f = &mut g().fibers[id];
    if f.detached {
        return failed(OpKind::Detach, object(id), EINVAL, pc);
    }
    f.detached = true;
    record::op(OpKind::Detach, object(id), 0, pc);
    0
}

/// `sched_yield`.
pub fn give_way(pc: u64) {
    sched::reach(OpKind::Yield, Address(0), pc);
    record::op(OpKind::Yield, Address(0), 0, pc);
}

// ABI: pthread.h, sched.h
interpose! {
    fn pthread_create(handle: *mut u64, attr: *const u8, function: u64, argument: u64) -> i32 {
        create(handle, attr, function, argument, caller())
    }
    fn pthread_join(handle: u64, result: *mut u64) -> i32 {
        let pc = crate::libc::cxx::joined_at(caller());
        join("pthread_join", handle, |value| put_joined(result, value, pc), pc)
    }
    fn pthread_detach(handle: u64) -> i32 { detach("pthread_detach", handle, caller()) }
    fn pthread_exit(result: u64) { super::cleanup::exit(result) }
}

// ABI: what a C library calls when it takes over; ours decides who runs `main`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __libc_start_main(
    main: u64,
    argc: i32,
    argv: u64,
    init: u64,
    fini: u64,
    rtld_fini: u64,
    stack_end: u64,
) -> i32 {
    control::start(main, argc, argv, init, fini, rtld_fini, stack_end)
}

// ABI: pthread.h, sched.h. May be polled, or change nothing.
interpose_open! {
    fn pthread_tryjoin_np(handle: u64, result: *mut u64) -> i32 {
        try_join("pthread_tryjoin_np", handle, result, || EBUSY, caller())
    }
    fn pthread_timedjoin_np(handle: u64, result: *mut u64, until: *const Timespec) -> i32 {
        timed_join("pthread_timedjoin_np", handle, result, CLOCK_REALTIME, until, caller())
    }
    fn pthread_clockjoin_np(handle: u64, result: *mut u64, clock: i32, until: *const Timespec) -> i32 {
        timed_join("pthread_clockjoin_np", handle, result, clock, until, caller())
    }
    fn pthread_self() -> u64 { tls::thread_pointer() }
    fn pthread_equal(a: u64, b: u64) -> i32 { i32::from(a == b) }
    fn sched_yield also __sched_yield() -> i32 { give_way(caller()); 0 }
    fn pthread_yield() -> i32 { give_way(caller()); 0 }
}
