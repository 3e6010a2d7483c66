//! Signals that the program sends to itself.
//!
//! Dispositions and masks are kept here and never told to the kernel: the runtime keeps the real ones, and nothing from
//! outside arrives. A signal that a thread sends to itself runs its handler at once, on the same stack. One that its
//! receiver blocks stays pending until it is let through or waited for. A handler that would interrupt another thread in
//! the middle of something is asynchronous: refused. A signal to the process goes to the sender if it does not block it;
//! that the kernel may pick another thread is a caveat.
//!
//! Absent, and refused in words where a program comes to it: queues of more than one signal of a number, values of signals that wait,
//! handlers on alternate stacks, job control.

mod calls;
mod send;
mod wait;

pub use send::{kill, kill_number, process_number};

use super::errno::{EINVAL, fail};
use crate::abi::access::joined_range;
use crate::control::{finish, unsupported};
use crate::state::g;
use crate::{record, sched};
use gabion_trace::shared::MAX_THREADS;
use gabion_trace::{AccessKind, Address, Ending, OpKind, Pseudo};

const COUNT: usize = 65;
const DEFAULT: u64 = 0;
const IGNORE: u64 = 1;
const SA_NODEFER: i32 = 0x4000_0000;
const SA_RESETHAND: i32 = 1 << 31;
const KILL: i32 = 9;
const STOP: i32 = 19;
/// Neither can be caught, blocked or ignored.
const SOVEREIGN: u64 = bit(KILL) | bit(STOP);
/// Where signals come from, as `si_code` says it.
const SI_USER: i32 = 0;
const SI_TKILL: i32 = -6;
const SI_QUEUE: i32 = -1;
/// The first of the real-time signals, each of which arrives as often as it is sent.
const FIRST_QUEUED: i32 = 34;
const SA_ONSTACK: i32 = 0x0800_0000;
const SS_DISABLE: i32 = 2;

/// `stack_t`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Stack {
    address: u64,
    flags: i32,
    size: u64,
}

impl Stack {
    const NONE: Stack = Stack { address: 0, flags: SS_DISABLE, size: 0 };
}

/// What to do with a signal.
#[derive(Clone, Copy)]
pub struct Handler {
    pub function: u64,
    pub flags: i32,
    pub mask: u64,
}

impl Handler {
    const NEW: Handler = Handler { function: DEFAULT, flags: 0, mask: 0 };
}

/// What a thread blocks, and what waits for it to stop doing so.
#[derive(Clone, Copy)]
struct Mask {
    blocked: u64,
    pending: u64,
    /// Its alternate stack, if the program gave it one.
    stack: Option<Stack>,
}

/// Everything that a reset restores.
#[derive(Clone, Copy)]
struct State {
    handlers: [Handler; COUNT],
    masks: [Mask; MAX_THREADS],
    /// Pending for the process as a whole.
    pending: u64,
    /// Differs from what was kept.
    touched: bool,
}

impl State {
    const NEW: State = State {
        handlers: [Handler::NEW; COUNT],
        masks: [Mask { blocked: 0, pending: 0, stack: None }; MAX_THREADS],
        pending: 0,
        touched: false,
    };
}

static mut STATE: State = State::NEW;
static mut KEPT: State = State::NEW;

fn state() -> &'static State {
    // SAFETY: one kernel thread.
    unsafe { &STATE }
}

fn change() -> &'static mut State {
    // SAFETY: one kernel thread; no reference is kept across a call into the program.
    let s = unsafe { &mut STATE };
    s.touched = true;
    s
}

/// At the checkpoint: what every later run starts with.
pub fn keep() {
    // SAFETY: one kernel thread.
    unsafe {
        STATE.touched = false;
        KEPT = STATE;
    }
}

/// Before every later run.
pub fn restore() {
    if state().touched {
        // SAFETY: one kernel thread.
        unsafe { STATE = KEPT };
    }
}

/// A new thread blocks what its creator blocks.
pub fn inherit(parent: usize, child: usize) {
    let blocked = state().masks[parent].blocked;
    let Mask { blocked: before, pending, stack } = state().masks[child];
    if before != blocked || pending != 0 || stack.is_some() {
        change().masks[child] = Mask { blocked, pending: 0, stack: None };
    }
}

