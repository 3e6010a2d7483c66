//! The trace as it is written: records into shared memory, a hash over all of them.

use crate::api::standard::WORD;
use crate::state::{ThreadSet, WORDS, g};
use crate::{callers, standing, sys, time};
use gabion_trace::shared::record;
use gabion_trace::{Access, AccessKind, Address, Coverage, OpKind, Point, Rec, Space, Tag, ThreadId};

/// Hashes a record, and stores it if asked for. Choices are always stored.
#[inline(always)]
pub fn emit(rec: Rec) {
    let g = g();
    g.hash = rec.mix(g.hash);
    if g.plan.record >= record::ACCESSES {
        store(rec);
    }
}

/// Stores a record without hashing it (what depends on the level of recording must not be hashed).
pub fn store(rec: Rec) {
    let g = g();
    if g.out < g.out_end {
        // SAFETY: between the start and end of the slot's trace records.
        unsafe {
            // Mostly it is there already, from a run that began alike. Who does not write it does not take it away from the core on
            // which the search reads it.
            if *g.out != rec {
                *g.out = rec;
            }
            g.out = g.out.add(1);
        }
    } else {
        if !crate::control::started() {
            return; // before main there is no trace
        }
        crate::control::trace_full();
    }
}

/// Hashes and stores, and lets the search see how far the record goes, in case the run cannot end properly.
pub fn keep(rec: Rec) {
    let g = g();
    g.hash = rec.mix(g.hash);
    store(rec);
    crate::control::show_progress();
}

/// A member of the thread table.
pub fn thread(id: usize, parent: u16, nth: u32, start: u64) {
    keep(Rec::new(Tag::Thread, 0, ThreadId(id as u16), nth, u64::from(parent), start));
}

/// A thread says what it is about to do.
#[inline(always)]
pub fn pending(thread: usize) {
    let f = &g().fibers[thread];
    emit(Rec::new(Tag::Pending, f.pending.op as u8, ThreadId(thread as u16), f.step, f.pending.object.0, f.pending.pc));
    if f.waits {
        crate::waiting::each_read(thread, |access| {
            emit(Rec::waiting_read(ThreadId(thread as u16), access));
        });
    }
}

/// Does the operation need its object's memory? To wake, to leave where one was let go, or to say something about an address, that will
/// do: a barrier that is destroyed and freed by one of its round, a word that its waiter owns.
const fn touches(op: OpKind) -> bool {
    use OpKind::{BarrierWait, FutexQueued, FutexTimeout, FutexWake, Hidden, ScopeJoin, ScopeLeave};
    !matches!(op, Hidden | BarrierWait | FutexQueued | FutexTimeout | FutexWake | ScopeJoin | ScopeLeave)
}

/// Bytes of the C library's object that an operation touches, as far as plain accesses to them are concerned. 0: it needs the
/// address only, or announces itself what it does to the program's memory.
const fn extent(op: OpKind) -> u64 {
    use OpKind::*;
    match op {
        MutexLock | MutexTryLock | MutexTimedLock | MutexUnlock | MutexManage | CondReacquire => 40,
        CondWait | CondQueued | CondTimeout | CondSignal | CondBroadcast | CondManage => 48,
        ReadLock | WriteLock | ReadTryLock | WriteTryLock | ReadUnlock | WriteUnlock | RwManage => 56,
        BarrierArrive | BarrierManage | SemWait | SemTryWait | SemTimedWait | SemPost | SemRead | SemManage => 32,
        SpinLock | SpinTryLock | SpinUnlock | SpinManage | Once | OnceDone => 4,
        _ => 0,
    }
}

/// An operation that takes what others gave back comes before its access to the object's bytes; any other comes after it, so
/// that whoever takes the object next may do with its bytes whatever it likes.
const ACQUIRES: [bool; 256] = {
    use OpKind::*;
    OpKind::among(&[
        MutexLock,
        MutexTryLock,
        MutexTimedLock,
        CondReacquire,
        SpinLock,
        SpinTryLock,
        ReadLock,
        ReadTryLock,
        WriteLock,
        WriteTryLock,
        SemWait,
        SemTryWait,
        SemTimedWait,
        Once,
    ])
};

/// The running thread did something to an object.
#[inline(always)]
pub fn op(op: OpKind, object: Address, result: u32, pc: u64) {
    op_on(op, object, extent(op), result, pc);
}

/// The same where the object is a word of a language's own library.
pub fn word_op(op: OpKind, object: Address, result: u32, pc: u64) {
    op_on(op, object, if extent(op) == 0 { 0 } else { 4 }, result, pc);
}

/// Notes that an operation touches an object's bytes. True: somebody accesses them otherwise.
#[inline(always)]
fn meets_plain(op: OpKind, object: Address, size: u64, result: u32) -> bool {
    let at = object.offset();
    size != 0
        && object.space() == Some(Space::Object)
        && !crate::abi::own::holds(at)
        && crate::quiet::object(at, size, op.uses(result))
}

