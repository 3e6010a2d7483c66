//! Plain accesses.
//!
//! A hook comes before its access, so the point is before both. Accesses to the thread's own stack and thread-local
//! storage are private until another thread is seen to touch them; then the campaign starts again with that stack in
//! the plan's list of shared ones. Accesses to memory that is quiet (see `quiet`) are no points and are not recorded. The same access by the same instruction is recorded once between two
//! synchronisations of a step.

use super::own;
use crate::apart::{APART, ROOM};
use crate::api::awaited;
use crate::control::finish;
use crate::fiber::Fiber;
use crate::places::{OURS_END, PRIVATE, STACK_SPAN, STACKS, STACKS_END};
use crate::quiet;
use crate::record;
use crate::sched;
use crate::seal;
use crate::standard;
use crate::state::{WATCHING, g, me};
use crate::time;
use crate::trust;
use crate::valid;
use crate::waiting::{self, Eager, Seen};
use core::arch::naked_asm;
use gabion_trace::shared::MAX_RACE_POINTS;
use gabion_trace::{Access, AccessKind, Address, Coverage, Ending, OpKind, Point, Rec, Tag, ThreadId};

const SEEN: usize = 256;

struct Memory {
    /// Accesses recorded since the last synchronisation: (address, instruction, kind and size, epoch).
    seen: [(u64, u64, u64, u64); SEEN],
    epoch: u64,
    /// Instructions that are points: (instruction, 1 + thread or 0), sorted.
    races: [(u64, u32); MAX_RACE_POINTS],
    race_count: usize,
}

static mut MEMORY: Memory =
    Memory { seen: [(0, 0, 0, 0); SEEN], epoch: 1, races: [(0, 0); MAX_RACE_POINTS], race_count: 0 };

fn memory() -> &'static mut Memory {
    // SAFETY: one kernel thread.
    unsafe { &mut MEMORY }
}

/// A step begins, or one goes on after a synchronisation: clocks and locks may differ, so accesses count anew.
#[inline(always)]
pub fn new_segment() {
    memory().epoch += 1;
}

/// Takes the plan's instruction points.
pub fn load_races() {
    let (g, m) = (g(), memory());
    m.race_count = 0;
    for i in g.plan.choices as usize..g.plan.records as usize {
        // SAFETY: below the number of records in the slot.
        let rec = unsafe { *g.choices.add(i) };
        if rec.tag() == Some(Tag::RacePoint) && m.race_count < MAX_RACE_POINTS {
            m.races[m.race_count] = (rec.a, rec.n());
            m.race_count += 1;
        }
    }
    m.races[..m.race_count].sort_unstable();
}

/// Is this instruction one that the plan names?
#[inline(always)]
pub fn is_race_point(pc: u64) -> bool {
    memory().race_count > 0 && is_among_races(pc)
}

#[cold]
fn is_among_races(pc: u64) -> bool {
    let (g, m) = (g(), memory());
    let from = m.races[..m.race_count].partition_point(|r| r.0 < pc);
    m.races[from..m.race_count].iter().take_while(|r| r.0 == pc).any(|r| r.1 == 0 || r.1 as usize == g.current + 1)
}

/// Whose stack or thread-local storage an address is in.
fn stack_owner(at: u64) -> Option<usize> {
    let g = g();
    if (STACKS..STACKS_END).contains(&at) {
        return Some(((at - STACKS) / STACK_SPAN) as usize);
    }
    (at >= g.main_tls.0 && at < g.main_tls.1).then_some(0)
}

/// Is the address in the running thread's own stack, not known to be shared?
pub fn is_private(at: u64) -> bool {
    let g = g();
    stack_owner(at).is_some_and(|owner| owner == g.current && !g.shared_stacks.has(owner))
}

/// Is the address on the thread's own stack, which `waiting` compares? What is quiet there nobody else sees, though the
/// stack may be shared.
#[inline(always)]
fn on_own_stack(f: &Fiber, at: u64) -> bool {
    (f.stack_low..f.base).contains(&at)
}

/// A thread that touches another's stack shows that the stack is shared.
pub fn learn_shared(at: u64) {
    let g = g();
    if let Some(owner) = stack_owner(at)
        && owner != g.current
        && !g.shared_stacks.has(owner)
    {
        g.shared_stacks.insert(owner);
        record::cover(Coverage::NEW_SHARED_STACK);
        record::store(Rec::new(Tag::SharedStack, 0, ThreadId(owner as u16), 0, 0, 0));
    }
}

/// Would a call that touches this byte at this instruction have a point because of it?
pub fn counts(at: u64, pc: u64) -> bool {
    quiet::is_contended(at) || is_race_point(pc)
}

/// A call of the running thread has no point, for all that is known before it is made: `at` is the first place that others
/// could touch. If it turns out to touch contended memory, that place is to count as contended as well.
pub fn leave_out(at: u64) {
    let f = me();
    (f.pointed, f.left_out, f.pointed_at) = (true, at, 0);
}

