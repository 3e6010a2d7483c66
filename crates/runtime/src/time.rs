//! Virtual time. It follows the order of dependent steps: a thread's clock advances by what it sleeps and each time it looks, and is never
//! behind that of an earlier step that its own depends on. So no clock runs backwards along an order that the program can see, and steps
//! that commute give the same times in either order.
//!
//! A look takes a microsecond. A loop that looks until some time has come takes longer with every round, so that it is over after a few: how much
//! time passes between two looks is up to the machine, and rounds in which nothing happens are not worth a run each.

use crate::interpose::{ENTRY, caller};
use crate::record;
use crate::state::{g, me};
use core::ops::Range;
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{AccessKind, Address, Coverage};

/// When virtual time starts: 2020-01-01, in nanoseconds. Monotonic clocks read the time since then plus [`UPTIME`].
pub const EPOCH: u64 = 1_577_836_800_000_000_000;
/// What monotonic clocks read at the start.
pub const UPTIME: u64 = 100_000_000_000;
/// Time passes when it is looked at, or a program that waits for it by looking would never end.
const LOOK: u64 = 1000;
/// Most time that passes with a look.
const LONGEST: u64 = 60_000_000_000;
/// A look takes so many times as long as the one before, as a power of two, if the thread has come back to it without progress; and if not.
const IDLE: u32 = 4;
const BUSY: u32 = 1;
/// Looks at one place before the thread is taken to work until some time has come.
const WORKING: u32 = 8;
/// Places at which a thread looks that are kept.
const PLACES: usize = 4;
const CELLS: usize = 1024;
/// Cells in use beyond which objects share one, so that each is found after a few looks.
const MOST: usize = CELLS * 3 / 4;
/// Words of an access that have cells: of a larger one the first.
const WORDS: u64 = 64;

/// A call that looks at the clock.
#[derive(Clone, Copy)]
struct Place {
    pc: u64,
    sp: u64,
    looks: u32,
    /// The thread's progress at the last look.
    progress: u64,
    /// By how much the next one takes longer than the first, as a power of two.
    longer: u32,
}

const NOWHERE: Place = Place { pc: 0, sp: 0, looks: 0, progress: 0, longer: 0 };

/// A thread's places, and which of them is given up for another.
struct Looks {
    places: [Place; PLACES],
    next: usize,
}

static mut LOOKS: [Looks; MAX_THREADS] = [const { Looks { places: [NOWHERE; PLACES], next: 0 } }; MAX_THREADS];

fn looks(thread: usize) -> &'static mut Looks {
    // SAFETY: one kernel thread; a thread's number is below the length.
    unsafe { &mut LOOKS[thread] }
}

impl Looks {
    fn forget(&mut self) {
        if self.places[0].looks > 0 {
            *self = Looks { places: [NOWHERE; PLACES], next: 0 };
        }
    }

    /// How long a look takes.
    fn takes(&mut self, pc: u64, sp: u64, progress: u64) -> u64 {
        let known = self.places.iter().position(|place| (place.pc, place.sp) == (pc, sp));
        let at = known.unwrap_or(self.next);
        let place = &mut self.places[at];
        if known.is_none() {
            *place = Place { pc, sp, ..NOWHERE };
            self.next = (self.next + 1) % PLACES;
        } else if place.progress == progress {
            place.longer += IDLE;
        } else if place.looks >= WORKING {
            place.longer += BUSY;
        }
        place.looks = place.looks.saturating_add(1);
        (place.progress, place.longer) = (progress, place.longer.min(LONGEST.ilog2()));
        (LOOK << place.longer).min(LONGEST)
    }
}

/// The latest times of steps that have used an object (the first of these), or each of eight bytes of memory.
#[derive(Clone, Copy)]
struct Cell {
    object: u64,
    /// By steps that changed it, which every later one depends on.
    written: [u64; 8],
    /// By all others, which only later changes depend on.
    read: [u64; 8],
}

const EMPTY: Cell = Cell { object: 0, written: [0; 8], read: [0; 8] };

struct Times {
    /// By object; the last one is shared by those that have no place.
    cells: [Cell; CELLS + 1],
    /// Which are in use.
    places: [u16; MOST],
    used: usize,
    /// Some thread's clock has moved.
    moved: bool,
}