/// An operation as an access to its object's bytes.
#[cold]
fn touch_object(op: OpKind, object: Address, size: u64, result: u32, pc: u64) {
    let kind = op.uses(result).with(AccessKind::OF_OBJECT);
    let access = Access { address: Address::memory(object.offset()), size: size as u32, kind, pc };
    crate::abi::wide::check_whole(&access);
    time::touch(object.offset(), size, kind);
    put_access(&access);
}

/// A call touches bytes that are a part of its object.
pub fn object_bytes(access: &Access) {
    time::touch(access.address.offset(), access.size.into(), access.kind);
    put_access(access);
}

#[inline(always)]
fn op_on(op: OpKind, object: Address, size: u64, result: u32, pc: u64) {
    let g = g();
    g.cost += 1;
    if object.space() == Some(Space::Object) && touches(op) {
        // The first byte of a lock or its like stands for all.
        crate::valid::check(object.offset(), 1, AccessKind::UPDATE, pc);
        if g.active {
            crate::abi::access::learn_shared(object.offset());
        }
    }
    if g.active {
        let meets = meets_plain(op, object, size, result);
        if meets && !ACQUIRES[op as usize] {
            touch_object(op, object, size, result, pc);
        }
        crate::abi::access::new_segment();
        time::uses(object, op.uses(result));
        crate::waiting::did(op, object, result, pc);
        crate::abi::wide::follow(op, object.0, result);
        if g.sleepers != 0 {
            crate::sleep::wake_by_op(op, object, result, pc);
        }
        emit(Rec::new(Tag::Op, op as u8, ThreadId(g.current as u16), result, object.0, pc));
        if g.plan.record >= record::STACKS {
            put_frames(g.current, 1, pc);
            standing::touched(object, pc);
        }
        if meets && ACQUIRES[op as usize] {
            touch_object(op, object, size, result, pc);
        }
    }
}

/// The running thread has to wait for an object at a place where it would not have stopped: its step ends here because of
/// what it saw there, so it has read it. A writer that waits for readers depends on them as if it had written.
pub fn found_taken(op: OpKind, object: Address, pc: u64) {
    let g = g();
    let kind = if op == OpKind::WriteLock { AccessKind::UPDATE } else { AccessKind::READ };
    let kind = kind.with(AccessKind::ATOMIC);
    let access = Access { address: object, size: 1, kind, pc };
    g.cost += 1;
    time::uses(object, kind);
    if g.sleepers != 0 {
        crate::sleep::wake(&access);
    }
    emit(Rec::access(ThreadId(g.current as u16), &access));
    let word = g.fibers[g.current].pending.detail & WORD != 0;
    let size = if word { extent(op).min(4) } else { extent(op) };
    if meets_plain(op, object, size, 0) {
        let at = Address::memory(object.offset());
        let kind = AccessKind::READ.with(AccessKind::OF_OBJECT);
        time::touch(object.offset(), size, kind);
        put_access(&Access { address: at, size: size as u32, kind, pc });
    }
}

/// The running thread accesses memory, and has not done so yet.
#[inline(always)]
pub fn access(access: &Access) {
    put_access(access);
    if g().plan.record >= record::VALUES {
        value(access, 0);
        if access.kind.writes() {
            writes().push(access);
        }
    }
}

/// Plain writes of a step whose values are told when it ends.
const WRITES: usize = 8;

/// Plain writes of the step. They are made after they are announced, and nobody says when.
struct Writes {
    all: [(Address, u32); WRITES],
    count: usize,
}

static mut OPEN: Writes = Writes { all: [(Address(0), 0); WRITES], count: 0 };

fn writes() -> &'static mut Writes {
    // SAFETY: one kernel thread.
    unsafe { &mut OPEN }
}

impl Writes {
    fn push(&mut self, access: &Access) {
        if self.count < WRITES && access.size <= 8 && access.size.is_power_of_two() && readable(access) {
            self.all[self.count] = (access.address, access.size);
            self.count += 1;
        }
    }
}

/// A run begins: nobody has written anything.
pub fn begin_run() {
    writes().count = 0;
}

/// The step is over: what its plain writes have left, in runs that record values.
#[inline(always)]
pub fn writes_made() {
    if writes().count > 0 {
        tell_writes();
    }
}

/// The memory may be gone by now, so the kernel reads it.
#[cold]
fn tell_writes() {
    let open = writes();
    let count = core::mem::take(&mut open.count);
    for &(address, size) in &open.all[..count] {
        let mut left = 0u64;
        let to = [&raw mut left as u64, u64::from(size)];
        let from = [address.offset(), u64::from(size)];
        // SAFETY: both vectors have one member; what is read goes into eight bytes of our own.
        let read = unsafe {
            let me = sys::call(sys::GETPID, 0, 0, 0) as u64;
            sys::call6(sys::PROCESS_VM_READV, me, to.as_ptr() as u64, 1, from.as_ptr() as u64, 1, 0)
        };
        if read == i64::from(size) {
            store(Rec::new(Tag::Value, 2, ThreadId(g().current as u16), size, left, address.0));
        }
    }
}

