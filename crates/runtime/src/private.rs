//! A thread's private state: all that its future depends on but shared memory.
//!
//! That is what a call preserves, because hooks and library functions are calls: the registers of [`ENTRY`], the stack
//! from there up to its base, the floating-point control words; then `errno`, and what the runtime knows about the thread:
//! but not whether a point is due, which the next operation uses up.
//! All other registers are dead across a call. For `waiting`.

use crate::interpose::ENTRY;
use crate::state::me;
use crate::waiting::Mark;

/// Bytes of stack that are kept and compared as they are; of more, a hash is kept.
pub const HEAD: u64 = 2048;
/// Stack beyond this is not compared: no match.
const DEEPEST: u64 = 1 << 20;
unsafe extern "C" {
    // ABI: the address of the calling thread's errno.
    fn __errno_location() -> *mut i32;
}

/// What a thread was like at an earlier visit.
pub struct Visit {
    pub stage: Stage,
    pc: u64,
    /// What the call is about: its arguments may be nowhere else.
    object: u64,
    registers: [u64; 7],
    /// Bytes of stack.
    depth: u64,
    rest: Rest,
    /// Hash of the stack beyond [`HEAD`].
    deep: [u64; 2],
    /// Lengths of the lists of reads and changes at this visit.
    pub from: Mark,
    head: [u8; HEAD as usize],
}

/// Most visits are of operations that turn out to have an effect, and what was kept of them would be thrown away. So the
/// stack is copied only when the operation is over; the program has not touched it in between.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    None,
    /// Registers are kept; the stack is when the operation had no effect.
    Begun,
    Kept,
}

/// Private state that is in no general register and not on the stack.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Rest {
    control: u64,
    error: i32,
    pointed: bool,
    cleanup: u64,
    robust: u64,
    random: u64,
    shadow: u64,
}

impl Visit {
    pub const NONE: Visit = Visit {
        stage: Stage::None,
        pc: 0,
        object: 0,
        registers: [0; 7],
        depth: 0,
        rest: Rest { control: 0, error: 0, pointed: false, cleanup: 0, robust: 0, random: 0, shadow: 0 },
        deep: [0; 2],
        from: Mark::NONE,
        head: [0; HEAD as usize],
    };
}

/// The running thread's private state, where it lies.
pub struct Now {
    pc: u64,
    object: u64,
    pub registers: &'static [u64; 7],
    pub depth: u64,
}

impl Now {
    /// None: this is no call from the thread's own stack, or it is too deep.
    #[inline(always)]
    pub fn look(pc: u64, object: u64) -> Option<Now> {
        // SAFETY: one kernel thread.
        let registers = unsafe { &ENTRY };
        depth(registers, pc).map(|depth| Now { pc, object, registers, depth })
    }

    #[inline(always)]
    pub fn equals(&self, earlier: &Visit) -> bool {
        earlier.stage == Stage::Kept
            && (self.pc, self.object) == (earlier.pc, earlier.object)
            && *self.registers == earlier.registers
            && self.depth == earlier.depth
            && head(self.registers, self.depth) == &earlier.head[..self.depth.min(HEAD) as usize]
            && Rest::now() == earlier.rest
            && (self.depth <= HEAD || deep(self.registers, self.depth) == earlier.deep)
    }
}

impl Visit {
    pub fn begin(&mut self, now: &Now, from: Mark) {
        (self.stage, self.pc, self.registers, self.depth) = (Stage::Begun, now.pc, *now.registers, now.depth);
        (self.object, self.from) = (now.object, from);
    }

    pub fn keep(&mut self) {
        let head = head(&self.registers, self.depth);
        self.head[..head.len()].copy_from_slice(head);
        self.rest = Rest::now();
        if self.depth > HEAD {
            self.deep = deep(&self.registers, self.depth);
        }
        self.stage = Stage::Kept;
    }
}

impl Rest {
    fn now() -> Rest {
        let f = me();
        Rest {
            control: crate::fiber::control_words(),
            // SAFETY: thread-local, of the running fiber.
            error: unsafe { *__errno_location() },
            pointed: f.pointed,
            cleanup: f.cleanup,
            robust: f.robust,
            random: f.random,
            shadow: crate::state::shadow_top(),
        }
    }
}

/// Bytes of the running thread's stack at the call that it has made from `pc`. None: the registers are not from there,
/// or it is too deep.
#[inline(always)]
pub fn depth(registers: &[u64; 7], pc: u64) -> Option<u64> {
    let sp = registers[0];
    let depth = me().base.wrapping_sub(sp);
    // SAFETY: on the thread's stack, where the call put its return address.
    let here = (8..=DEEPEST).contains(&depth) && unsafe { *(sp as *const u64) }.wrapping_sub(1) == pc;
    here.then_some(depth)
}

/// The stack at a call, as far as it is kept as it is.
fn head(registers: &[u64; 7], depth: u64) -> &'static [u8] {
    // SAFETY: from the stack pointer at the call, which is not over, up to the stack's base.
    unsafe { core::slice::from_raw_parts(registers[0] as *const u8, depth.min(HEAD) as usize) }
}

/// Hash of the stack beyond that.
fn deep(registers: &[u64; 7], depth: u64) -> [u64; 2] {
    let mut h = [0x9e37_79b9_7f4a_7c15u64, 0xc2b2_ae3d_27d4_eb4f];
    let (mut at, end) = (registers[0] + HEAD, registers[0] + depth);
    while at + 8 <= end {
        // SAFETY: within the stack.
        let word = unsafe { *(at as *const u64) };
        h[0] = (h[0] ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29);
        h[1] = (h[1].rotate_left(31) ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93);
        at += 8;
    }
    h
}
