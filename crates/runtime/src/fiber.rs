//! Threads as fibers: own stack, own thread-local storage, one kernel thread.

use crate::abi::own;
use crate::apart;
use crate::block::Deed;
use crate::guess;
use crate::places::{self, PAGE, STACK_DEFAULT};
use crate::state::{self, Pending, g};
use crate::sys;
use crate::waiting;
use core::arch::naked_asm;
use gabion_trace::unwind::Registers;

/// So many clean bytes in a row below a stack count as the end of what was used.
const CLEAN: u64 = 4096;

/// Bytes of a stack for calls of ours.
const OURS: u64 = 64 << 10;

/// Where a fiber is in its life.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Life {
    /// Never created in this run.
    Unborn,
    /// Created; runs for the first time until its first visible operation.
    Starting,
    /// May run.
    Live,
    /// Has ended.
    Ended,
}

/// One thread.
#[derive(Clone, Copy)]
pub struct Fiber {
    /// Saved stack pointer while it does not run.
    pub sp: u64,
    /// Its thread pointer; also its `pthread_t`.
    pub fs: u64,
    pub life: Life,
    pub detached: bool,
    pub joined: bool,
    /// A point is due before the next visible operation, whatever its class (after an unlock, after a create).
    pub force: bool,
    /// Its wait ended by time and not by a signal.
    pub timed_out: bool,
    /// Spurious wake-ups it has had in this run.
    pub spurious: u8,
    /// What it is about to do.
    pub pending: Pending,
    /// Mutex to take again after waiting on a condition variable.
    pub mutex: u64,
    /// Steps begun.
    pub step: u32,
    /// Children created.
    pub children: u32,
    pub parent: u16,
    pub function: u64,
    pub argument: u64,
    pub result: u64,
    /// Bounds of its stack and thread-local storage.
    pub stack_low: u64,
    pub stack_high: u64,
    /// How large the program wants its stack; 0: as they are.
    pub stack_asked: u64,
    /// Where its stack began, one past its first word.
    pub base: u64,
    /// In a loop that only waits; see `waiting`.
    pub waits: bool,
    /// That is a guess; see `guess`.
    pub guessed: bool,
    /// Goes on without points until it leaves its loop.
    pub alone: bool,
    /// Has done so since its last progress, and is still in its loop.
    pub tried: bool,
    /// And was not expected to leave it.
    pub sure: bool,
    /// Step at which it last began one.
    pub ran: u64,
    /// Top of its shadow call stack while it does not run.
    pub shadow: u64,
    /// The last exception that it threw.
    pub thrown: Deed,
    /// And the object that was thrown.
    pub thrown_object: u64,
    /// Who throws now, and what: in a handler for `std::terminate` not the same.
    pub throwing: (u64, u64),
    /// It has thrown or panicked.
    pub raised: bool,
    /// Where it called `std::terminate`; 0: nowhere.
    pub terminated_at: u64,
    /// It is in the program's handler for `std::terminate`.
    pub terminating: bool,
    /// The type of the exception for which it was called; 0: none.
    pub uncaught: u64,
    /// Where it called the C++ library's `join` last, which calls ours; 0: nowhere.
    pub joins_at: u64,
    /// Registers at its last call of ours that came to a point, where stacks are recorded: see `callers`.
    pub entry: Registers,
    /// Locks that it holds, as far as there is room.
    pub locks: [u64; crate::abi::wide::LOCKS],
    /// Which of them others may hold too: a bit for each that it has for reading.
    pub reading: u8,
    /// Step at which it was created, and who has joined it.
    pub born: u64,
    pub joiner: Option<u16>,
    /// The statement that it is in has had its point: further announcements of it have none.
    pub pointed: bool,
    /// That statement is a call which had no point because of what is quiet at this address; 0: it had one.
    pub left_out: u64,
    /// The instruction at which that point was, if accesses joined to it go by it; 0: by their own.
    pub pointed_at: u64,
    /// Scopes of the program's own that it is in: see `api/header`.
    pub within: u32,
    /// Newest of its registered cleanup handlers.
    pub cleanup: u64,
    /// The scope of the Rust standard library that it belongs to, whether it has left it, and the one that its next child
    /// belongs to.
    pub scope: u64,
    pub left: bool,
    pub opens: u64,
    /// First of the robust mutexes that it holds.
    pub robust: u64,
    /// Its virtual time.
    pub time: u64,
    /// State of its own random stream.
    pub random: u64,
    /// Step at which it last gave way.
    pub yielded: u64,
    /// Priority of the tail policy.
    pub priority: u64,
    /// Its name, for `pthread_getname_np`.
    pub name: [u8; 16],
    /// Policy and priority, as the program set them; without effect.
    pub scheduling: (i32, i32),
}

