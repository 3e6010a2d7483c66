//! Endings for errors with memory and locks, with those who took part.
//!
//! The words here say what happened; who allocated and freed goes into records beside the trace, which are not part of its
//! hash, because stacks are known only where they are recorded.

use crate::api::barrier;
use crate::api::errno::EPERM;
use crate::block::{self, Damage, Deed, Giving, Header, Way};
use crate::control::finish;
use crate::libc::exceptions;
use crate::state::{g, me};
use crate::sys::Text;
use crate::{apart, callers, depot, dispatch, record};
use gabion_trace::shared::record::STACKS;
use gabion_trace::{Access, AccessKind, Address, Ending, OpKind, Rec, Role, Tag, ThreadId};

/// SIGABRT, as an allocator would raise it; SIGSEGV, as the processor might.
const ABORT: i32 = 6;
const FAULT: i32 = 11;

fn witness(role: Role, thread: u16, pc: u64, at: u64, size: u64, frames: &[u64]) {
    let size = size.min(u64::from(u32::MAX)) as u32;
    record::store(Rec::new(Tag::Witness, role as u8, ThreadId(thread), size, at, pc));
    self::frames(frames);
}

/// Call sites of the last witness, outermost first.
fn frames(sites: &[u64]) {
    for site in sites {
        record::store(Rec::new(Tag::WitnessFrame, 0, ThreadId(0), 0, site.wrapping_sub(1), 0));
    }
}

/// The running thread at the failing instruction.
fn here(pc: u64, at: u64, size: u64) {
    let g = g();
    let recorded = !g.active || g.plan.record >= STACKS;
    witness(Role::Failed, g.current as u16, pc, at, size, if recorded { depot::of(g.current) } else { &[] });
    if recorded {
        frames(callers::of(g.current, pc).as_slice());
    }
}

/// Any other failure of the running thread: where it was called from, if that is recorded.
pub fn failed(ending: Ending, pc: u64, at: u64) {
    use Ending::{Abort, Arithmetic, Assertion, BusError, Exit, IllegalInstruction, Segfault, Signal, StackOverflow};
    let alone = matches!(
        ending,
        Abort | Arithmetic | Assertion | BusError | Exit | IllegalInstruction | Segfault | Signal | StackOverflow
    );
    if ending == Ending::Unsupported {
        // Told at once, and only once: nobody repeats the run for it.
        let sites = depot::of(g().current);
        let [_, (stack, _)] = apart::frames(g().current, &raw const sites as u64);
        let announced = sites.last().copied().unwrap_or(0);
        let mut own = dispatch::own_calls(stack, pc.wrapping_add(1), announced);
        own.reverse();
        witness(Role::Failed, g().current as u16, pc, at, 0, sites);
        frames(&own[own.iter().take_while(|site| **site == 0).count()..]);
    } else if g().active && g().plan.record >= STACKS {
        if alone {
            here(pc, at, 0);
        } else if ending == Ending::Uncaught {
            let thrower = &g().fibers[exceptions::thrower()];
            deed(Role::Failed, &thrower.thrown, thrower.thrown_object, 0);
        }
    }
}

/// The thread that an ending is told of.
pub fn whose(ending: Ending) -> u16 {
    match ending {
        Ending::Uncaught => exceptions::thrower() as u16,
        _ => g().current as u16,
    }
}

fn deed(role: Role, deed: &Deed, at: u64, size: u64) {
    witness(role, deed.thread, deed.pc, at, size, depot::each(deed.stack));
}

/// A block, with all that was done to it.
fn history(at: u64, header: &Header) {
    deed(Role::Allocated, &header.allocated, at, header.size);
    if !header.is_live() {
        deed(Role::Freed, &header.freed, at, header.size);
    }
}

/// Blocks that are told of at most.
const PRESENT: usize = 4096;

/// A run begins: says where the blocks were allocated that are there already, to those who will name a race in one.
pub fn present() {
    if g().plan.record >= STACKS {
        for (at, header) in block::each(0).filter(|(_, header)| header.is_live()).take(PRESENT) {
            deed(Role::Present, &header.allocated, at, header.size);
        }
    }
}

/// Records that are left for an ending, whatever else there is to tell.
const ROOM: isize = 1 << 20;

