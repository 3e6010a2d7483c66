//! `dlsym` and `dlvsym`: a function that is looked up by its name is watched like one that the loader has found.
//!
//! A function of the C library that the runtime stands in for is handed out as the runtime's, also by a handle of the C library
//! itself. One that nobody models gets a few instructions before it that note its calls, one that synchronises in a way that
//! nobody models gets some that refuse. What lies in other libraries is left alone: such a library is a caveat or was compiled
//! like the program.
//!
//! The loader looks on behalf of the caller (`RTLD_NEXT` depends on it), so it is called with a return address in the caller's
//! file: a `ret` there, which comes back here.

use super::refused::{Call, refusal, refusal_of_some};
use crate::calls::{self, HERE, READ_EXECUTE, READ_WRITE, STUB};
use crate::control::controlled;
use crate::interpose::cached;
use crate::libc::announce_string;
use crate::objects;
use crate::places::{FOUND, PAGE};
use crate::{record, standard, sys};
use core::arch::naked_asm;
use core::sync::atomic::AtomicUsize;
use gabion_trace::Coverage;
use gabion_trace::known::{self, Known, LIBRARIES};

/// Functions that can be handed out with instructions before them.
const MOST: usize = PAGE as usize / STUB;
/// Bytes of a function's name that are kept, with the zero byte at the end.
const NAME: usize = 56;

struct Found {
    /// Empty: unused.
    name: [u8; NAME],
    call: Call,
}

static mut TABLE: [Found; MOST] = [const { Found { name: [0; NAME], call: Call::new("") } }; MOST];

/// Before anything of the program runs.
pub fn prepare() {
    sys::map(FOUND, PAGE, READ_EXECUTE, HERE, -1);
}

/// One of the two. The name ends in a zero byte.
struct Function {
    name: &'static str,
    real: AtomicUsize,
}

/// What the stubs do: give a result, or go on somewhere.
#[repr(C)]
struct Answer {
    result: u64,
    /// 0: nowhere.
    goes_on: u64,
}

unsafe extern "C" fn look(function: &Function, handle: u64, name: u64, version: u64, from: u64) -> Answer {
    let real = cached(&function.real, function.name) as u64;
    if !controlled() {
        return Answer { result: 0, goes_on: real };
    }
    announce_string(name, from.wrapping_sub(1));
    // SAFETY: the loader's function with the program's arguments.
    let found = unsafe { call_as(real, handle, name, version, return_near(from)) };
    let mut text: &[u8] = &[];
    if found != 0 {
        // SAFETY: the loader has read the string.
        text = unsafe { core::ffi::CStr::from_ptr(name as *const _) }.to_bytes();
    }
    Answer { result: core::str::from_utf8(text).map_or(found, |text| watched(found, text)), goes_on: 0 }
}

/// The address of a `ret` in the file that this return address lies in; of our own, if there is none.
fn return_near(from: u64) -> u64 {
    const RET: u8 = 0xc3;
    let mut found = 0;
    objects::each(|object| {
        if object.executes(from) {
            let code = object.code();
            // SAFETY: instructions of a loaded file.
            let returns = |at: &u64| unsafe { *(*at as *const u8) == RET };
            found = (from..code.end).find(returns).or_else(|| (code.start..from).rev().find(returns)).unwrap_or(0);
        }
    });
    if found == 0 { plain_return as *const () as u64 } else { found }
}

#[unsafe(naked)]
unsafe extern "C" fn plain_return() {
    naked_asm!("ret")
}

/// Calls a function so that it returns to `through`, a `ret`, and from there to us.
#[unsafe(naked)]
unsafe extern "C" fn call_as(_function: u64, _first: u64, _second: u64, _third: u64, _through: u64) -> u64 {
    naked_asm!(
        "push rbp",
        "mov rbp, rsp",
        "and rsp, -16",
        "sub rsp, 16",
        "lea rax, [rip + 2f]",
        "mov [rsp], rax",
        "push r8",
        "mov r11, rdi",
        "mov rdi, rsi",
        "mov rsi, rdx",
        "mov rdx, rcx",
        "jmp r11",
        "2: mov rsp, rbp",
        "pop rbp",
        "ret",
    )
}

