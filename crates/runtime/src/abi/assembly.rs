//! Accesses of inline assembly. Our assembler puts calls of these around the instructions that make them.
//!
//! The code around knows nothing of it: every register and flag is kept, but for the upper halves of vector registers, which functions with such
//! hooks do not use. An access counts as atomic; where it writes, what has come of it is looked at right after it.
//!
//! No register is dead there, so a comparison of the thread with itself (`waiting`) begins below all that is kept. But registers that are not
//! kept across calls hold what other hooks have left there, which depends on what is recorded: such a comparison is made only if the thread has
//! called no other hook since the last of these.

use super::atomic::{self, Made};
use crate::apart::{APART, ROOM};
use crate::control::controlled;
use crate::interpose::{CALLER, ENTRY};
use crate::state::{WATCHING, g};
use crate::waiting;
use core::arch::naked_asm;
use gabion_trace::{AccessKind, OpKind};

/// What stands in [`ENTRY`] after a hook of these, with the thread above: other stubs put a stack pointer there.
const MARK: u64 = 1;

fn mark() -> u64 {
    (g().current as u64) << 8 | MARK
}

/// The write that is being made: nobody else runs between the two hooks.
#[derive(Clone, Copy)]
struct Open {
    at: u64,
    size: u64,
    before: [u64; 2],
    made: Made,
}

static mut OPEN: Option<Open> = None;

fn open() -> &'static mut Option<Open> {
    // SAFETY: one kernel thread.
    unsafe { &mut OPEN }
}

/// The bytes that are there.
fn bytes(at: u64, size: u64) -> [u64; 2] {
    let mut found = [0; 2];
    // SAFETY: the program accesses these bytes itself. If they are not mapped the fault is its own.
    unsafe { core::ptr::copy_nonoverlapping(at as *const u8, found.as_mut_ptr().cast(), size.min(16) as usize) };
    found
}

/// Before the instruction. `last` is what stood in [`ENTRY`].
extern "C" fn before(at: u64, size: u64, op: u64, pc: u64, last: u64) {
    *open() = None;
    if !controlled() || !g().active {
        return;
    }
    if last != mark() {
        // Nothing to compare; and no two such moments are the same.
        // SAFETY: one kernel thread.
        unsafe { ENTRY = [0, g().steps, u64::MAX, 0, 0, 0, 0] };
    }
    made_known(at, size, op, pc);
    // SAFETY: as above.
    unsafe { ENTRY[0] = mark() };
}

fn made_known(at: u64, size: u64, op: u64, pc: u64) {
    match OpKind::from_number(op as u8) {
        Some(op @ OpKind::AtomicLoad) => {
            let made = atomic::reach(op, at, size, pc);
            atomic::made(AccessKind::READ, at, size as u32, made, (Some(bytes(at, size)[0]), false));
        }
        Some(op) => {
            let made = atomic::reach(op, at, size, pc);
            waiting::will_be_over(); // the stack is another in the hook after it
            *open() = Some(Open { at, size, before: bytes(at, size), made });
        }
        None => {}
    }
}

/// After an instruction that writes.
extern "C" fn after() {
    if let Some(Open { at, size, before, made }) = open().take() {
        let kind = if made.op == OpKind::AtomicStore { AccessKind::WRITE } else { AccessKind::UPDATE };
        let met = (kind == AccessKind::UPDATE).then_some(before[0]);
        atomic::made(kind, at, size as u32, made, (met, bytes(at, size) != before));
    }
}

/// All registers onto the program's stack. What is not written there is cleared: it is compared.
macro_rules! keep_all {
    () => {
        "push rbp
         mov rbp, rsp
         push rax
         push rbx
         push rcx
         push rdx
         push rdi
         push rsi
         push r8
         push r9
         push r10
         push r11
         push r12
         push r13
         push r14
         push r15
         push 0
         sub rsp, 512
         and rsp, -16
         fxsave64 [rsp]
         emms
         cld
         xor eax, eax
         mov [rsp + 512], rax
         lea rdi, [rsp + 416]
         mov ecx, 12
         rep stosq
         mov rdi, [rbp - 40]
         mov rcx, [rbp + 16]
         push 0
         push rcx"
    };
}

macro_rules! put_back_all {
    () => {
        "add rsp, 16
         fxrstor64 [rsp]
         lea rsp, [rbp - 112]
         pop r15
         pop r14
         pop r13
         pop r12
         pop r11
         pop r10
         pop r9
         pop r8
         pop rsi
         pop rdi
         pop rdx
         pop rcx
         pop rbx
         pop rax
         pop rbp
         popfq
         ret"
    };
}

/// The rest on the thread's other stack, as for all hooks.
#[unsafe(naked)]
unsafe extern "C" fn before_apart() {
    naked_asm!(apart!(), apart = sym APART, room = const ROOM, body = sym before)
}

#[unsafe(naked)]
unsafe extern "C" fn after_apart() {
    naked_asm!(apart!(), apart = sym APART, room = const ROOM, body = sym after)
}

macro_rules! hooks {
    ($($name:ident $size:literal $op:ident;)*) => {$(
        // ABI: ours alone. The address in %rdi; called between any two instructions.
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_address: u64) {
            naked_asm!(
                "pushfq", "cmp byte ptr [rip + {watching}], 0", "jne 2f", "popfq", "ret",
                "2:", keep_all!(),
                "mov r8, [rip + {entry}]",
                "mov [rip + {entry}], rsp", "mov [rip + {entry} + 8], rbx", "mov [rip + {entry} + 16], rbp",
                "mov [rip + {entry} + 24], r12", "mov [rip + {entry} + 32], r13", "mov [rip + {entry} + 40], r14",
                "mov [rip + {entry} + 48], r15", "mov [rip + {caller}], rcx", "dec rcx",
                "mov esi, {size}", "mov edx, {op}", "call {before}",
                put_back_all!(),
                watching = sym WATCHING, entry = sym ENTRY, caller = sym CALLER, size = const $size,
                op = const OpKind::$op as u32, before = sym before_apart,
            )
        }
    )*};
}

hooks! {
    __gabion_assembly_load1 1 AtomicLoad; __gabion_assembly_load2 2 AtomicLoad; __gabion_assembly_load4 4 AtomicLoad;
    __gabion_assembly_load8 8 AtomicLoad; __gabion_assembly_load16 16 AtomicLoad;
    __gabion_assembly_store1 1 AtomicStore; __gabion_assembly_store2 2 AtomicStore; __gabion_assembly_store4 4 AtomicStore;
    __gabion_assembly_store8 8 AtomicStore; __gabion_assembly_store16 16 AtomicStore;
    __gabion_assembly_update1 1 AtomicUpdate; __gabion_assembly_update2 2 AtomicUpdate; __gabion_assembly_update4 4 AtomicUpdate;
    __gabion_assembly_update8 8 AtomicUpdate; __gabion_assembly_update16 16 AtomicUpdate;
}

// ABI: ours alone. Called between any two instructions.
#[unsafe(no_mangle)]
#[unsafe(naked)]
unsafe extern "C" fn __gabion_assembly_done() {
    naked_asm!(
        "pushfq", "cmp byte ptr [rip + {watching}], 0", "jne 2f", "popfq", "ret",
        "2:", keep_all!(),
        "call {after}",
        put_back_all!(),
        watching = sym WATCHING, after = sym after_apart,
    )
}
