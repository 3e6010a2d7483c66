//! What libraries do last: the loader's part in the end of a process.
//!
//! It takes a note in the record of every library, and these lie on pages that each run would have to put back. Where nobody but the
//! executable has anything to do at its end, that is done here and the loader is not asked.

use crate::objects::{self, Last, Object};

/// Libraries that have nothing to do that a run would see, if they lie where the C library does.
const BESIDE: [&[u8]; 6] =
    [b"libc.so.6", b"libm.so.6", b"libgcc_s.so.1", b"libpthread.so.0", b"libdl.so.2", b"librt.so.1"];
/// The same, wherever they lie.
const ANYWHERE: [&[u8]; 3] = [b"ld-linux-x86-64.so.2", b"linux-vdso.so.1", b"libgabion_rt.so"];

/// What is to be done.
#[derive(Clone, Copy)]
struct End {
    /// The loader's own function.
    loader: u64,
    /// The executable's functions, the last of which comes first, and one more.
    array: (u64, u64),
    single: u64,
    /// That is all, for as long as this is the last library.
    last: Last,
    /// The program has loaded or closed libraries.
    loads: bool,
}

const NEW: End = End { loader: 0, array: (0, 0), single: 0, last: Last::UNKNOWN, loads: false };
static mut END: End = NEW;

/// Gives what the C library is to call in the place of the loader's function.
pub fn stand_in(loader: u64) -> u64 {
    if loader == 0 {
        return loader;
    }
    let home = objects::home();
    // SAFETY: one kernel thread.
    let end = unsafe { &mut END };
    (end.loader, end.last) = (loader, Last::now());
    let mut first = true;
    objects::each(|object| {
        let name = object.name();
        let known = ANYWHERE.contains(&name) || BESIDE.contains(&name) && object.directory() == home;
        if core::mem::replace(&mut first, false) {
            (end.array, end.single) = of_executable(object);
        } else if !known || end.loads {
            end.last = Last::UNKNOWN;
        }
    });
    at_end as *const () as u64
}

/// The program loads or closes a library.
pub fn ask_loader() {
    // SAFETY: one kernel thread.
    unsafe { (END.last, END.loads) = (Last::UNKNOWN, true) };
}

/// An array of functions, and one function.
fn of_executable(object: &Object) -> ((u64, u64), u64) {
    const NULL: u64 = 0;
    const FINI: u64 = 13;
    const FINI_ARRAY: u64 = 26;
    const FINI_ARRAY_SIZE: u64 = 28;
    let (mut array, mut length, mut single) = (0, 0, 0);
    for (about, value) in object.dynamic().iter().take_while(|entry| entry.0 != NULL) {
        match *about {
            FINI => single = object.slide + value,
            FINI_ARRAY => array = object.slide + value,
            FINI_ARRAY_SIZE => length = *value,
            _ => {}
        }
    }
    ((array, length / 8), single)
}

extern "C-unwind" fn at_end() {
    // SAFETY: one kernel thread; functions that the loader would call, in its order.
    unsafe {
        let call = |function: u64| core::mem::transmute::<u64, extern "C-unwind" fn()>(function)();
        let end = END;
        if !end.last.is_last() {
            return call(end.loader);
        }
        let (array, count) = end.array;
        (0..count).rev().for_each(|i| call(*((array + i * 8) as *const u64)));
        if end.single != 0 {
            call(end.single);
        }
    }
}