/// An announced access of the running thread, which it makes next. Gives 0: compilers align stacks with `push rax`, and
/// what `waiting` compares shall not hold what happened to be in there.
pub extern "C" fn announced(at: u64, size: u64, kind: u64, pc: u64) -> u64 {
    if g().active {
        announce(at, size, kind, pc);
    }
    valid::check(at, size, AccessKind(kind as u8), pc);
    0
}

/// The same by code that is surely trusted: nothing is left of it but whether it may.
pub extern "C" fn by_trusted(at: u64, size: u64, word: u64, pc: u64) -> u64 {
    let (g, kind) = (g(), AccessKind(word as u8));
    if g.active {
        g.step_accesses += 1;
        if g.step_accesses > g.plan.max_accesses || !is_trust_all(at, kind) {
            first_apart(at, size, word, pc);
        } else {
            go_by(kind);
            if kind.writes() && !(own::holds(at) && on_own_stack(me(), at)) {
                crate::rounds::unseen();
                waiting::effect();
            }
        }
    }
    valid::check(at, size, kind, pc);
    0
}

/// What others see of an access. Three ways need nothing of what `announced_first` does: the thread's own stack, code of a
/// library that is trusted, and what the thread has done before to quiet memory, the way that long loops take.
#[inline(always)]
fn announce(at: u64, size: u64, word: u64, pc: u64) {
    let g = g();
    let kind = AccessKind(word as u8);
    g.step_accesses += 1;
    if g.step_accesses > g.plan.max_accesses {
        return first_apart(at, size, word, pc);
    }
    let f = me();
    let changes = kind.writes() || kind.has(AccessKind::FREE);
    if own::holds(at) {
        go_by(kind);
        if changes && !on_own_stack(f, at) {
            alters_own(at, size, kind, pc); // its own thread-local storage, which is not compared
        }
        return;
    }
    if standard::surely_trusts(pc) && is_trust_all(at, kind) {
        go_by(kind);
        if changes {
            crate::rounds::unseen();
            waiting::effect();
        }
        return;
    }
    // What a cache happens to hold must make no difference: who is not in it goes the long way, which puts it there.
    if memory().race_count == 0 && !trust::any() && standard::is_known(pc) && quiet::again(at, size, kind) {
        go_by(kind);
        if changes && !on_own_stack(f, at) {
            alters_own(at, size, kind, pc);
        }
        return quiet::pass(pc);
    }
    first_apart(at, size, word, pc);
}

/// The running thread is about to change memory that nobody else accesses.
#[inline(always)]
fn alters_own(at: u64, size: u64, kind: AccessKind, pc: u64) {
    // Of a statement's accesses that are announced together nobody knows when each is made.
    if kind.has(AccessKind::FREE) || kind.has(AccessKind::JOINED) {
        crate::rounds::unseen();
        waiting::effect();
    } else {
        waiting::will_write(at, size, Seen::ByItself, pc);
    }
}

/// An access is no point and is not recorded. What belongs to a statement that has had its point leaves that as it is.
#[inline(always)]
fn go_by(kind: AccessKind) {
    let f = me();
    if !(kind.has(AccessKind::JOINED) && f.pointed) {
        (f.pointed, f.left_out) = (false, 0);
    }
}

/// Is there nothing else to ask of an access by trusted code?
#[inline(always)]
fn is_trust_all(at: u64, kind: AccessKind) -> bool {
    !kind.has(AccessKind::FREE) && !trust::any() && !(PRIVATE..OURS_END).contains(&at)
}

/// Any other announced access, on a stack of the runtime's own. What comes before leaves nothing on the program's
/// stack but values of its own: `apart` has the reason, and moving everybody there would cost long loops a fifth.
#[unsafe(naked)]
extern "C" fn first_apart(_at: u64, _size: u64, _kind: u64, _pc: u64) {
    naked_asm!(apart!(), apart = sym APART, room = const ROOM, body = sym announced_first)
}