/// A run ends: says where the blocks were allocated that came after those, the newest of each thread first. Not if a trace could
/// become too long by it: how the run ends is what it is about.
pub fn made() {
    let g = g();
    // SAFETY: both point into the slot's records.
    let room = || unsafe { g.out_end.offset_from(g.out) } > ROOM;
    if g.active && g.plan.record >= STACKS && room() {
        let old = crate::reset::main_end();
        let of_thread = |thread| block::each(thread).take_while(move |(at, _)| thread != 0 || *at >= old);
        for (at, header) in (0..g.threads).flat_map(of_thread).take(PRESENT) {
            deed(Role::Made, &header.allocated, at, header.size);
        }
    }
}

fn verb(kind: AccessKind) -> &'static str {
    match (kind.reads(), kind.writes()) {
        (true, true) => "an update",
        (_, true) => "a write",
        _ => "a read",
    }
}

/// What failed takes part in conflicts like anything else.
fn note(at: u64, size: u64, kind: AccessKind, pc: u64) {
    if g().active {
        let size = size.min(u64::from(u32::MAX)) as u32;
        record::access(&Access { address: Address::memory(at), size, kind, pc });
    }
}

fn s(n: u64) -> &'static str {
    if n == 1 { "" } else { "s" }
}

/// An access to the heap that is not to a live block. Comes back if nothing was handed out there: the hardware may judge.
pub fn access(at: u64, size: u64, kind: AccessKind, pc: u64) {
    let Some((start, header)) = block::nearest(at) else { return };
    note(at, size, kind, pc);
    let (what, block) = (verb(kind), header.size);
    let end = start + block;
    let inside = (start..end).contains(&at);
    let mut ending = Ending::HeapOverflow;
    let text = if inside && !header.is_live() {
        ending = Ending::UseAfterFree;
        Text::<256>::format(format_args!(
            "{what} of {size} byte{} at offset {} of a freed block of {block} byte{}",
            s(size),
            at - start,
            s(block)
        ))
    } else if inside {
        let past = at.saturating_add(size).saturating_sub(end);
        Text::format(format_args!(
            "overflow: {what} of {size} bytes at offset {} goes {past} byte{} beyond the end of a block of {block} byte{}",
            at - start,
            s(past),
            s(block)
        ))
    } else if at >= end {
        Text::format(format_args!(
            "overflow: {what} of {size} byte{}, {} byte{} past the end of a {}block of {block} byte{}",
            s(size),
            at - end,
            s(at - end),
            if header.is_live() { "" } else { "freed " },
            s(block)
        ))
    } else {
        Text::format(format_args!(
            "underflow: {what} of {size} byte{}, {} byte{} before the start of a {}block of {block} byte{}",
            s(size),
            start - at,
            s(start - at),
            if header.is_live() { "" } else { "freed " },
            s(block)
        ))
    };
    here(pc, at, size);
    history(start, header);
    finish(ending, FAULT, pc, at, text.as_bytes())
}

/// An access to the stack of a thread that has ended.
#[cold]
#[inline(never)]
pub fn ended_stack(owner: usize, at: u64, size: u64, kind: AccessKind, pc: u64) -> ! {
    note(at, size, kind, pc);
    let what = verb(kind);
    let text = Text::<256>::format(format_args!(
        "{what} of {size} byte{} in the stack of T{owner}, a thread that has ended",
        s(size)
    ));
    here(pc, at, size);
    witness(Role::Created, g().fibers[owner].parent, 0, owner as u64, 0, &[]);
    finish(Ending::UseAfterFree, FAULT, pc, at, text.as_bytes())
}

/// What is freed is no block, or no longer.
pub fn free(at: u64, pc: u64) -> ! {
    let in_heap = crate::heap::contains(at);
    if in_heap {
        note(at, 1, AccessKind::WRITE.with(AccessKind::FREE), pc);
    }
    here(pc, at, 0);
    if let Some(header) = block::at(at) {
        history(at, header);
        let text = Text::<128>::format(format_args!(
            "a block of {} byte{} is freed that was freed before",
            header.size,
            s(header.size)
        ));
        finish(Ending::DoubleFree, ABORT, pc, at, text.as_bytes())
    }
    let near = if in_heap { block::nearest(at) } else { None };
    if let Some((start, header)) = near
        && (start..=start + header.size).contains(&at)
    {
        history(start, header);
        let text = Text::<160>::format(format_args!(
            "a pointer is freed that is not the start of a block: it lies at offset {} of a {}block of {} byte{}",
            at - start,
            if header.is_live() { "" } else { "freed " },
            header.size,
            s(header.size)
        ));
        finish(Ending::BadFree, ABORT, pc, at, text.as_bytes())
    }
    finish(Ending::BadFree, ABORT, pc, at, b"a pointer is freed that is not the start of an allocated block")
}