static mut TIMES: Times = Times { cells: [EMPTY; CELLS + 1], places: [0; MOST], used: 0, moved: false };

fn times() -> &'static mut Times {
    // SAFETY: one kernel thread.
    unsafe { &mut TIMES }
}

/// At the start of a run. A program that reads the clock before it becomes concurrent keeps what its main fiber read.
pub fn reset() {
    let t = times();
    t.places[..t.used].iter().for_each(|place| t.cells[*place as usize] = EMPTY);
    t.cells[CELLS] = EMPTY;
    t.used = 0;
    t.moved = g().fibers[0].time > 0;
    looks(0).forget();
}

/// The running thread looks at its clock: nanoseconds since the start.
pub fn look() -> u64 {
    crate::waiting::minor_effect(); // what it sees next time will be another
    let g = g();
    // SAFETY: one kernel thread.
    let sp = unsafe { ENTRY[0] };
    pass(match g.active {
        true => looks(g.current).takes(caller(), sp, crate::guess::own_progress()),
        false => LOOK,
    });
    crate::rounds::value(0, me().time);
    me().time
}

/// The running thread lets time pass. Where threads have met at memory that counts from the next run on only, nobody has kept the order, and
/// no clock is behind any other.
pub fn pass(nanoseconds: u64) {
    if g().coverage & (Coverage::NEW_CONTENDED.0 | Coverage::NEW_SHARED_STACK.0) != 0 {
        let latest = g().fibers[..g().threads].iter().map(|f| f.time).max();
        me().time = latest.unwrap_or(0);
    }
    let f = me();
    f.time = f.time.saturating_add(nanoseconds);
    times().moved = true;
    record::cover(Coverage::TIME);
}

/// The running thread's clock reads at least this.
pub fn reach(time: u64) {
    let f = me();
    f.time = f.time.max(time);
    times().moved = true;
    record::cover(Coverage::TIME);
}

fn cell(object: u64) -> &'static mut Cell {
    let t = times();
    let mut i = (object.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54) as usize;
    while t.cells[i].object != object {
        if t.cells[i].object == 0 {
            if t.used == MOST {
                record::cover(Coverage::TIME_TABLE);
                return &mut t.cells[CELLS];
            }
            t.places[t.used] = i as u16;
            t.used += 1;
            t.cells[i].object = object;
            break;
        }
        i = (i + 1) % CELLS;
    }
    &mut t.cells[i]
}

/// The running thread uses an object: its time is not before that of earlier uses that this one depends on.
#[inline(always)]
pub fn uses(object: Address, kind: AccessKind) {
    if times().moved {
        meet(object.0, 0..1, kind);
    }
}

/// The same of memory.
#[inline(always)]
pub fn touch(at: u64, size: u64, kind: AccessKind) {
    if times().moved {
        touched(at, size, kind);
    }
}

#[inline(never)]
fn touched(at: u64, size: u64, kind: AccessKind) {
    let (end, mut word) = (at.saturating_add(size), at & !7);
    let last = word.saturating_add(WORDS * 8);
    while word < end.min(last) {
        let (from, to) = (at.saturating_sub(word).min(8), (end - word).min(8));
        meet(Address::memory(word).0, from as usize..to as usize, kind);
        word += 8;
    }
}

fn meet(object: u64, bytes: Range<usize>, kind: AccessKind) {
    let (f, c) = (me(), cell(object));
    let latest = |times: &[u64; 8]| times[bytes.clone()].iter().copied().max().unwrap_or(0);
    if kind.writes() {
        f.time = f.time.max(latest(&c.written)).max(latest(&c.read));
        c.written[bytes].fill(f.time);
    } else if kind.reads() {
        f.time = f.time.max(latest(&c.written));
        c.read[bytes].iter_mut().for_each(|read| *read = f.time.max(*read));
    }
}

/// The running thread lets another go on: that one's time is not before its own.
pub fn lets_go(thread: usize) {
    let time = me().time;
    let other = &mut g().fibers[thread];
    other.time = other.time.max(time);
}

/// A new thread starts with its creator's time.
pub fn inherit(parent: usize, child: usize) {
    let g = g();
    looks(child).forget();
    g.fibers[child].time = g.fibers[parent].time;
}