extern "C" fn announced_first(at: u64, size: u64, kind: u64, pc: u64) {
    let g = g();
    if g.step_accesses > g.plan.max_accesses {
        too_many(at, pc);
    }
    if (PRIVATE..OURS_END).contains(&at) {
        // Memory of the runtime: in a program of its own there would be nothing.
        finish(Ending::Segfault, 11, pc, at, b"invalid memory access");
    }
    let kind = AccessKind(kind as u8);
    let f = me();
    let joined = kind.has(AccessKind::JOINED) && f.pointed;
    let left_out = if joined { f.left_out } else { 0 };
    (f.pointed, f.left_out) = (joined, left_out);
    let changes = kind.writes() || kind.has(AccessKind::FREE);
    if is_private(at) {
        if changes && !on_own_stack(f, at) {
            alters_own(at, size, kind, pc); // its own thread-local storage, which is not compared
        }
        return;
    }
    if trust::leaves_out(at, size, kind, joined, pc) {
        return;
    }
    if !kind.has(AccessKind::FREE) && standard::trusts(pc) {
        if changes {
            crate::rounds::unseen();
            waiting::effect();
        }
        return;
    }
    learn_shared(at);
    if !quiet::plain(at, size, kind) && !is_race_point(pc) {
        if changes && !on_own_stack(f, at) {
            alters_own(at, size, kind, pc);
        }
        return quiet::pass(pc);
    }
    if left_out != 0 {
        quiet::tell(left_out, 1);
    }
    if !joined {
        f.pointed_at = pc;
    }
    (f.pointed, f.left_out) = (true, 0);
    // What has no point of its own goes by the instruction that has: that is where one can be asked for.
    let named = if joined && f.pointed_at != 0 { f.pointed_at } else { pc };
    let address = Address::memory(at);
    let may_repeat = changes && size <= 8 && !kind.has(AccessKind::FREE) && (!joined || on_own_stack(f, at));
    if changes && !may_repeat {
        waiting::effect();
    }
    let waits = match kind.has(AccessKind::VOLATILE) {
        _ if joined || changes => false,
        false => waiting::visit_plain(at, pc),
        true => waiting::visit(OpKind::Access, at, pc, Eager::Yes),
    };
    if waits {
        sched::wait(OpKind::Access, address, pc);
    } else if !joined {
        let f = me();
        if f.life != crate::fiber::Life::Starting && standard::is_part(pc) {
            quiet::pass(pc); // its operation has had its point
        } else if g.points.has(Point::Everywhere) || f.force || f.life == crate::fiber::Life::Starting {
            sched::reach(OpKind::Access, address, pc);
        } else if !f.alone && is_race_point(pc) {
            race_point(address, pc);
        } else {
            g.pass(Point::Everywhere);
            g.passed_off += 1;
            quiet::pass_off(pc);
        }
    }
    if kind.writes() && !kind.has(AccessKind::FREE) {
        awaited::written(at, size, pc);
    }
    let access = Access { address, size: size.min(u64::from(u32::MAX)) as u32, kind, pc: named };
    super::wide::check(&access, joined);
    time::touch(at, size, kind);
    note(&access);
    if may_repeat {
        waiting::will_write(at, size, Seen::ByOthers, pc);
    } else if !changes {
        let eager = if kind.has(AccessKind::VOLATILE) { Eager::Yes } else { Eager::No };
        waiting::will_see(at, size, pc, eager);
    }
}

/// The step has made more accesses than the limit. Where other threads can run it may wait for one of them, in a way that was not recognised: they
/// get a turn, and only a thread that goes round and round while nobody else can run is in a loop without an end.
#[cold]
fn too_many(at: u64, pc: u64) {
    let g = g();
    let others = g.live.iter().any(|t| t != g.current && sched::enabled(t));
    let starting = me().life == crate::fiber::Life::Starting;
    let had_turn = me().pending.op == OpKind::Pause;
    if !others && !starting {
        finish(Ending::StepTooLong, 0, pc, at, b"a step made more accesses than the limit");
    }
    if had_turn && !starting {
        finish(Ending::StepCut, 0, pc, at, b"a step made more accesses than the limit, while other threads could run");
    }
    sched::reach(OpKind::Pause, Address(0), pc);
}

/// A named instruction is a point whatever the classes say.
fn race_point(address: Address, pc: u64) {
    let g = g();
    g.pass(Point::Race);
    if seal::seals_off(Point::Race, pc) {
        g.passed_off += 1;
        return;
    }
    let f = me();
    f.pending = crate::state::Pending { op: OpKind::Access, object: address, pc, detail: 0 };
    sched::schedule(Point::Race);
}

/// Records an access, once between two synchronisations.
fn note(access: &Access) {
    let m = memory();
    let key = u64::from(access.kind.0) << 32 | u64::from(access.size);
    let slot = ((access.address.0 ^ access.pc << 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SEEN;
    let entry = (access.address.0, access.pc, key, m.epoch);
    if m.seen[slot] != entry {
        m.seen[slot] = entry;
        record::access(access);
    }
}

/// A range that a library function touches on behalf of the running thread, at the program's instruction `pc`.
pub fn range(at: u64, size: u64, kind: AccessKind, pc: u64) {
    // SAFETY: one kernel thread.
    if size > 0 && unsafe { WATCHING } != 0 {
        announced(at, size, u64::from(kind.with(AccessKind::RANGE).0), pc);
    }
}

/// The point of a call that begins at an address. Whether it will touch anything there is not known yet.
pub fn point(at: u64, kind: AccessKind, pc: u64) {
    if g().active {
        announce(at, 1, u64::from(kind.with(AccessKind::RANGE).0), pc);
    }
}

/// As [`range`], for a further range of the same call: no point of its own.
pub fn joined_range(at: u64, size: u64, kind: AccessKind, pc: u64) {
    range(at, size, kind.with(AccessKind::JOINED), pc);
}
