//! `syscall`: futexes, on which language runtimes build their own locks, and calls with a modelled function of their own.
//!
//! A wait, its resumption and a wake are each an update of the futex word, so that they are ordered with the atomic
//! accesses around them, which may lie in code that nobody instrumented. A wake picks any of the waiters: who, is a
//! choice. Everything else goes to the kernel through the C library, where system-call dispatch looks at it.

use super::errno::{EAGAIN, EFAULT, EINVAL, ENOSYS, ETIMEDOUT, fail};
use super::{CLOCK_MONOTONIC, CLOCK_REALTIME, Timespec, clock, process, random, signal, thread, usable};
use crate::abi::access::range;
use crate::control::unsupported;
use crate::interpose::caller;
use crate::state::{Pending, ThreadSet, g, me};
use crate::waiting::{self, timed};
use crate::{plan, record, sched, sys, time};
use gabion_trace::{Access, AccessKind, Address, ChoiceKind, Coverage, OpKind};

const WAIT: i32 = 0;
const WAKE: i32 = 1;
const REQUEUE: i32 = 3;
const CMP_REQUEUE: i32 = 4;
const WAIT_BITSET: i32 = 9;
const WAKE_BITSET: i32 = 10;
/// FUTEX_PRIVATE_FLAG makes no difference here.
const REALTIME: i32 = 256;
const COMMAND: i32 = 0x7f;
const ALL: u32 = u32::MAX;
/// The system call `sched_yield`.
const YIELD: i64 = 24;

/// Records an operation that looks at the word. (Others use its address only: it may be gone by then.)
fn record_look(op: OpKind, word: u64, result: u32, pc: u64) {
    record::op(op, Address::object(word), result, pc);
    if g().active {
        let kind = AccessKind::READ.with(AccessKind::ATOMIC);
        crate::quiet::loud(word, 4, kind);
        record::access(&Access { address: Address::memory(word), size: 4, kind, pc });
    }
}

/// Waits while the word has a value. 0, EAGAIN (it has another), or ETIMEDOUT; `until` is in virtual time.
fn wait(word: u64, value: u32, until: Option<u64>, bits: u32, pc: u64) -> i32 {
    if crate::standard::is_library(pc) {
        record::cover(Coverage::LIBRARY_WAITED);
    }
    let entry = timed::entry();
    sched::reach(OpKind::FutexWait, Address::object(word), pc);
    // SAFETY: the program's word.
    let differs = unsafe { (word as *const u32).read_volatile() } != value;
    record_look(OpKind::FutexWait, word, u32::from(differs), pc);
    if differs {
        return EAGAIN;
    }
    let op = if until.is_some() { OpKind::FutexTimeout } else { OpKind::FutexQueued };
    timed::queue(Pending { op, object: Address::object(word), pc, detail: u64::from(bits) }, 0, entry);
    let late = core::mem::replace(&mut me().timed_out, false);
    let until = until.filter(|_| late);
    until.into_iter().for_each(time::reach);
    record::op(op, Address::object(word), u32::from(late), pc);
    if until.is_some() { ETIMEDOUT } else { 0 }
}

fn waiters(word: u64, bits: u32) -> ThreadSet {
    let g = g();
    let mut set = ThreadSet::EMPTY;
    for t in g.live.iter() {
        let p = &g.fibers[t].pending;
        let queued = matches!(p.op, OpKind::FutexQueued | OpKind::FutexTimeout);
        if queued && p.object == Address::object(word) && p.detail as u32 & bits != 0 {
            set.insert(t);
        }
    }
    set
}

/// Calls `each` with up to `limit` of a set's threads; who they are is a choice where there are more.
fn pick(mut set: ThreadSet, limit: u32, mut each: impl FnMut(usize)) -> u32 {
    let mut done = 0;
    while done < limit && set.len() > 0 {
        let left = set.len();
        let chosen = if left <= (limit - done) as usize {
            set.iter().next().unwrap_or(0)
        } else {
            plan::choose_thread(ChoiceKind::Waiter, &set, &set, left)
        };
        set.remove(chosen);
        each(chosen);
        done += 1;
    }
    done
}

fn let_go(thread: usize) {
    let f = &mut g().fibers[thread];
    f.pending = Pending { op: OpKind::Run, ..f.pending };
    timed::woken(thread);
    time::lets_go(thread); // it may have been moved from another word
    record::pending(thread);
}

/// Wakes up to `limit` waiters and moves up to `moved` others to another word; gives how many of both.
fn wake(word: u64, limit: u32, bits: u32, to: Option<(u64, u32)>, pc: u64) -> i32 {
    let woken = pick(waiters(word, bits), limit, let_go);
    let moved = to.map_or(0, |(other, limit)| {
        pick(waiters(word, ALL), limit, |thread| {
            g().fibers[thread].pending.object = Address::object(other);
            timed::woken(thread);
            record::pending(thread);
        })
    });
    record::op(OpKind::FutexWake, Address::object(word), woken + moved, pc);
    if let Some((other, _)) = to {
        record::op(OpKind::FutexWake, Address::object(other), moved, pc);
    }
    (woken + moved) as i32
}

fn wake_some(word: u64, limit: u32, bits: u32, pc: u64) -> i32 {
    sched::reach(OpKind::FutexWake, Address::object(word), pc);
    wake(word, limit, bits, None, pc)
}

/// Code that stands in for a library's wakes all who wait.
pub fn wake_all(word: u64, pc: u64) {
    wake_some(word, ALL, ALL, pc);
}

