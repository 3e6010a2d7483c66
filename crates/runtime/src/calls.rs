//! Whether the program calls what nobody models.
//!
//! Which library functions an executable refers to is known before it runs; whether it calls them only when it does. Each
//! reference is a word that the loader has filled (everything is bound at the start). Here it is made to point to a few
//! instructions that note the call and go on to the function. Arguments stay as they are: only `r11` and `xmm8` are
//! lost, which belong to nobody at a call.

use crate::link::control;
use crate::objects::{self, Object};
use crate::places::{CALLS, PAGE};
use crate::standard::{self, slide};
use crate::{record, sys};
use gabion_trace::Coverage;
use gabion_trace::shared::WATCHED_CALLS;

/// Bytes of instructions per function.
pub const STUB: usize = 32;
const _: () = assert!(WATCHED_CALLS * STUB <= PAGE as usize);

const READ: u64 = 1;
pub const READ_WRITE: u64 = 3;
pub const READ_EXECUTE: u64 = 5;
/// Private memory, there or nowhere.
pub const HERE: u64 = 0x10_0022;

/// Watches the calls that the control page lists; no code of the executable has run yet (`native` lists none where it may have).
pub fn install() {
    let slots = control().watched.iter().take_while(|slot| **slot != 0);
    if slots.clone().next().is_none() {
        return;
    }
    sys::map(CALLS, PAGE, READ_WRITE, HERE, -1);
    let slide = slide();
    objects::first(|program| {
        for (index, slot) in slots.clone().enumerate() {
            let slot = slide.wrapping_add(u64::from(*slot));
            let stub = CALLS + (index * STUB) as u64;
            // SAFETY: a word of the executable that holds the address of a function, as `native` read in its relocations; the
            // page of stubs is ours.
            unsafe {
                let function = *(slot as *const u64);
                if function == 0 {
                    continue; // it is not there, and the program asks whether it is
                }
                write(stub, function, note as *const () as u64);
                lead(slot, stub, program);
            }
        }
    });
    // SAFETY: the page is ours; what it holds is complete.
    unsafe { sys::call(sys::MPROTECT, CALLS, PAGE, READ_EXECUTE) };
}

/// Makes a word of an object, which the loader has filled with a function's address, lead to `stub`.
///
/// # Safety
/// The word belongs to the object.
pub unsafe fn lead(slot: u64, stub: u64, object: &Object) {
    let ends = [slot, slot + 7]; // which may lie on two pages
    // SAFETY: the caller's promise; the word is written while its pages can be.
    let protect = |at: u64, how| unsafe { sys::call(sys::MPROTECT, at & !(PAGE - 1), PAGE, how) };
    let kept = ends.map(|at| protection(object, at));
    for (at, _) in ends.into_iter().zip(kept).filter(|(_, how)| how.is_some()) {
        protect(at, READ_WRITE);
    }
    // SAFETY: as above.
    unsafe { (slot as *mut u64).write_unaligned(stub) };
    for (at, how) in ends.into_iter().zip(kept) {
        if let Some(how) = how {
            protect(at, how);
        }
    }
}

/// Protection of a page that cannot be written: of filled words, or of instructions that hold an address.
fn protection(object: &Object, at: u64) -> Option<u64> {
    match () {
        () if object.read_only_later().contains(&at) => Some(READ),
        () if object.is_writable(at) => None,
        () if object.executes(at) => Some(READ_EXECUTE),
        () => Some(READ),
    }
}

/// Instructions that pass `function` to `note`, which goes on there.
///
/// # Safety
/// [`STUB`] bytes at `stub` are writable.
pub unsafe fn write(stub: u64, function: u64, note: u64) {
    let mut code = [0; STUB];
    code[..2].copy_from_slice(&[0x49, 0xbb]); // mov r11, the function
    code[2..10].copy_from_slice(&function.to_le_bytes());
    code[10..12].copy_from_slice(&[0x41, 0x53]); // push r11
    code[12..14].copy_from_slice(&[0x49, 0xbb]); // mov r11, below
    code[14..22].copy_from_slice(&note.to_le_bytes());
    code[22..25].copy_from_slice(&[0x41, 0xff, 0xe3]); // jmp r11
    // SAFETY: the caller's promise.
    unsafe { core::ptr::copy_nonoverlapping(code.as_ptr(), stub as *mut u8, STUB) };
}

/// Notes a call, and goes on to the function, whose address lies on the stack, with all that may hold arguments as it was.
macro_rules! noting { ($noted:path) => {
    core::arch::naked_asm!(
        "push rax",
        "push rdi",
        "push rsi",
        "push rdx",
        "push rcx",
        "push r8",
        "push r9",
        "push r10",
        "sub rsp, 128",
        "movups [rsp], xmm0",
        "movups [rsp + 16], xmm1",
        "movups [rsp + 32], xmm2",
        "movups [rsp + 48], xmm3",
        "movups [rsp + 64], xmm4",
        "movups [rsp + 80], xmm5",
        "movups [rsp + 96], xmm6",
        "movups [rsp + 112], xmm7",
        "mov rdi, [rsp + 200]", // above the function's address: where it was called
        "call {noted}",
        "movups xmm0, [rsp]",
        "movups xmm1, [rsp + 16]",
        "movups xmm2, [rsp + 32]",
        "movups xmm3, [rsp + 48]",
        "movups xmm4, [rsp + 64]",
        "movups xmm5, [rsp + 80]",
        "movups xmm6, [rsp + 96]",
        "movups xmm7, [rsp + 112]",
        "add rsp, 128",
        "pop r10",
        "pop r9",
        "pop r8",
        "pop rcx",
        "pop rdx",
        "pop rsi",
        "pop rdi",
        "pop rax",
        // What lies there may depend on the plan, and the program must not find it in what it does not initialise. Nobody passes
        // anything in xmm8.
        "pxor xmm8, xmm8",
        "movups [rsp - 16], xmm8",
        "movups [rsp - 32], xmm8",
        "movups [rsp - 48], xmm8",
        "movups [rsp - 64], xmm8",
        "movups [rsp - 80], xmm8",
        "movups [rsp - 96], xmm8",
        "movups [rsp - 112], xmm8",
        "movups [rsp - 128], xmm8",
        "movups [rsp - 144], xmm8",
        "movups [rsp - 160], xmm8",
        "movups [rsp - 176], xmm8",
        "movups [rsp - 192], xmm8",
        "movups [rsp - 208], xmm8",
        "ret",
        noted = sym $noted,
    )
}}
pub(crate) use noting;

/// The note for functions of the executable's table.
#[unsafe(naked)]
unsafe extern "C" fn note() {
    noting!(noted)
}

/// [`made`], apart from the program's stack.
#[unsafe(naked)]
unsafe extern "C" fn noted(_pc: u64) {
    core::arch::naked_asm!(apart!(), apart = sym crate::apart::APART, room = const crate::apart::ROOM, body = sym made)
}

/// What a prebuilt standard library calls for itself is trusted with it.
extern "C" fn made(pc: u64) {
    if !standard::is_library(pc.wrapping_sub(1)) {
        record::cover(Coverage::UNMODELLED_CALL);
    }
}