/// The running thread's alternate stack.
fn alternate_stack() -> Stack {
    state().masks[g().current].stack.unwrap_or(Stack::NONE)
}

fn set_alternate_stack(stack: Stack) {
    change().masks[g().current].stack = Some(stack).filter(|stack| stack.flags & SS_DISABLE == 0);
}

/// A signal is to wait until its receiver, or anybody, lets it through. `before`: what waits already.
fn keeps(before: u64, signal: i32, code: i32, value: u64, pc: u64) {
    if signal >= FIRST_QUEUED && before & bit(signal) != 0 {
        unsupported("a real-time signal that is sent again while it is blocked", pc);
    }
    if code == SI_QUEUE && value != 0 {
        unsupported("a signal with a value while it is blocked", pc);
    }
}

/// What the running thread blocks.
pub fn blocked() -> u64 {
    state().masks[g().current].blocked
}

/// The running thread blocks this from now on; what it no longer blocks is delivered.
pub fn block(mask: u64, pc: u64) {
    let mask = mask & !SOVEREIGN;
    if blocked() != mask {
        change().masks[g().current].blocked = mask;
    }
    deliver_pending(pc);
}

const fn bit(signal: i32) -> u64 {
    1 << (signal - 1)
}

/// Is it a number that a program may use? Two are the C library's own.
fn valid(signal: i32) -> bool {
    (1..COUNT as i32).contains(&signal) && signal != 32 && signal != 33
}

fn object() -> Address {
    Address::pseudo(Pseudo::Signals)
}

/// The point before anything that others' signals depend on.
fn point(pc: u64) {
    sched::reach(OpKind::Hidden, object(), pc);
    record::op(OpKind::Hidden, object(), 0, pc);
}

/// The program's handler for a signal, if it has one.
pub fn handler_for(signal: i32) -> Option<Handler> {
    let handler = state().handlers[signal as usize];
    (handler.function > IGNORE).then_some(handler)
}

fn ignored(signal: i32) -> bool {
    match state().handlers[signal as usize].function {
        DEFAULT => matches!(signal, 17 | 18 | 23 | 28), // CHLD, CONT, URG, WINCH
        other => other == IGNORE,
    }
}

/// The part of `siginfo_t` that a sent signal fills in.
#[repr(C)]
struct Info {
    signal: i32,
    error: i32,
    code: i32,
    reserved: i32,
    process: i32,
    user: u32,
    value: u64,
    rest: [u64; 12],
}

impl Info {
    fn new(signal: i32, code: i32, value: u64) -> Info {
        Info { signal, error: 0, code, reserved: 0, process: process_number(), user: 0, value, rest: [0; 12] }
    }
}

/// Runs the program's handler on the running thread. Without `info` or `context` it gets empty ones. False: it has none.
pub fn deliver(signal: i32, info: *mut u8, context: *mut u8) -> bool {
    let Some(handler) = handler_for(signal) else { return false };
    let thread = g().current;
    if handler.flags & SA_ONSTACK != 0 && state().masks[thread].stack.is_some() {
        unsupported("a signal handler on an alternate stack (SA_ONSTACK)", handler.function);
    }
    let before = blocked();
    let mine = if handler.flags & SA_NODEFER != 0 { 0 } else { bit(signal) };
    change().masks[thread].blocked = (before | handler.mask | mine) & !SOVEREIGN;
    if handler.flags & SA_RESETHAND != 0 {
        change().handlers[signal as usize].function = DEFAULT;
    }
    let mut own = Info::new(signal, SI_TKILL, 0);
    let mut registers = [0u64; 121]; // ucontext_t
    let info = if info.is_null() { (&raw mut own).cast() } else { info };
    let context = if context.is_null() { registers.as_mut_ptr().cast() } else { context };
    // SAFETY: the program's handler, with the arguments that its flags ask for. The others' callers ignore the rest.
    unsafe {
        core::mem::transmute::<u64, unsafe extern "C-unwind" fn(i32, *mut u8, *mut u8)>(handler.function)(
            signal, info, context,
        );
    }
    change().masks[thread].blocked = before;
    true
}

