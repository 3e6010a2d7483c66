//! Functions that synchronise in a way that nobody models, and that the program or an instrumented library is linked with.
//!
//! That an executable refers to such a function does not say that this test calls it. Every word that the loader has filled with
//! the function's address, for calls or as data, is made to lead to a few instructions that refuse.

use super::{Call, refusal, refusal_of_some};
use crate::calls::{self, HERE, READ_EXECUTE, READ_WRITE, STUB};
use crate::objects::{self, Object, Reference};
use crate::places::{PAGE, REFUSED};
use crate::sys;
use gabion_trace::known::{self, Known, LIBRARIES};

/// Functions that are refused by their names.
const MOST: usize = PAGE as usize / STUB;

static mut CALLS: [Call; MOST] = [const { Call::new("") }; MOST];

/// Before any code of the program or of a library that it is linked with has run, but for what `native` knows to run earlier
/// (`.preinit_array`, functions that choose others for the loader, libraries that ask to be first): such files are judged by what they are
/// linked with.
pub fn install() {
    let mut known = 0;
    let mut first = true;
    objects::each(|object| {
        let is_program = core::mem::replace(&mut first, false);
        if is_program || is_instrumented(object) {
            for reference in object.references().filter(is_refused) {
                // SAFETY: what the loader has filled; the table is used here alone.
                unsafe {
                    let to = stub(reference.name, &mut known).wrapping_add(reference.addend);
                    calls::lead(reference.place, to, object);
                }
            }
        }
    });
    if known > 0 {
        // SAFETY: the page is ours; what it holds is complete.
        unsafe { sys::call(sys::MPROTECT, REFUSED, PAGE, READ_EXECUTE) };
    }
}

/// Was it compiled by gabion? So were functions that it defines, whatever their names.
fn is_instrumented(object: &Object) -> bool {
    let is_of_system = LIBRARIES.iter().any(|library| object.name().starts_with(library.as_bytes()));
    !is_of_system
        && object.name() != b"libgabion_rt.so"
        && object.references().any(|reference| reference.name == b"__tsan_init")
}

/// Does the word lead to a function that is not modelled and synchronises?
fn is_refused(reference: &Reference) -> bool {
    const ABSOLUTE: u32 = 1;
    const TABLES_FOR_CALLS: [u32; 2] = [6, 7]; // R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT
    const OBJECT: u64 = 1;
    const THREADS_OWN: u64 = 6;
    if !(reference.kind == ABSOLUTE || TABLES_FOR_CALLS.contains(&reference.kind))
        || [OBJECT, THREADS_OWN].contains(&reference.symbol_kind)
    {
        return false;
    }
    let Ok(name) = core::str::from_utf8(reference.name) else { return false };
    known::classify(name, false) == Known::Synchronisation && is_foreign(reference)
}

/// Is what the word leads to there, and not in the program, in the runtime or in an instrumented library?
fn is_foreign(reference: &Reference) -> bool {
    // SAFETY: a word that the loader has filled.
    let word = unsafe { (reference.place as *const u64).read_unaligned() };
    let function = word.wrapping_sub(reference.addend);
    let (mut foreign, mut first) = (function != 0, true);
    objects::each(|object| {
        let is_program = core::mem::replace(&mut first, false);
        if object.executes(function) {
            foreign = !is_program && object.name() != b"libgabion_rt.so" && !is_instrumented(object);
        }
    });
    foreign
}

/// The instructions that refuse a function. The name has a zero byte behind it.
///
/// # Safety
/// Nobody else uses the table; `known` is how many of it are in use.
unsafe fn stub(name: &'static [u8], known: &mut usize) -> u64 {
    // SAFETY: the caller's promise.
    let table: &mut [Call; MOST] =
        unsafe { (&raw mut CALLS).as_mut() }.expect("internal error: a static has an address");
    let found = table[..*known].iter().position(|call| call.name.as_bytes().strip_suffix(b"\0") == Some(name));
    let index = found.unwrap_or(*known);
    if index == MOST {
        return refusal_of_some as *const () as u64;
    }
    let at = REFUSED + (index * STUB) as u64;
    if found.is_none() {
        if *known == 0 {
            sys::map(REFUSED, PAGE, READ_WRITE, HERE, -1);
        }
        // SAFETY: a string of the object's, which stays loaded, with the zero byte at its end.
        let name = unsafe { core::slice::from_raw_parts(name.as_ptr(), name.len() + 1) };
        table[index] = Call::new(core::str::from_utf8(name).expect("internal error: it was text before"));
        // SAFETY: the page is ours and can be written until all are known.
        unsafe { calls::write(at, &raw const table[index] as u64, refusal as *const () as u64) };
        *known += 1;
    }
    at
}