/// A block is given back in another way than it was taken, or as one of another size or alignment.
#[cold]
#[inline(never)]
pub fn mismatched(at: u64, header: &Header, giving: &Giving, pc: u64) -> ! {
    note(at, 1, AccessKind::WRITE.with(AccessKind::FREE), pc);
    let (size, taken) = (header.size, &header.allocated);
    let (from, to) = (taken.way.taker(), giving.way.giver());
    let text = match (giving.size, taken.alignment(), giving.align) {
        _ if taken.way != giving.way => {
            Text::<160>::format(format_args!("a block of {size} byte{} from {from} is given to {to}", s(size)))
        }
        (_, Some(asked), Some(said)) if asked != said && giving.way == Way::Malloc => Text::format(format_args!(
            "a block of {size} byte{} with alignment {asked} is given back with a layout of alignment {said}",
            s(size)
        )),
        (Some(said), ..) if giving.way == Way::Malloc => Text::format(format_args!(
            "a block of {size} byte{} is given back with a layout of {said} byte{}",
            s(size),
            s(said)
        )),
        (_, Some(asked), Some(said)) if asked != said => Text::format(format_args!(
            "a block of {size} byte{} from {from} with alignment {asked} is given to {to} with alignment {said}",
            s(size)
        )),
        (_, Some(asked), None) => Text::format(format_args!(
            "a block of {size} byte{} from {from} with alignment {asked} is given to {to} without alignment",
            s(size)
        )),
        (_, None, Some(said)) => Text::format(format_args!(
            "a block of {size} byte{} from {from} without alignment is given to {to} with alignment {said}",
            s(size)
        )),
        (said, ..) => {
            let said = said.unwrap_or(size);
            Text::format(format_args!(
                "a block of {size} byte{} from {from} is given to {to} as one of {said} byte{}",
                s(size),
                s(said)
            ))
        }
    };
    here(pc, at, 0);
    history(at, header);
    finish(Ending::BadFree, ABORT, pc, at, text.as_bytes())
}

/// Code without instrumentation has written around a block, which is freed now.
pub fn damaged(at: u64, header: &Header, damage: Damage, pc: u64) -> ! {
    let (what, where_) = match damage {
        Damage::After => ("overflow", "past the end"),
        Damage::Before => ("underflow", "before the start"),
    };
    let text = Text::<160>::format(format_args!(
        "{what}: bytes {where_} of a block of {} byte{} were overwritten, as is seen now that it is freed",
        header.size,
        s(header.size)
    ));
    here(pc, at, 0);
    history(at, header);
    finish(Ending::HeapOverflow, ABORT, pc, at, text.as_bytes())
}

/// Nothing points to a block at the end.
pub fn leaked(at: u64, header: &Header, blocks: u64, bytes: u64) -> ! {
    let text = Text::<160>::format(format_args!(
        "{bytes} byte{} in {blocks} block{} were not freed, and nothing points to them at the end",
        s(bytes),
        s(blocks)
    ));
    history(at, header);
    finish(Ending::Leak, 0, header.allocated.pc, at, text.as_bytes())
}

/// Somebody waits for ever for a mutex that a thread took at `pc`.
pub fn locked_before(thread: usize, mutex: u64, pc: u64) {
    witness(Role::Locked, thread as u16, pc, mutex, 0, &[]);
}

/// A thread waits when the run ends: where it was called from, and at a barrier for how many, if that is recorded.
pub fn waits(thread: usize) {
    if g().plan.record >= STACKS {
        let pending = &g().fibers[thread].pending;
        let size = if pending.op == OpKind::BarrierWait { barrier::needed(pending.detail) } else { 0 };
        witness(Role::Waits, thread as u16, pending.pc, pending.object.offset(), size, depot::of(thread));
        frames(callers::of(thread, pending.pc).as_slice());
    }
}

/// The running thread throws `object` or panics: where, if that is recorded.
pub fn raised(pc: u64, object: u64) {
    let g = g();
    if g.active && g.plan.record >= STACKS {
        let step = u64::from(me().step.saturating_sub(1));
        witness(Role::Raised, g.current as u16, pc, object, step, depot::of(g.current));
    }
}

/// The run ends: what the program calls its threads.
pub fn names() {
    let g = g();
    if g.active && g.plan.record >= STACKS {
        for (thread, fiber) in g.fibers[..g.threads].iter().enumerate().filter(|(_, f)| f.name[0] != 0) {
            let half = |at: usize| core::array::from_fn(|i| fiber.name[at + i]);
            let (a, b) = (u64::from_le_bytes(half(0)), u64::from_le_bytes(half(8)));
            record::store(Rec::new(Tag::Name, 0, ThreadId(thread as u16), 0, a, b));
        }
    }
}