/// What is handed out in the place of what the loader has found.
fn watched(found: u64, name: &str) -> u64 {
    let (mut own, mut of_system) = (0, false);
    let mut first = true;
    objects::each(|object| {
        let is_program = core::mem::replace(&mut first, false);
        let file = object.name();
        if file == b"libgabion_rt.so" {
            own = object.symbol(name.as_bytes());
        } else if !is_program && object.executes(found) {
            of_system = LIBRARIES.iter().any(|library| file.starts_with(library.as_bytes()));
        }
    });
    if !of_system {
        return found;
    }
    match known::classify(name, own != 0) {
        Known::Interposed => own,
        Known::Harmless => found,
        Known::Unmodelled => stub(name, |_| (found, note as *const () as u64)).unwrap_or_else(|| {
            record::cover(Coverage::CALLED_BY_NAME); // for all that will be known
            found
        }),
        Known::Synchronisation => stub(name, |call| (call as *const Call as u64, refusal as *const () as u64))
            .unwrap_or(refusal_of_some as *const () as u64),
    }
}

/// Instructions that stand before a function of this name, at a place that depends on the name; none: there is no room.
fn stub(name: &str, what: impl FnOnce(&'static Call) -> (u64, u64)) -> Option<u64> {
    let table = &raw mut TABLE;
    // SAFETY: one kernel thread.
    let table: &'static mut [Found; MOST] = unsafe { &mut *table };
    let first = name.bytes().fold(0usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into()));
    let mut text = [0; NAME];
    text.get_mut(..name.len()).filter(|_| name.len() < NAME)?.copy_from_slice(name.as_bytes());
    let mut places = (0..MOST).map(|i| first.wrapping_add(i) % MOST);
    let index = places.find(|at| table[*at].name[0] == 0 || table[*at].name == text)?;
    let at = FOUND + (index * STUB) as u64;
    let entry = &mut table[index];
    if entry.name[0] == 0 {
        entry.name = text;
        let kept: &'static [u8] = &entry.name[..=name.len()];
        entry.call = Call::new(core::str::from_utf8(kept).expect("internal error: a part of a name"));
    }
    let (value, note) = what(&entry.call);
    // SAFETY: the page of stubs is ours, and the program does not run meanwhile.
    unsafe {
        sys::call(sys::MPROTECT, FOUND, PAGE, READ_WRITE);
        calls::write(at, value, note);
        sys::call(sys::MPROTECT, FOUND, PAGE, READ_EXECUTE);
    }
    Some(at)
}

/// Notes the call of a function that nobody models.
#[unsafe(naked)]
unsafe extern "C" fn note() {
    calls::noting!(noted)
}

#[unsafe(naked)]
unsafe extern "C" fn noted(_pc: u64) {
    naked_asm!(apart!(), apart = sym crate::apart::APART, room = const crate::apart::ROOM, body = sym made)
}

/// What a prebuilt standard library calls for itself is trusted with it.
extern "C" fn made(pc: u64) {
    if !standard::is_library(pc.wrapping_sub(1)) {
        record::cover(Coverage::CALLED_BY_NAME);
    }
}

macro_rules! lookup {
    ($($name:ident)*) => {$(
        const _: () = {
            static FUNCTION: Function =
                Function { name: concat!(stringify!($name), "\0"), real: AtomicUsize::new(0) };
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            unsafe extern "C" fn $name() {
                naked_asm!(
                    ".cfi_startproc", "push rdi", "push rsi", "push rdx", ".cfi_adjust_cfa_offset 24",
                    "mov r8, [rsp + 24]", "mov rcx, rdx", "mov rdx, rsi", "mov rsi, rdi",
                    "lea rdi, [rip + {function}]", "call {look}", "mov r11, rdx",
                    "pop rdx", "pop rsi", "pop rdi", ".cfi_adjust_cfa_offset -24",
                    "test r11, r11", "je 2f", "jmp r11", "2: ret", ".cfi_endproc",
                    function = sym FUNCTION, look = sym look,
                )
            }
        };
    )*};
}

// ABI: dlfcn.h.
lookup! { dlsym dlvsym }

// ABI: sys/auxv.h. The kernel's own library is not handed out: what it says of time is not virtual.
interpose_open! {
    fn getauxval also __getauxval(kind: u64) -> u64 {
        const KERNELS_LIBRARY: u64 = 33;
        // SAFETY: the C library's function reads a table that it made at the start.
        if kind == KERNELS_LIBRARY { 0 } else { unsafe { real!(getauxval: fn(u64) -> u64)(kind) } }
    }
}
