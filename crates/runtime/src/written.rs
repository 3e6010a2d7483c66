//! Which pages were written, as the kernel tells: userfaultfd in its asynchronous write-protect mode, read with
//! PAGEMAP_SCAN. Kernels before 6.7 have neither.

use crate::sys;

const RANGES: usize = 1024;

/// A range of pages as the kernel reports it.
#[repr(C)]
#[derive(Clone, Copy)]
struct PageRange {
    start: u64,
    end: u64,
    categories: u64,
}

static mut DIRTY: [PageRange; RANGES] = [PageRange { start: 0, end: 0, categories: 0 }; RANGES];

struct Kernel {
    uffd: i64,
    pagemap: i64,
}

static mut KERNEL: Kernel = Kernel { uffd: -1, pagemap: -1 };

fn kernel() -> &'static mut Kernel {
    // SAFETY: one kernel thread.
    unsafe { &mut KERNEL }
}

#[repr(C)]
struct UffdApi {
    api: u64,
    features: u64,
    ioctls: u64,
}
#[repr(C)]
struct UffdRegister {
    start: u64,
    length: u64,
    mode: u64,
    ioctls: u64,
}
#[repr(C)]
struct ScanArguments {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    vector: u64,
    vector_length: u64,
    max_pages: u64,
    inverted: u64,
    mask: u64,
    any_of: u64,
    returned: u64,
}

const UFFDIO_API: u64 = 0xc018_aa3f;
const UFFDIO_REGISTER: u64 = 0xc020_aa00;
const PAGEMAP_SCAN: u64 = 0xc060_6610;
const WRITTEN: u64 = 2;
const PROTECT_MATCHING: u64 = 1;
const CHECK_ASYNC: u64 = 2;
const NO_HUGE_PAGES: u64 = 15;

/// Is anything tracked?
pub fn tracking() -> bool {
    kernel().uffd >= 0
}

/// Asks the kernel for its services. False: it has none.
pub fn open() -> bool {
    const CLOSE_ON_EXEC_NONBLOCKING_USER_FAULTS: u64 = 0o2004001; // needs no privilege; the asynchronous mode sees the kernel's writes too
    const WRITE_PROTECT: u64 = 1;
    const UNPOPULATED: u64 = 1 << 13;
    const ASYNCHRONOUS: u64 = 1 << 15;
    let mut api = UffdApi { api: 0xaa, features: ASYNCHRONOUS | UNPOPULATED | WRITE_PROTECT, ioctls: 0 };
    // SAFETY: descriptors and structures of ours.
    unsafe {
        let fd = sys::call(sys::USERFAULTFD, CLOSE_ON_EXEC_NONBLOCKING_USER_FAULTS, 0, 0);
        let pagemap = sys::call(sys::OPEN, c"/proc/self/pagemap".as_ptr() as u64, 0o2000000, 0);
        *kernel() = Kernel { uffd: fd, pagemap };
        if fd < 0 || pagemap < 0 || sys::call(sys::IOCTL, fd as u64, UFFDIO_API, &raw mut api as u64) != 0 {
            close();
        }
    }
    tracking()
}

/// Tracks whole pages between two addresses. False: the kernel will not.
pub fn register(start: u64, end: u64) -> bool {
    let mut register = UffdRegister { start, length: end - start, mode: 2, ioctls: 0 };
    // SAFETY: a mapped, page-aligned range, and structures of ours.
    unsafe {
        sys::call(sys::MADVISE, start, end - start, NO_HUGE_PAGES);
        sys::call(sys::IOCTL, kernel().uffd as u64, UFFDIO_REGISTER, &raw mut register as u64) == 0
            && scan(start, start, 0).is_some()
    }
}

/// Gives the services back: nothing is tracked.
pub fn close() {
    let k = kernel();
    for fd in [k.uffd, k.pagemap] {
        if fd >= 0 {
            // SAFETY: a descriptor of ours.
            unsafe { sys::call(sys::CLOSE, fd as u64, 0, 0) };
        }
    }
    *k = Kernel { uffd: -1, pagemap: -1 };
}

/// Written pages between two addresses: how many ranges were found, and where the scan stopped.
fn scan(start: u64, end: u64, flags: u64) -> Option<(usize, u64)> {
    let mut arguments = ScanArguments {
        size: size_of::<ScanArguments>() as u64,
        flags: flags | CHECK_ASYNC,
        start,
        end,
        walk_end: 0,
        vector: (&raw mut DIRTY) as u64,
        vector_length: RANGES as u64,
        max_pages: 0,
        inverted: 0,
        mask: WRITTEN,
        any_of: 0,
        returned: WRITTEN,
    };
    // SAFETY: the structure and the vector are ours.
    let n = unsafe { sys::call(sys::IOCTL, kernel().pagemap as u64, PAGEMAP_SCAN, &raw mut arguments as u64) };
    (n >= 0).then_some((n as usize, arguments.walk_end))
}

/// Pages between two addresses count as not written from here on.
pub fn forget(start: u64, end: u64) {
    let mut from = start;
    while from < end {
        match scan(from, end, PROTECT_MATCHING) {
            Some((_, stopped)) if stopped > from => from = stopped,
            _ => break,
        }
    }
}

/// Calls `each` with every range of written pages between two addresses.
pub fn each(start: u64, end: u64, mut each: impl FnMut(u64, u64)) {
    let mut from = start;
    while from < end {
        let Some((found, stopped)) = scan(from, end, 0) else {
            sys::die(format_args!("the kernel stopped tracking written pages"));
        };
        // SAFETY: filled by the kernel; one kernel thread.
        for range in unsafe { &DIRTY[..found.min(RANGES)] } {
            each(range.start, range.end);
        }
        if stopped <= from {
            break;
        }
        from = stopped;
    }
}