/// An operation on a synchronisation object gets a null pointer.
#[cold]
#[inline(never)]
pub fn null_object(address: u64, pc: u64) -> ! {
    finish(Ending::Segfault, FAULT, pc, address, b"null pointer access")
}

/// `call` gets a handle that belongs to no thread.
#[cold]
#[inline(never)]
pub fn no_thread(call: &str, handle: u64, pc: u64) -> ! {
    let text = format(format_args!("{call} is given {handle:#x}, which is the handle of no thread"));
    finish(Ending::Segfault, FAULT, pc, handle, text.as_bytes())
}

/// `call` gets the handle of a thread that was joined before, or had been detached and has ended: the C library has given its
/// memory back, or to another thread.
#[cold]
#[inline(never)]
pub fn gone_thread(call: &str, id: usize, joined: bool, pc: u64) -> ! {
    let why = if joined { "was joined before" } else { "was detached and has ended" };
    let text = format(format_args!("{call} is given the handle of T{id}, which {why}"));
    here(pc, 0, 0);
    finish(Ending::UseAfterFree, FAULT, pc, 0, text.as_bytes())
}

/// What is wrong with the use of a lock or condition variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Misuse {
    /// Unlocked by who does not hold it.
    Unlock,
    /// Destroyed while it is held.
    DestroyHeld,
    /// Destroyed while threads wait.
    DestroyAwaited,
    /// Used after it was destroyed.
    UseDestroyed,
    /// Used without having been initialised.
    UseUnset,
    /// Initialised again while threads wait.
    InitAwaited,
    /// The memory that it lies in is freed while it is held.
    FreeHeld,
    /// Waited with by who does not hold it.
    WaitUnheld,
    /// Waited with while others wait with another one.
    WaitOther,
}

/// A lock or condition variable is used as its contract forbids: operation `op` on `object`, which is `what`. `holder`
/// holds it, or is in the way.
#[cold]
#[inline(never)]
pub fn lock(misuse: Misuse, what: &str, op: OpKind, object: u64, holder: Option<usize>, pc: u64) -> ! {
    record::op(op, Address::object(object), EPERM as u32, pc);
    let text = match (misuse, holder) {
        (Misuse::Unlock, Some(holder)) => format(format_args!("a {what} is unlocked that T{holder} holds")),
        (Misuse::Unlock, None) => format(format_args!("a {what} is unlocked that nobody holds")),
        (Misuse::DestroyHeld, Some(holder)) => format(format_args!("a {what} is destroyed that T{holder} holds")),
        (Misuse::DestroyHeld, None) => format(format_args!("a {what} is destroyed that somebody holds")),
        (Misuse::DestroyAwaited, _) => format(format_args!("a {what} is destroyed that a thread waits for")),
        (Misuse::UseDestroyed, _) => format(format_args!("a {what} is used that was destroyed")),
        (Misuse::UseUnset, _) => format(format_args!("a {what} is used that was never initialised")),
        (Misuse::InitAwaited, _) => format(format_args!("a {what} is initialised again while a thread waits for it")),
        (Misuse::FreeHeld, Some(holder)) => {
            format(format_args!("a block is freed with a {what} in it that T{holder} holds"))
        }
        (Misuse::FreeHeld, None) => format(format_args!("a block is freed with a {what} in it that somebody holds")),
        (Misuse::WaitUnheld, _) => {
            format(format_args!("a thread waits on a condition variable with a mutex that it does not hold"))
        }
        (Misuse::WaitOther, _) => format(format_args!("threads wait on one condition variable with different mutexes")),
    };
    here(pc, object, 0);
    if let Some(holder) = holder {
        // Where, if that was before the run began: the trace does not know.
        let place = if what == "mutex" { crate::api::mutex::place(object) } else { 0 };
        witness(Role::Locked, holder as u16, place, object, 0, &[]);
    }
    finish(Ending::LockMisuse, 0, pc, object, text.as_bytes())
}

/// The running thread is about to write to the bytes of an object, which is `what`, that a thread waits for.
#[cold]
#[inline(never)]
pub fn written_over(what: &str, object: u64, pc: u64) -> ! {
    note(object, 1, AccessKind::WRITE, pc);
    let text = format(format_args!("a {what} is written over while a thread waits for it"));
    here(pc, object, 0);
    finish(Ending::LockMisuse, 0, pc, object, text.as_bytes())
}

fn format(words: core::fmt::Arguments<'_>) -> Text<128> {
    Text::format(words)
}
