//! The scheduling point.
//!
//! A point is always immediately before a visible operation: the thread publishes what it is about to do, somebody is
//! chosen among those whose operation is enabled, and whoever was chosen does its operation as the first thing of its
//! step. Points after an operation (unlock, create) are the points before the next visible operation of whatever kind;
//! a thread's start is the point before its first one. So no two points lie side by side with nothing between them,
//! and no interleaving is run twice.

mod stuck;

pub use stuck::{each_blocked, end_in_circle};

use crate::abi::access::is_race_point;
use crate::apart;
use crate::api::standard::{self, WORD};
use crate::api::{barrier, mutex, once, rwlock, sem, spin};
use crate::callers;
use crate::control;
use crate::fiber::{self, Life};
use crate::guess;
use crate::plan;
use crate::record;
use crate::seal;
use crate::sleep;
use crate::standing;
use crate::state::{Pending, g, me};
use crate::trust;
use crate::waiting::{self, Eager};
use gabion_trace::shared::record::STACKS;
use gabion_trace::shared::{flag, tail};
use gabion_trace::{Address, ChoiceKind, OpKind, Point, Tag};
use stuck::{CIRCLE, deadlock, in_circle, livelock};

/// The running thread is about to do something visible that never blocks.
#[inline(always)]
pub fn reach(op: OpKind, object: Address, pc: u64) {
    reach_detailed(op, object, pc, 0);
}

/// As [`reach`], also for what may block; `detail` goes to [`enabled`].
pub fn reach_detailed(op: OpKind, object: Address, pc: u64, detail: u64) {
    let g = g();
    if !g.active {
        return first_block(op, object, pc, detail);
    }
    if op.point() == Some(Point::Visible) && crate::standard::alone(pc) {
        return;
    }
    let me = g.current;
    let f = &mut g.fibers[me];
    f.pending = Pending { op, object, pc, detail };
    if op.gives_way() || waiting::timed::is_limited(op) {
        f.yielded = g.steps + 1;
    }
    if f.life == Life::Starting {
        if crate::fault::on_signal_stack() {
            control::unsupported("a handler of a fault in which a thread does the first thing that others can see", pc);
        }
        return begin(me);
    }
    if waiting::concerns(op) && waiting::visit(op, object.0, pc, Eager::Yes) {
        return schedule(Point::Voluntary);
    }
    if waiting::locks::concerns(op, object, detail) && waiting::locks::visit(op, object, pc) {
        // It waits in front of the lock, which others may take and release meanwhile.
        wait(OpKind::Pause, object, pc);
        f.pending = Pending { op, object, pc, detail };
    }
    if !f.alone && guess::takes_lock(op) {
        guess::takes(pc);
    }
    if crate::state::me().alone && guess::alone(op, pc) && enabled(me) {
        return;
    }
    let point = op.point();
    let forced = core::mem::replace(&mut f.force, false);
    let on = match point {
        Some(class) => {
            g.pass(class);
            (g.points.has(class) || is_race_point(pc))
                && (forced || !(seal::seals_off(class, pc) || trust::ignores(object)))
        }
        None => false,
    };
    if on || forced {
        let class = if on { point.unwrap_or(Point::Voluntary) } else { Point::Unlock };
        return schedule(class);
    }
    if !enabled(me) {
        record::found_taken(op, object, pc);
        return schedule(Point::Voluntary);
    }
    if point.is_some() {
        g.passed_off += 1;
    }
}

/// The running thread is about to do something within an operation of the standard library: no point, unless it only waits.
pub fn pass(op: OpKind, object: Address, pc: u64) {
    let f = me();
    if f.life == Life::Starting {
        return reach(op, object, pc);
    }
    f.pending = Pending { op, object, pc, detail: 0 };
    if waiting::visit(op, object.0, pc, Eager::Yes) {
        schedule(Point::Voluntary);
    }
}

/// The running thread is in a loop that only waits, and about to do this.
pub fn wait(op: OpKind, object: Address, pc: u64) {
    let f = me();
    f.pending = Pending { op, object, pc, detail: 0 };
    schedule(Point::Voluntary);
}

/// An operation while the program is still sequential. If it would block, nobody can help: that is a deadlock, and the
/// checkpoint is taken first so that it is found like any other.
fn first_block(op: OpKind, object: Address, pc: u64, detail: u64) {
    let g = g();
    me().pending = Pending { op, object, pc, detail };
    if !enabled(g.current) {
        control::become_concurrent();
        schedule(Point::Voluntary);
    }
}

/// A new thread has reached its first visible operation: back to its creator, without a choice.
fn begin(me: usize) {
    let g = g();
    g.fibers[me].life = Life::Live;
    publish(me);
    let creator = g.fibers[me].parent as usize;
    fiber::go_to(creator);
}

/// The running thread stands at a point; somebody goes on.
pub fn schedule(point: Point) {
    waiting::settle();
    apart::call(point, scheduled);
}

extern "C" fn scheduled(point: Point) {
    publish(g().current);
    choose_next(point);
}

/// The thread says what it is about to do.
fn publish(thread: usize) {
    record::pending(thread);
    if g().plan.record >= STACKS {
        callers::keep();
        let pending = &g().fibers[thread].pending;
        standing::will_touch(pending.object, pending.pc);
    }
    if is_free(thread) {
        g().ready.insert(thread);
    } else {
        g().ready.remove(thread); // a handler of a fault that went past a point may have left it there
    }
}

/// The running thread has ended: somebody else goes on.
pub fn leave() -> ! {
    choose_next(Point::Voluntary);
    crate::sys::die(format_args!("internal error: a finished thread was run"))
}

