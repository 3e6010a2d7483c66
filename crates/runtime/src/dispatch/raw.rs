//! `syscall` instructions outside the C library: the program's own, and those of libraries that do without it.
//!
//! Such a call means what the function `syscall` means: it may wait, wake others or end its thread. A signal handler
//! cannot switch threads, so the handler arranges that the thread, once it goes on, calls [`entry`] on its own stack and
//! returns behind the instruction. The kernel changes rax, rcx and r11 alone, and so does this.

use super::{answer, mapping_of};
use crate::api::errno;
use crate::api::futex;
use crate::control;
use crate::interpose::{CALLER, ENTRY, find, next};
use core::arch::naked_asm;
use core::sync::atomic::Ordering;

/// Bytes below a stack pointer that a function may use.
const RED_ZONE: u64 = 128;
/// Components of the processor's state that are saved: x87, vectors of every width, masks. In the standard format they
/// take up less than `AREA`; behind the legacy part of `LEGACY` bytes comes a header that must be zero.
const COMPONENTS: u64 = 0xe7;
const AREA: u64 = 2816;
const LEGACY: u64 = 512;

/// Places in the context that the kernel saves.
const RBP: usize = 10;
const RBX: usize = 11;
const RSP: usize = 15;
const RIP: usize = 16;
const R12: usize = 4;

/// Code of the C library, of the loader and of the kernel's own library: these have their functions stood in for.
static mut LIBRARIES: [(u64, u64); 3] = [(0, 0); 3];

/// Learns where these lie.
pub fn learn() {
    const SYSINFO: u64 = 33;
    unsafe extern "C" {
        // ABI: sys/auxv.h.
        fn getauxval(kind: u64) -> u64;
    }
    // SAFETY: one kernel thread; reads the auxiliary vector.
    unsafe {
        LIBRARIES = [next("exit\0") as u64, find("__tls_get_addr\0") as u64, getauxval(SYSINFO)].map(mapping_of);
    }
}

/// Arranges the call, if the instruction is no library's. The registers are in the kernel's order, the instruction pointer
/// last.
pub fn take(registers: &mut [u64]) -> bool {
    let behind = registers[RIP];
    // SAFETY: one kernel thread.
    let of_library = unsafe { LIBRARIES.iter().any(|(from, to)| (*from..*to).contains(&behind)) };
    if of_library || !control::started() {
        return false;
    }
    let stack = registers[RSP] - RED_ZONE - 8;
    CALLER.store(behind as usize, Ordering::Relaxed);
    // SAFETY: one kernel thread; the stack of the thread that makes the call.
    unsafe {
        *(stack as *mut u64) = behind;
        let r = |n: usize| registers[n];
        ENTRY = [stack, r(RBX), r(RBP), r(R12), r(R12 + 1), r(R12 + 2), r(R12 + 3)];
    }
    registers[RSP] = stack;
    registers[RIP] = entry as *const () as u64;
    true
}

/// Makes the call with the registers of a system call, and returns over the red zone.
#[unsafe(naked)]
unsafe extern "C" fn entry() {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "pushfq",
        "cld",
        "push rdi",
        "push rsi",
        "push rdx",
        "push r10",
        "push r8",
        "push r9",
        "mov r11, rsp", // the arguments, the last first
        "sub rsp, {area}",
        "and rsp, -64",
        "mov rdi, rax",
        "lea rcx, [rsp + {legacy}]",
        "xor eax, eax",
        "mov [rcx], rax",
        "mov [rcx + 8], rax",
        "mov [rcx + 16], rax",
        "mov [rcx + 24], rax",
        "mov [rcx + 32], rax",
        "mov [rcx + 40], rax",
        "mov [rcx + 48], rax",
        "mov [rcx + 56], rax",
        "mov eax, {components}",
        "xor edx, edx",
        "xsave64 [rsp]",
        "mov rsi, r11",
        "call {body}",
        "mov r11, rax",
        "mov eax, {components}",
        "xor edx, edx",
        "xrstor64 [rsp]",
        "mov rax, r11",
        "lea rsp, [rbp - 56]",
        "pop r9",
        "pop r8",
        "pop r10",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "popfq",
        "pop rbp",
        "ret {red_zone}",
        area = const AREA,
        legacy = const LEGACY,
        components = const COMPONENTS,
        red_zone = const RED_ZONE,
        body = sym body,
    )
}

/// The call itself: its result as the kernel gives it.
unsafe extern "C" fn body(number: i64, arguments: *const [u64; 6]) -> i64 {
    // SAFETY: pushed by `entry`.
    let mut a = unsafe { *arguments };
    a.reverse();
    let pc = crate::interpose::caller();
    let before = errno::get();
    let result = match futex::modelled(number, a, pc) {
        Some(-1) => -i64::from(errno::get()),
        Some(result) => result,
        None => answer(number, &a, &|| pc),
    };
    errno::set(before);
    result
}
