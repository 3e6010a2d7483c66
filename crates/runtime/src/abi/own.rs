//! Accesses to the running thread's own stack, and those by trusted code: most of what a Rust program announces.
//!
//! Nobody else sees the first, so all that they change is that the statement before is over. Both are told apart by a few instructions
//! that need no stack and keep no registers; `access` has the rule that these follow.

use super::access::{announced, by_trusted};
use crate::fiber::Fiber;
use crate::interpose::ENTRY;
use crate::places::{STACK_SPAN, slot};
use crate::standard::known::{self, KNOWN};
use crate::state::{self, Globals, g};
use core::arch::naked_asm;
use core::mem::offset_of;
use gabion_trace::AccessKind;
use gabion_trace::shared::PlanHead;

/// Where the running thread's slot begins, which holds its stack and thread-local storage, if it is not known to be shared.
static mut OWN: u64 = NOWHERE;
/// No address of a program's lies less than a slot behind it.
const NOWHERE: u64 = 1 << 63;
/// The running thread is this one from here on, or which stacks are shared is known anew.
#[inline(always)]
pub fn runs(thread: usize) {
    let g = g();
    // SAFETY: one kernel thread.
    unsafe { OWN = if g.shared_stacks.has(thread) { NOWHERE } else { slot(thread) } };
}

/// Is the address in the running thread's slot, and nobody else known to touch that?
#[inline(always)]
pub fn holds(at: u64) -> bool {
    // SAFETY: one kernel thread.
    at.wrapping_sub(unsafe { OWN }) < STACK_SPAN
}

/// What hooks come to while somebody watches: the arguments of [`announced`] are in their registers. Reads within the own slot, and
/// writes to the stack in it, are done with here. Gives 0, as `announced` does.
#[unsafe(naked)]
pub unsafe extern "C" fn watched() {
    naked_asm!(
        "mov rax, rdi",
        "sub rax, [rip + {own}]",
        "cmp rax, {span}",
        "jae 3f",
        "test dl, {joined}",
        "jne 3f",
        "mov rax, [rip + {mine}]",
        "test dl, {changes}",
        "je 2f",
        "cmp rdi, [rax + {low}]",
        "jb 3f",
        "cmp rdi, [rax + {base}]",
        "jae 3f",
        "2: mov r8, [rip + {g} + {accesses}]",
        "inc r8",
        "cmp r8, [rip + {g} + {most}]",
        "ja 3f",
        "mov [rip + {g} + {accesses}], r8",
        "mov byte ptr [rax + {pointed}], 0",
        "mov qword ptr [rax + {left_out}], 0",
        "xor eax, eax",
        "ret",
        "3:",
        keep_entry!(),
        "mov eax, ecx",
        "and eax, {last}",
        "lea r8, [rip + {known}]",
        "mov rax, [r8 + rax * 8]",
        "mov r8, rcx",
        "shl r8, {bits}",
        "xor rax, r8",
        "cmp rax, {trusted}",
        "jb {by_trusted}",
        "jmp {announced}",
        known = sym KNOWN,
        last = const known::WORDS - 1,
        bits = const known::BITS,
        trusted = const known::TRUSTED,
        by_trusted = sym by_trusted,
        own = sym OWN,
        mine = sym state::MINE,
        span = const STACK_SPAN,
        joined = const AccessKind::JOINED.0,
        changes = const AccessKind::WRITE.with(AccessKind::FREE).0,
        low = const offset_of!(Fiber, stack_low),
        base = const offset_of!(Fiber, base),
        g = sym state::GLOBALS,
        accesses = const offset_of!(Globals, step_accesses),
        most = const offset_of!(Globals, plan) + offset_of!(PlanHead, max_accesses),
        pointed = const offset_of!(Fiber, pointed),
        left_out = const offset_of!(Fiber, left_out),
        entry = sym ENTRY,
        announced = sym announced,
    )
}
