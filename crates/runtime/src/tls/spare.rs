//! Which part of a thread's static storage no loaded library uses.
//!
//! The loader leaves room there for libraries that come later: more than a third of the bytes. It stays as it is
//! for as long as none comes.

use core::ffi::{c_int, c_void};

// ABI: link.h, the part that libraries may use.
#[repr(C)]
struct LinkMap {
    _address: u64,
    _name: u64,
    _dynamic: u64,
    next: *const LinkMap,
}

// ABI: link.h.
#[repr(C)]
struct Debug {
    _version: c_int,
    map: *const LinkMap,
}

// ABI: link.h.
#[repr(C)]
struct Info {
    _before: [u64; 6],
    /// 0: it has no storage.
    module: u64,
    /// 0: the thread has none of it yet.
    storage: u64,
}

unsafe extern "C" {
    static _r_debug: Debug;
    fn dl_iterate_phdr(
        each: unsafe extern "C" fn(*const Info, usize, *mut c_void) -> c_int,
        data: *mut c_void,
    ) -> c_int;
}

/// The libraries that were loaded at the program's start.
#[derive(Clone, Copy)]
pub struct Spare {
    last: *const LinkMap,
    /// Bytes at the beginning of each thread's storage that belong to none of them.
    bytes: u64,
}

impl Spare {
    pub const UNKNOWN: Spare = Spare { last: core::ptr::null(), bytes: 0 };

    /// At the program's start; `low` and `high` are the bounds of the running thread's storage.
    pub fn of(low: u64, high: u64) -> Spare {
        let mut first = (low, high);
        // SAFETY: the loader's list has at least the program; the callback is called before this returns.
        unsafe {
            let mut last = _r_debug.map;
            while !(*last).next.is_null() {
                last = (*last).next;
            }
            dl_iterate_phdr(lowest, (&raw mut first).cast());
            Spare { last, bytes: (first.1 - low) & !63 }
        }
    }

    /// The bytes that need not be put back.
    #[inline]
    pub fn bytes(&self) -> u64 {
        // SAFETY: the library is there: who closes one has forgotten this first. Others come behind it.
        if !self.last.is_null() && unsafe { (*self.last).next.is_null() } { self.bytes } else { 0 }
    }
}

/// The lowest address of a library's storage within the bounds of the thread's: `data` is (low bound, lowest so far).
unsafe extern "C" fn lowest(info: *const Info, _: usize, data: *mut c_void) -> c_int {
    // SAFETY: both are of the types that `of` and the loader give.
    let (module, storage, bounds) = unsafe { ((*info).module, (*info).storage, &mut *data.cast::<(u64, u64)>()) };
    if module != 0 && storage == 0 {
        bounds.1 = bounds.0; // where it will be is not known
    }
    if (bounds.0..bounds.1).contains(&storage) {
        bounds.1 = storage;
    }
    0
}
