//! What the loader has loaded: the executable first, then libraries, in its order.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ops::Range;

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

/// An object. ABI: `struct dl_phdr_info` of link.h.
#[repr(C)]
pub struct Object {
    /// What to add to an address in its file.
    pub slide: u64,
    name: *const c_char,
    headers: *const [u64; 7],
    count: u16,
    _counters: [u64; 2],
    /// Of its thread-local storage; 0: it has none.
    pub module: u64,
    /// The running thread's; 0: the thread has none of it yet.
    pub storage: u64,
}

type Each = unsafe extern "C" fn(*const Object, usize, *mut c_void) -> c_int;

unsafe extern "C" {
    // ABI: link.h.
    static _r_debug: Debug;
    fn dl_iterate_phdr(each: Each, data: *mut c_void) -> c_int;
}

impl Object {
    fn path(&self) -> &'static [u8] {
        // SAFETY: a string of the loader's, which stays for as long as the object does.
        unsafe { CStr::from_ptr(self.name) }.to_bytes()
    }

    /// The name of its file, without where it is.
    pub fn name(&self) -> &'static [u8] {
        &self.path()[self.directory().len()..]
    }

    /// Where its file is, with the slash at the end.
    pub fn directory(&self) -> &'static [u8] {
        let path = self.path();
        &path[..path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1)]
    }

    /// Its program headers. ABI: `Elf64_Phdr` of elf.h; kind and flags share the first word.
    fn headers(&self) -> &[[u64; 7]] {
        // SAFETY: a table of the loader's.
        unsafe { core::slice::from_raw_parts(self.headers, self.count.into()) }
    }

    /// The entries of its dynamic section: what it is about, and the value.
    pub fn dynamic(&self) -> &[(u64, u64)] {
        const DYNAMIC: u32 = 2;
        let found = self.headers().iter().find(|header| header[0] as u32 == DYNAMIC);
        let Some([_, _, at, _, _, length, _]) = found else { return &[] };
        // SAFETY: the section that a header names: whole entries of two words.
        unsafe { core::slice::from_raw_parts((self.slide + at) as *const (u64, u64), *length as usize / 16) }
    }

    /// Where its instructions are.
    pub fn code(&self) -> Range<u64> {
        const LOAD: u32 = 1;
        const EXECUTABLE: u64 = 1 << 32;
        let found = self.headers().iter().find(|header| header[0] as u32 == LOAD && header[0] & EXECUTABLE != 0);
        let Some([_, _, at, _, _, length, _]) = found else { return 0..0 };
        self.slide + at..self.slide + at + length
    }
}

/// Calls `each` for every object.
pub fn each(mut each: impl FnMut(&Object)) {
    unsafe extern "C" fn call<F: FnMut(&Object)>(object: *const Object, _: usize, each: *mut c_void) -> c_int {
        // SAFETY: both are of the types that `each` and the loader give.
        unsafe { (*each.cast::<F>())(&*object) };
        0
    }
    fn called<F: FnMut(&Object)>(_: &F) -> Each {
        call::<F>
    }
    let function = called(&each);
    // SAFETY: the function is called before this returns.
    unsafe { dl_iterate_phdr(function, (&raw mut each).cast()) };
}

/// Where the C library is, with the slash at the end; a library of the system's lies there too.
pub fn home() -> &'static [u8] {
    let mut home: &[u8] = b"";
    each(|object| {
        if object.name() == b"libc.so.6" {
            home = object.directory();
        }
    });
    home
}

/// The last of the loader's list at some time.
#[derive(Clone, Copy)]
pub struct Last(*const LinkMap);

impl Last {
    pub const UNKNOWN: Last = Last(core::ptr::null());

    pub fn now() -> Last {
        // SAFETY: the loader's list has at least the program.
        unsafe {
            let mut last = _r_debug.map;
            while !(*last).next.is_null() {
                last = (*last).next;
            }
            Last(last)
        }
    }

    /// Is it known to be the last still?
    #[inline]
    pub fn is_last(self) -> bool {
        // SAFETY: the library is there: who closes one has forgotten this first. Others come behind it.
        !self.0.is_null() && unsafe { (*self.0).next.is_null() }
    }
}