impl Fiber {
    pub const NEW: Fiber = Fiber {
        thrown: Deed::NOBODY,
        thrown_object: 0,
        throwing: (0, 0),
        raised: false,
        terminated_at: 0,
        terminating: false,
        uncaught: 0,
        joins_at: 0,
        entry: Registers { stack: 0, frame: 0 },
        sp: 0,
        fs: 0,
        life: Life::Unborn,
        detached: false,
        joined: false,
        force: false,
        timed_out: false,
        spurious: 0,
        pending: Pending::NONE,
        mutex: 0,
        step: 0,
        children: 0,
        parent: 0,
        function: 0,
        argument: 0,
        result: 0,
        stack_low: 0,
        stack_high: 0,
        stack_asked: 0,
        base: 0,
        waits: false,
        guessed: false,
        alone: false,
        tried: false,
        sure: false,
        ran: 0,
        shadow: 0,
        locks: [0; crate::abi::wide::LOCKS],
        reading: 0,
        born: 0,
        joiner: None,
        pointed: false,
        left_out: 0,
        pointed_at: 0,
        within: 0,
        cleanup: 0,
        scope: 0,
        left: false,
        opens: 0,
        robust: 0,
        time: 0,
        random: 0,
        yielded: 0,
        priority: 0,
        name: [0; 16],
        scheduling: (0, 0),
    };

    /// May it still do something?
    pub fn alive(&self) -> bool {
        matches!(self.life, Life::Starting | Life::Live)
    }
}

/// Saves the running context to `*save` and goes on with the one at `to`.
///
/// Registers that a call preserves, the floating-point control words, and the thread pointer are all there is to a
/// context: a switch happens only inside a call. The control words are nearly always the same, and slow to load.
#[unsafe(naked)]
pub unsafe extern "C" fn switch(save: *mut u64, to: u64, fs: u64) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov [rdi], rsp",
        "mov eax, [rsp]",
        "movzx ecx, word ptr [rsp + 4]",
        "mov rsp, rsi",
        "wrfsbase rdx",
        "cmp eax, [rsp]",
        "je 2f",
        "ldmxcsr [rsp]",
        "2:",
        "cmp cx, [rsp + 4]",
        "je 3f",
        "fldcw [rsp + 4]",
        "3:",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}

/// First code of a fiber. The bottom frame says so to unwinders, or they would walk off the stack.
#[unsafe(naked)]
unsafe extern "C" fn bottom() {
    naked_asm!(
        ".cfi_startproc",
        ".cfi_undefined rip",
        "nop", // a return address one past the start must still lie inside
        "xor ebp, ebp",
        "mov rdi, r12",
        "call {main}",
        "ud2",
        ".cfi_endproc",
        main = sym crate::api::thread::fiber_main,
    )
}

/// The running thread is this one from here on.
#[inline(always)]
pub fn becomes(thread: usize) {
    state::run_as(thread);
    own::runs(thread);
    waiting::runs(thread);
    guess::runs(thread);
}

/// The running thread goes on as `thread`.
pub fn go_to(thread: usize) {
    let g = g();
    let from = g.current;
    if from == thread {
        return;
    }
    g.fibers[from].shadow = state::shadow_top();
    becomes(thread);
    state::set_shadow_top(g.fibers[thread].shadow);
    apart::choose(thread);
    let (to, fs) = (g.fibers[thread].sp, g.fibers[thread].fs);
    // SAFETY: `to` was saved by `switch` or laid out by `prepare`; fs is that fiber's thread pointer.
    unsafe { switch(&raw mut g.fibers[from].sp, to, fs) }
}

/// Leaves the running fiber for the controller. Comes back only if the controller resumes it.
pub fn to_controller() {
    let g = g();
    let from = g.current;
    g.fibers[from].shadow = state::shadow_top();
    apart::none();
    // SAFETY: the controller's context was saved by `resume`.
    unsafe { switch(&raw mut g.fibers[from].sp, g.controller_sp, g.controller_fs) }
}