/// Runs the handlers of everything that the running thread no longer blocks. Gives whether there was any.
fn deliver_pending(pc: u64) -> bool {
    let mut any = false;
    loop {
        let s = state();
        let mask = s.masks[g().current];
        let ready = (mask.pending | s.pending) & !mask.blocked;
        if ready == 0 {
            return any;
        }
        let signal = ready.trailing_zeros() as i32 + 1;
        take_pending(signal);
        any |= act(signal, SI_USER, 0, pc);
    }
}

fn take_pending(signal: i32) {
    let s = change();
    let own = &mut s.masks[g().current].pending;
    if *own & bit(signal) != 0 { *own &= !bit(signal) } else { s.pending &= !bit(signal) }
}

/// The running thread gets a signal that it does not block. Gives whether a handler ran.
fn act(signal: i32, code: i32, value: u64, pc: u64) -> bool {
    if ignored(signal) {
        return false;
    }
    let mut info = Info::new(signal, code, value);
    if deliver(signal, (&raw mut info).cast(), core::ptr::null_mut()) {
        deliver_pending(pc);
        return true;
    }
    die(signal, pc)
}

/// The default action ends the process.
fn die(signal: i32, pc: u64) -> ! {
    if (STOP..=22).contains(&signal) {
        unsupported("a signal that stops the process", pc);
    }
    let ending = match signal {
        4 => Ending::IllegalInstruction,
        6 => Ending::Abort,
        7 => Ending::BusError,
        8 => Ending::Arithmetic,
        11 => Ending::Segfault,
        _ => Ending::Signal,
    };
    finish(ending, signal, pc, 0, name(signal).as_bytes())
}

fn name(signal: i32) -> &'static str {
    const NAMES: &str = "SIGHUP SIGINT SIGQUIT SIGILL SIGTRAP SIGABRT SIGBUS SIGFPE SIGKILL SIGUSR1 SIGSEGV SIGUSR2 SIGPIPE \
        SIGALRM SIGTERM SIGSTKFLT SIGCHLD SIGCONT SIGSTOP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGXCPU SIGXFSZ SIGVTALRM \
        SIGPROF SIGWINCH SIGIO SIGPWR SIGSYS";
    NAMES.split(' ').nth(signal as usize - 1).unwrap_or("a real-time signal")
}

/// Changes a disposition; gives the old one.
fn dispose(signal: i32, new: Option<Handler>, pc: u64) -> Handler {
    point(pc);
    let old = state().handlers[signal as usize];
    if let Some(new) = new {
        let s = change();
        s.handlers[signal as usize] = new;
        if ignored(signal) {
            s.pending &= !bit(signal);
            for mask in &mut s.masks[..g().threads] {
                mask.pending &= !bit(signal);
            }
        }
    }
    old
}

/// `signal` and its variants.
fn install(signal: i32, function: u64, flags: i32, pc: u64) -> u64 {
    if !valid(signal) || bit(signal) & SOVEREIGN != 0 || function == u64::MAX {
        return fail(EINVAL) as i64 as u64;
    }
    dispose(signal, Some(Handler { function, flags, mask: 0 }), pc).function
}

/// `pthread_sigmask`: 0 or an error number. Only the first word of a `sigset_t` is ever used.
pub fn change_mask(how: i32, set: *const u64, old: *mut u64, pc: u64) -> i32 {
    let before = blocked();
    if !set.is_null() {
        point(pc);
        joined_range(set as u64, 8, AccessKind::READ, pc);
    }
    if !old.is_null() {
        joined_range(old as u64, 8, AccessKind::WRITE, pc);
    }
    // SAFETY: the program's sets; they may be one.
    unsafe {
        let wanted = (!set.is_null()).then(|| *set);
        if !old.is_null() {
            *old = before;
        }
        match (wanted, how) {
            (None, _) => {}
            (Some(s), 0) => block(before | s, pc),
            (Some(s), 1) => block(before & !s, pc),
            (Some(s), 2) => block(s, pc),
            _ => return EINVAL,
        }
    }
    0
}
