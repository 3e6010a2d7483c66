//! What libraries do last: the loader's part in the end of a process.
//!
//! It takes a note in the record of every library, and these lie on pages that each run would have to put back. Where nobody but the
//! executable has anything to do at its end, that is done here and the loader is not asked.

/// Libraries that have nothing to do that a run would see, by how their names begin.
const KNOWN: [&[u8]; 9] = [
    b"libc.so",
    b"libm.so",
    b"ld-linux",
    b"libgcc_s.so",
    b"libgabion_rt",
    b"libpthread.so",
    b"libdl.so",
    b"librt.so",
    b"linux-vdso",
];

/// `struct dl_phdr_info`, as far as it is of use.
#[repr(C)]
struct Object {
    address: u64,
    name: *const u8,
    headers: *const [u64; 7],
    count: u16,
}

unsafe extern "C" {
    // ABI: link.h
    fn dl_iterate_phdr(each: unsafe extern "C" fn(&Object, u64, &mut Last) -> i32, data: &mut Last) -> i32;
}

/// What is to be done.
#[derive(Clone, Copy)]
struct Last {
    /// The loader's own function.
    loader: u64,
    /// The executable's functions, of which the last comes first, and one more.
    array: (u64, u64),
    single: u64,
    /// Whether that is all.
    alone: bool,
    objects: u32,
}

static mut LAST: Last = Last { loader: 0, array: (0, 0), single: 0, alone: false, objects: 0 };

/// Gives what the C library is to call in the place of the loader's function.
pub fn stand_in(loader: u64) -> u64 {
    if loader == 0 {
        return loader;
    }
    let mut last = Last { loader, array: (0, 0), single: 0, alone: true, objects: 0 };
    // SAFETY: called once for every object, with the loader's lock held; only the list above is written.
    unsafe {
        dl_iterate_phdr(look, &mut last);
        LAST = last;
    }
    end as *const () as u64
}

/// A library was loaded, or will be.
pub fn loads() {
    // SAFETY: one kernel thread.
    unsafe { LAST.alone = false };
}

/// The executable comes first.
unsafe extern "C" fn look(object: &Object, _size: u64, last: &mut Last) -> i32 {
    last.objects += 1;
    // SAFETY: what the loader tells of its objects.
    unsafe {
        if last.objects == 1 {
            (last.array, last.single) = of_executable(object);
        } else {
            last.alone &= is_known(object.name);
        }
    }
    0
}

unsafe fn is_known(name: *const u8) -> bool {
    // SAFETY: a string of the loader's.
    let path = unsafe { core::ffi::CStr::from_ptr(name.cast()) }.to_bytes();
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    KNOWN.iter().any(|known| name.starts_with(known))
}

/// What its dynamic section says: an array of functions, and one function.
unsafe fn of_executable(object: &Object) -> ((u64, u64), u64) {
    const PT_DYNAMIC: u32 = 2;
    const DT_NULL: u64 = 0;
    const DT_FINI: u64 = 13;
    const DT_FINI_ARRAY: u64 = 26;
    const DT_FINI_ARRAYSZ: u64 = 28;
    let (mut array, mut length, mut single) = (0, 0, 0);
    // SAFETY: program headers, and the section that one of them names; it ends in a null.
    unsafe {
        let headers = core::slice::from_raw_parts(object.headers, object.count.into());
        let Some(dynamic) = headers.iter().find(|header| header[0] as u32 == PT_DYNAMIC) else { return ((0, 0), 0) };
        let mut entry = (object.address + dynamic[2]) as *const (u64, u64);
        while (*entry).0 != DT_NULL {
            match (*entry).0 {
                DT_FINI => single = object.address + (*entry).1,
                DT_FINI_ARRAY => array = object.address + (*entry).1,
                DT_FINI_ARRAYSZ => length = (*entry).1,
                _ => {}
            }
            entry = entry.add(1);
        }
    }
    ((array, length / 8), single)
}

extern "C" fn end() {
    // SAFETY: one kernel thread; functions that the loader would call, in its order.
    unsafe {
        let call = |function: u64| core::mem::transmute::<u64, extern "C-unwind" fn()>(function)();
        let last = LAST;
        if !last.alone {
            return call(last.loader);
        }
        let (array, count) = last.array;
        (0..count).rev().for_each(|i| call(*((array + i * 8) as *const u64)));
        if last.single != 0 {
            call(last.single);
        }
    }
}