/// The running thread has accessed memory atomically, and met a value there, if it is known.
#[inline(always)]
pub fn atomic(access: &Access, met: Option<u64>) {
    time::touch(access.address.offset(), access.size.into(), access.kind);
    put_access(access);
    let g = g();
    if g.plan.record >= record::VALUES && access.size <= 8 {
        if let Some(met) = met {
            store(Rec::new(Tag::Value, 0, ThreadId(g.current as u16), 0, met, 0));
        }
        value(access, 1);
    }
}

#[inline(always)]
fn put_access(access: &Access) {
    let g = g();
    if g.sleepers != 0 {
        crate::sleep::wake(access);
    }
    emit(Rec::access(ThreadId(g.current as u16), access));
    if g.plan.record >= record::STACKS {
        put_frames(g.current, 1, access.pc);
        standing::touched(access.address, access.pc);
    }
}

/// The value that is there now: before the access (0), or what it has left (1).
#[cold]
fn value(access: &Access, left: u8) {
    let at = access.address.offset();
    if access.size <= 8 && access.size.is_power_of_two() && readable(access) {
        // SAFETY: the program accesses these bytes itself. If they are not mapped the fault is its own.
        let value = unsafe {
            match access.size {
                1 => u64::from((at as *const u8).read_volatile()),
                2 => u64::from((at as *const u16).read_unaligned()),
                4 => u64::from((at as *const u32).read_unaligned()),
                _ => (at as *const u64).read_unaligned(),
            }
        };
        store(Rec::new(Tag::Value, left, ThreadId(g().current as u16), 0, value, 0));
    }
}

/// Has the access a value? Not beside blocks of the heap, where there may be no memory, and not at an object.
fn readable(access: &Access) -> bool {
    let at = access.address.offset();
    access.address.space() == Some(Space::Memory)
        && (!crate::heap::contains(at) || crate::valid::holds(at, access.size.into()))
}

/// An allocation of the running thread.
pub fn alloc(address: u64, size: u64, pc: u64) {
    let g = g();
    g.cost += 1;
    if g.active {
        crate::waiting::effect();
        emit(Rec::new(Tag::Alloc, 0, ThreadId(g.current as u16), size.min(u64::from(u32::MAX)) as u32, address, pc));
    }
}

/// A step of `thread` begins.
pub fn step(thread: usize, point: Point, enabled: &ThreadSet, alternatives: usize) {
    writes_made();
    let g = g();
    let b = alternatives as u64 | u64::from(g.passed_off) << 32;
    g.passed_off = 0;
    let number = g.fibers[thread].step;
    emit(Rec::new(Tag::Step, point as u8, ThreadId(thread as u16), number, enabled.0[0], b));
    if g.threads > 64 {
        more(Tag::MoreEnabled, enabled, emit);
    }
    if g.plan.record >= record::STACKS {
        crate::sched::each_blocked(|t, op, object, holder| {
            store(Rec::new(Tag::Blocked, op as u8, t, 0, object.0, holder))
        });
    }
    if g.plan.record >= record::STACKS {
        frames(thread);
    }
}

/// What of a set does not fit in one word.
pub fn more(tag: Tag, set: &ThreadSet, put: fn(Rec)) {
    let mut i = 1;
    while i < WORDS {
        let upper = if i + 1 < WORDS { set.0[i + 1] } else { 0 };
        if set.0[i] | upper != 0 {
            put(Rec::new(tag, 0, ThreadId(0), (i / 2) as u32, set.0[i], upper));
        }
        i += 2;
    }
}

/// The call stack of a thread, outermost first.
pub fn frames(thread: usize) {
    let f = &g().fibers[thread];
    // What the main thread was about to do before the run says nothing of where it begins.
    put_frames(thread, 0, if f.step == 0 { 0 } else { f.pending.pc });
}

/// `of_event`: 1 if it belongs to the access or operation recorded last, 0 if to the step. The thread is at `pc`.
fn put_frames(thread: usize, of_event: u8, pc: u64) {
    let g = g();
    let base = crate::aside::shadow_base(thread);
    let top = if thread == g.current { crate::state::shadow_top() } else { g.fibers[thread].shadow };
    let depth = (top.saturating_sub(base) / 8).min(256);
    // SAFETY: below the top of the thread's shadow stack.
    let announced = (0..depth).map(|i| unsafe { *((base + i * 8) as *const u64) });
    for (i, site) in (0..).zip(announced.chain(callers::of(thread, pc))) {
        store(Rec::new(Tag::Frame, of_event, ThreadId(thread as u16), i, site.wrapping_sub(1), 0));
    }
}

/// Notes a fact for the verdict.
#[inline(always)]
pub fn cover(fact: Coverage) {
    g().coverage |= fact.0;
}