/// The controller lets the current fiber run until it leaves for the controller.
pub fn resume() {
    let g = g();
    let to = g.current;
    state::set_shadow_top(g.fibers[to].shadow);
    // SAFETY: the fiber's context was saved by `switch` or laid out by `prepare`.
    unsafe { switch(&raw mut g.controller_sp, g.fibers[to].sp, g.fibers[to].fs) }
}

/// Makes a slot's memory usable and gives (low, high) of its stack; `asked`: how large the program wants it, 0: as they are.
/// None: the kernel has no more memory for us.
pub fn stack_memory(thread: usize, asked: u64) -> Option<(u64, u64)> {
    let g = g();
    let high = places::slot_end(thread);
    // Instrumented code takes more stack than the same without (244 small functions of C, gcc -O0: 25,792 bytes instead of 19,616, most
    // of it a few words each), and our own calls lie there too: that is no overflow.
    let size = if asked == 0 { STACK_DEFAULT } else { (asked + asked / 4 + OURS).min(places::STACK_MAX) };
    let low = (high - size) & !(PAGE - 1);
    if g.slot_low[thread] == 0 && !crate::aside::open_shadow(thread) {
        return None;
    }
    if g.slot_low[thread] != low {
        // SAFETY: the slot is ours. Memory below the guard stays without access.
        let refused = unsafe {
            sys::call(sys::MPROTECT, places::slot(thread), high - places::slot(thread), 0);
            sys::call(sys::MPROTECT, low, high - low, crate::executable::protection()) != 0
        };
        if refused {
            return None;
        }
        g.slot_low[thread] = low;
    }
    Some((low, high))
}

/// The running thread's floating-point control words, as `switch` saves them.
pub fn control_words() -> u64 {
    let (mut vector, mut classic) = (0u32, 0u16);
    // SAFETY: each instruction stores one word of its size. To load both at once would wait until both are in memory.
    unsafe { core::arch::asm!("stmxcsr [{0}]", "fnstcw [{1}]", in(reg) &raw mut vector, in(reg) &raw mut classic) };
    u64::from(vector) | u64::from(classic) << 32
}

/// Lays out the first context of a fiber whose stack ends at `top`.
pub fn prepare(thread: usize, top: u64) {
    let sp = ((top & !15) - 8) - 64 - 8;
    let frame = sp as *mut u64;
    // SAFETY: inside the fiber's stack. The order is that of `switch`: control words, r15…rbp, return address.
    unsafe {
        core::ptr::write_bytes(frame, 0, 9);
        *frame = control_words(); // a new thread inherits rounding and exception masks
        *frame.add(4) = thread as u64;
        *frame.add(7) = bottom as *const () as u64 + 1;
    }
    let f = &mut g().fibers[thread];
    (f.sp, f.base) = (sp, top);
}

/// Old contents of a stack must not be seen by the next run: uninitialised locals would make runs differ. What is there
/// is cleared downwards until [`CLEAN`] bytes in a row are clean already.
pub fn clear_below(top: u64) {
    const CHUNK: u64 = 256;
    const LINE: usize = 8;
    const LINES: usize = CHUNK as usize / 8 / LINE;
    let low = g().slot_low[((top - places::STACKS - 1) / places::STACK_SPAN) as usize];
    let mut clean = 0;
    let mut at = top & !(CHUNK - 1);
    // SAFETY: between `low` and `top` the slot is mapped and nothing lives below `top`.
    unsafe { core::ptr::write_bytes(at as *mut u8, 0, (top - at) as usize) };
    while clean < CLEAN && at > low {
        at -= CHUNK;
        // SAFETY: as above; `low` is a multiple of the page size.
        let lines = unsafe { &mut *(at as *mut [[u64; LINE]; LINES]) };
        // Word by word of each line, so that several are looked at together.
        let mut all = [0; LINE];
        lines.iter().for_each(|line| all.iter_mut().zip(line).for_each(|(all, word)| *all |= word));
        if all.iter().fold(0, |all, word| all | word) == 0 {
            clean += CHUNK;
        } else {
            lines.fill([0; LINE]);
            clean = 0;
        }
    }
}