fn choose_next(point: Point) {
    let g = g();
    let me = g.current;
    if crate::fault::on_signal_stack() {
        // The program's own handler of a fault runs on the one signal stack, which a second fault would overwrite.
        if enabled(me) {
            return;
        }
        control::unsupported("a wait inside a handler of a fault", g.fibers[me].pending.pc);
    }
    g.steps += 1;
    crate::rounds::step();
    if g.steps > g.judged_after {
        crate::rounds::judge(g.fibers[me].pending.pc);
    }
    let (mut count, mut one) = (0, me);
    for w in 0..g.threads.div_ceil(64) {
        let (can, gladly) = can_go_on(w);
        (g.can.0[w], g.gladly.0[w]) = (can, gladly);
        if can != 0 {
            one = w * 64 + can.trailing_zeros() as usize;
            count += can.count_ones() as usize;
        }
    }
    let next = match count {
        0 if g.live.iter().any(|t| g.fibers[t].waits) => match guess::try_one() {
            Some(t) => {
                count = 1;
                g.can.insert(t);
                t
            }
            None => {
                end_in_circle();
                livelock()
            }
        },
        0 => deadlock(if in_circle() { CIRCLE } else { b"no thread can go on" }, 0),
        1 => plan::forced(one, &g.can),
        _ => plan::choose_thread(ChoiceKind::Thread, &g.can, &g.gladly, count),
    };
    if g.plan.tail == tail::PCT {
        change_point(next);
    }
    if g.sleepers_due {
        sleep::begin_step(next);
    }
    g.in_a_row = if next == g.ran_last { g.in_a_row + 1 } else { 0 };
    g.ran_last = next;
    g.ready.remove(next);
    record::step(next, point, &g.can, count);
    g.fibers[next].step += 1;
    g.fibers[next].ran = g.steps;
    g.cost += core::mem::take(&mut g.step_accesses);
    crate::abi::access::new_segment();
    fiber::go_to(next);
    let after = crate::state::me();
    if after.waits {
        waiting::over();
    }
    if plan::waits_for_time(after.pending.op) {
        after.timed_out = true;
    }
}

/// Of 64 threads those that can go on, and of these those that a tail prefers.
#[inline(always)]
fn can_go_on(word: usize) -> (u64, u64) {
    let g = g();
    let (live, known) = (g.live.0[word], g.live.0[word] & g.ready.0[word]);
    let (mut rest, mut can, mut gladly) = (live ^ known, known, known);
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        let t = word * 64 + rest.trailing_zeros() as usize;
        rest ^= bit;
        if is_free(t) {
            (can, gladly) = (can | bit, gladly | bit);
        } else if is_enabled(t) {
            can |= bit;
            let op = g.fibers[t].pending.op;
            let gives_way = op.gives_way() && t == g.current;
            gladly |= if gives_way || plan::waits_for_time(op) { 0 } else { bit };
        }
    }
    (can, gladly)
}

/// At a change point of PCT the running thread falls below all others.
fn change_point(next: usize) {
    let g = g();
    for i in g.plan.choices as usize..g.plan.records as usize {
        // SAFETY: below the number of records in the slot.
        let rec = unsafe { *g.choices.add(i) };
        if rec.tag() == Some(Tag::ChangePoint) && rec.a == g.steps {
            g.fibers[next].priority = (g.plan.records as usize - i) as u64;
        }
    }
}

/// Can the thread do what it is about to do?
pub fn enabled(thread: usize) -> bool {
    is_free(thread) || is_enabled(thread)
}

/// Is the thread about to do something that nothing keeps it from, as in most steps?
#[inline(always)]
fn is_free(thread: usize) -> bool {
    let f = &g().fibers[thread];
    ALWAYS[f.pending.op as usize] && !f.waits
}

/// Operations that can always be done at once, and by which nobody gives way.
static ALWAYS: [bool; 256] = {
    use OpKind::*;
    OpKind::among(&[
        Access,
        AtomicLoad,
        AtomicStore,
        AtomicUpdate,
        Free,
        MutexUnlock,
        SpinUnlock,
        ReadUnlock,
        WriteUnlock,
        Create,
        ThreadEnd,
        Exit,
    ])
};

fn is_enabled(thread: usize) -> bool {
    let g = g();
    let f = &g.fibers[thread];
    if f.waits {
        return waiting::has_changed(thread);
    }
    let at = f.pending.object.offset();
    let detail = f.pending.detail;
    match f.pending.op {
        OpKind::CondReacquire if detail == WORD => spin::word_is_free(at),
        OpKind::ReadLock if detail & WORD != 0 => standard::locks::free_for_reader(at, thread),
        OpKind::WriteLock if detail & WORD != 0 => standard::locks::free_for_writer(at),
        OpKind::Once if detail & WORD != 0 => standard::once::free(at, detail),
        OpKind::Park => standard::park::available(at),
        OpKind::ScopeJoin => standard::scope::left(detail),
        OpKind::MutexLock | OpKind::CondReacquire => mutex::free_for(at, thread),
        OpKind::CondQueued => g.plan.flags & flag::SPURIOUS != 0 && f.spurious == 0,
        OpKind::FutexQueued => false,
        OpKind::Join => g.fibers[at as usize].life == Life::Ended,
        OpKind::ReadLock => rwlock::free_for_reader(at, thread),
        OpKind::WriteLock => rwlock::free_for_writer(at, thread),
        OpKind::SpinLock => spin::free(at),
        OpKind::BarrierWait => barrier::passed(at, f.pending.detail),
        OpKind::SemWait => sem::available(at),
        OpKind::Once => once::free_for(at, thread),
        _ => true,
    }
}