/// The virtual time at which a wait gives up. Err: not a valid time.
fn until(timeout: *const Timespec, command: i32, operation: i32, pc: u64) -> Result<Option<u64>, i32> {
    if !timeout.is_null() {
        let entry = timed::entry();
        range(timeout as u64, size_of::<Timespec>() as u64, AccessKind::READ, pc);
        timed::set_entry(entry); // others may have run
    }
    // SAFETY: the program's timeout, or none.
    let Some(timeout) = (unsafe { timeout.as_ref() }) else { return Ok(None) };
    if !timeout.valid() || timeout.seconds < 0 {
        return Err(EINVAL);
    }
    Ok(Some(if command == WAIT {
        me().time.saturating_add(timeout.total())
    } else {
        let clock = if operation & REALTIME != 0 { CLOCK_REALTIME } else { CLOCK_MONOTONIC };
        super::deadline(clock, timeout)
    }))
}

/// The system call: a count, or a negative error number.
fn futex(word: u64, operation: i32, value: u32, a: u64, other: u64, last: u32, pc: u64) -> i32 {
    let command = operation & COMMAND;
    if word & 3 != 0 {
        return -EINVAL;
    }
    if usable::is_null(word) {
        return -EFAULT;
    }
    let bits = if command >= WAIT_BITSET { last } else { ALL };
    match command {
        WAIT | WAIT_BITSET if bits != 0 => match until(a as *const Timespec, command, operation, pc) {
            Ok(until) => -wait(word, value, until, bits, pc),
            Err(error) => -error,
        },
        WAKE | WAKE_BITSET if bits != 0 => wake_some(word, value.max(1), bits, pc),
        REQUEUE | CMP_REQUEUE => {
            sched::reach(OpKind::FutexWake, Address::object(word), pc);
            // SAFETY: the program's word.
            if command == CMP_REQUEUE && unsafe { (word as *const u32).read_volatile() } != last {
                record_look(OpKind::FutexWake, word, 0, pc);
                return -EAGAIN;
            }
            wake(word, value, ALL, Some((other, a as u32)), pc)
        }
        WAIT_BITSET | WAKE_BITSET => -EINVAL,
        _ => unsupported("syscall(SYS_futex) with an operation of this kind", pc),
    }
}

/// Is it a call that reads no memory and no state that another call changes?
fn is_constant(number: i64) -> bool {
    const PARENT: i64 = 110;
    const GROUPS: [i64; 2] = [111, 124];
    const USERS: [i64; 4] = [102, 104, 107, 108];
    number == PARENT || GROUPS.contains(&number) || USERS.contains(&number)
}

/// Calls that have a modelled function of their own. None: the kernel's business, and what it reads and writes in doing so was not
/// announced.
pub fn modelled(number: i64, a: [u64; 6], pc: u64) -> Option<i64> {
    let result = stood_in_for(number, a, pc);
    if result.is_none() && !is_constant(number) && !crate::standard::is_library(pc) {
        record::cover(Coverage::UNMODELLED);
    }
    result
}

fn stood_in_for(number: i64, a: [u64; 6], pc: u64) -> Option<i64> {
    let set = |result: i32| i64::from(result);
    if number != sys::FUTEX && number != YIELD {
        waiting::effect();
    }
    Some(match number {
        sys::FUTEX => {
            let result = futex(a[0], a[1] as i32, a[2] as u32, a[3], a[4], a[5] as u32, pc);
            set(if result < 0 { fail(-result) } else { result })
        }
        YIELD => {
            thread::give_way(pc);
            0
        }
        sys::GETPID => set(signal::process_number()),
        186 => set(super::about::thread_number()),
        318 => random::get(a[0] as *mut u8, a[1] as usize, a[2] as u32, pc) as i64,
        35 => sleep(CLOCK_REALTIME, 0, a[0], pc),
        230 => sleep(a[0] as i32, a[1] as i32, a[2], pc),
        96 => set(clock::time_of_day(a[0] as *mut u8, a[1] as *mut [i32; 2], pc)),
        201 => clock::seconds(a[0] as *mut i64, pc),
        sys::CLOCK_GETTIME => set(clock::get(a[0] as i32, a[1] as *mut Timespec, pc)),
        sys::KILL => set(signal::kill("kill", a[0] as i32, a[1] as i32, 0, 0, pc)),
        200 => set(signal::kill_number(a[0] as i32, a[1] as i32, pc)),
        234 => set(signal::kill_number(a[1] as i32, a[2] as i32, pc)),
        sys::RT_SIGPROCMASK => match signal::change_mask(a[0] as i32, a[1] as *const u64, a[2] as *mut u64, pc) {
            0 => 0,
            error => set(fail(error)),
        },
        157 => return super::about::own_name(a[0] as i32, a[1], pc).map(i64::from), // prctl
        324 => 0, // membarrier: one kernel thread runs everything
        sys::RT_SIGACTION => unsupported("syscall(SYS_rt_sigaction)", pc),
        449 | 454..=456 => set(fail(ENOSYS)), // the newer futex calls: as on a kernel without them
        sys::EXIT => thread::end(0),
        sys::EXIT_GROUP => process::exit_raw(a[0] as i32),
        _ => return None,
    })
}

fn sleep(clock: i32, flags: i32, request: u64, pc: u64) -> i64 {
    match clock::sleep(clock, flags, request as *const Timespec, pc) {
        0 => 0,
        error => i64::from(fail(error)),
    }
}

// ABI: unistd.h. The seventh argument lies on the stack, where a function of seven finds it.
interpose_open! {
    fn syscall(number: i64, a: u64, b: u64, c: u64, d: u64, e: u64, f: u64) -> i64 {
        match modelled(number, [a, b, c, d, e, f], caller()) {
            Some(result) => result,
            // SAFETY: the program's call.
            None => unsafe { real!(syscall: fn(i64, u64, u64, u64, u64, u64, u64) -> i64)(number, a, b, c, d, e, f) },
        }
    }
}
