//! Crashes of the program: a finding, and the next run goes on in the same process.

use crate::apart;
use crate::api::signal;
use crate::control::{finish, unsupported};
use crate::hot;
use crate::places::{self, PAGE};
use crate::record;
use crate::state::{g, me};
use crate::sys;
use core::arch::naked_asm;
use gabion_trace::{Coverage, Ending};

mod missing;

/// SIGURG, which does nothing to a program that does not expect it.
const POKE: i32 = 23;
const SIGILL: i32 = 4;
const SIGTRAP: i32 = 5;
const SIGBUS: i32 = 7;
const SIGFPE: i32 = 8;
const SIGSEGV: i32 = 11;
const FAULTS: [i32; 5] = [SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV];
/// The handler gets details, runs on a stack of its own, may be interrupted by its own kind, and brings its own return.
const FLAGS: u64 = 4 | 0x0800_0000 | 0x4000_0000 | 0x0400_0000;
const STACK: u64 = 1 << 20;

/// The signal stack, with an inaccessible page below it.
static mut ALTERNATE: u64 = 0;
/// Faults in a row that the program's own handler returned from.
static mut RETURNED: u32 = 0;
const PATIENCE: u32 = 100;

/// Forgets what the run before did.
pub fn new_run() {
    // SAFETY: one kernel thread.
    unsafe { RETURNED = 0 };
}

/// Returns from a signal handler. Must be in our text, or system-call dispatch would catch it.
/// Debuggers know it by its instructions, in these very forms, and by a part of its name.
#[unsafe(naked)]
unsafe extern "C" fn return_from_sigaction() {
    naked_asm!("mov rax, 15", "syscall")
}

/// Installs a handler with the kernel.
pub fn handle(number: i32, handler: usize) {
    let action = [handler as u64, FLAGS, return_from_sigaction as *const () as u64, 0];
    // SAFETY: the kernel's `struct sigaction`, and a handler that stays loaded.
    if unsafe { sys::call6(sys::RT_SIGACTION, number as u64, action.as_ptr() as u64, 0, 8, 0, 0) } != 0 {
        sys::die(format_args!("cannot handle signal {number}"));
    }
}

/// Takes over the signals that a broken program gets.
pub fn install() {
    let memory = sys::map(0, STACK + PAGE, 0, 0x22, -1);
    // SAFETY: memory of ours that stays; the kernel's `stack_t`.
    unsafe {
        ALTERNATE = memory + PAGE;
        sys::call(sys::MPROTECT, ALTERNATE, STACK, 3);
        let stack = [ALTERNATE, 0, STACK];
        sys::call(sys::SIGALTSTACK, stack.as_ptr() as u64, 0, 0);
    }
    crate::reset::exclude(memory, STACK + PAGE);
    for number in FAULTS {
        handle(number, entry() as usize);
    }
    handle(POKE, on_poke as *const () as usize);
}

/// The driver's watchdog asks where the program is. The run ends there.
unsafe extern "C" fn on_poke(_number: i32, _info: *mut u64, context: *mut u64) {
    // SAFETY: what the kernel passes to a handler with details.
    let pc = unsafe { *context.add(INSTRUCTION) };
    finish(Ending::Hung, 0, pc, 0, b"a step did not end within the watchdog's time, twice")
}

/// Is this signal one that a broken program gets?
pub fn takes(number: i32) -> bool {
    FAULTS.contains(&number)
}

/// The handler of all of these.
pub fn entry() -> u64 {
    on_fault as *const () as u64
}

/// Does the running fiber execute a signal handler?
pub fn on_signal_stack() -> bool {
    let here = 0u8;
    // SAFETY: one kernel thread.
    let base = unsafe { ALTERNATE };
    (&raw const here as u64).wrapping_sub(base) < STACK
}

/// Offsets into `ucontext_t`: sixteen registers follow the first five words, then the instruction pointer.
pub const REGISTERS: usize = 5;
const INSTRUCTION: usize = REGISTERS + 16;

unsafe extern "C" fn on_fault(number: i32, info: *mut u64, context: *mut u64) {
    // SAFETY: what the kernel passes to a handler with details.
    let (address, pc) = unsafe { (*info.add(2), *context.add(INSTRUCTION)) };
    if number == SIGSEGV && hot::fault(address) {
        return;
    }
    if signal::handler_for(number).is_some() {
        // SAFETY: one kernel thread.
        let patience = unsafe {
            RETURNED += 1;
            RETURNED < PATIENCE
        };
        if patience {
            // It runs on the signal stack, where no thread can be switched.
            record::cover(Coverage::FAULT_HANDLER);
            // A hook may have made the access, so its stack is in use.
            apart::without(|| signal::deliver(number, info.cast(), context.cast()));
            return;
        }
    }
    // SAFETY: one kernel thread.
    unsafe { RETURNED = 0 };
    if number == SIGILL {
        illegal(pc);
    }
    let g = g();
    let low = me().stack_low;
    let guard = (places::slot(g.current)..low).contains(&address);
    let (ending, text): (Ending, &[u8]) = match number {
        SIGSEGV if guard => (Ending::StackOverflow, b"stack overflow"),
        SIGSEGV if address < 4096 => (Ending::Segfault, b"null pointer access"),
        SIGSEGV => (Ending::Segfault, b"invalid memory access"),
        SIGBUS => (Ending::BusError, b"bus error"),
        SIGILL => (Ending::IllegalInstruction, b"illegal instruction"),
        SIGTRAP => (Ending::IllegalInstruction, b"trap instruction"),
        _ => (Ending::Arithmetic, b"arithmetic exception (division by zero?)"),
    };
    finish(ending, number, pc, address, text)
}

/// An instruction that the processor refuses. One that only this processor lacks is no bug of the program: then nothing can be
/// said about it here. What no processor has (`ud2`, data) is a bug, and left to the caller.
fn illegal(pc: u64) {
    const LONGEST: usize = 15;
    let mut bytes = [0; LONGEST];
    let length = crate::dispatch::read_bytes(pc, &mut bytes);
    let bytes = &bytes[..length];
    if let Some(name) = missing::transactional(bytes) {
        unsupported(name, pc);
    }
    if crate::dispatch::is_program(pc)
        && let Some(name) = missing::extension(bytes)
    {
        unsupported(name, pc);
    }
}
