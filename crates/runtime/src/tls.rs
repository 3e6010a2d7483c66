//! Thread control blocks and thread-local storage as glibc lays them out.
//!
//! Nothing is hard-coded that the library tells: sizes and offsets come from symbols that it exports for debuggers. The
//! words at fs:0, 0x10, 0x18, 0x28, 0x30 (self, self, multiple_threads, canary, pointer guard) are part of the x86-64 ABI
//! between compiler and library.

use crate::interpose::{find, require};
use crate::state::g;
use crate::{aside, heap, sys};
use core::arch::asm;
use spare::Spare;

mod spare;

struct Layout {
    /// Bytes of static thread-local storage and control block together.
    size: u64,
    /// Bytes of the control block.
    block: u64,
    /// Offset of the thread id in it.
    tid: u64,
    /// Offset of the restartable-sequence area from the thread pointer.
    rseq: u64,
    allocate: usize,
    ctype_init: usize,
    single_threaded: usize,
    spare: Spare,
}

static mut LAYOUT: Layout = Layout {
    size: 0,
    block: 0,
    tid: 0,
    rseq: 0,
    allocate: 0,
    ctype_init: 0,
    single_threaded: 0,
    spare: Spare::UNKNOWN,
};

/// Words in which a thread's storage may differ from the first thread's, and still be restored from its bytes. Storages differ
/// in addresses of their own and in the thread's number.
const OWN: usize = 8;

/// The bytes of a thread's storage as libc made them, outside what is reset.
#[derive(Clone, Copy)]
struct Pristine {
    /// Where the storage is; 0: it was not made yet.
    storage: u64,
    length: u64,
    /// The bytes: the first thread's, if few words are others, so that one copy serves all and stays near.
    image: u64,
    /// Those words, by their offsets.
    own: [(u64, u64); OWN],
    count: usize,
    /// The vector of dynamic storage, its length, and its bytes.
    vector: (u64, u64, u64),
}

impl Pristine {
    const NONE: Pristine =
        Pristine { storage: 0, length: 0, image: 0, own: [(0, 0); OWN], count: 0, vector: (0, 0, 0) };

    /// Of a storage that was just made.
    unsafe fn of(storage: u64, length: u64, vector: (u64, u64)) -> Self {
        let mut pristine =
            Pristine { storage, length, vector: (vector.0, vector.1, aside::copy(vector.0, vector.1)), ..Self::NONE };
        // SAFETY: one kernel thread; the storage and the image of the first thread's have this length.
        unsafe {
            if FIRST != 0 && pristine.is_like(FIRST) {
                pristine.image = FIRST;
            } else {
                (pristine.image, pristine.count) = (aside::copy(storage, length), 0);
                FIRST = pristine.image;
            }
        }
        pristine
    }

    /// Notes the words that are others than in an image of the same length. False: too many.
    unsafe fn is_like(&mut self, image: u64) -> bool {
        for offset in (0..self.length).step_by(8) {
            // SAFETY: the caller's.
            let (own, first) = unsafe { (*word(self.storage + offset), *word(image + offset)) };
            if own != first {
                let Some(place) = self.own.get_mut(self.count) else { return false };
                *place = (offset, own);
                self.count += 1;
            }
        }
        true
    }

    /// Puts the bytes back.
    unsafe fn restore(&self) {
        // SAFETY: the storage is of a thread that does not run; it has the length of its image.
        unsafe {
            let spare = LAYOUT.spare.bytes();
            let (from, to) = (self.image + spare, self.storage + spare);
            core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, (self.length - spare) as usize);
            for (offset, value) in &self.own[..self.count] {
                *word(self.storage + offset) = *value;
            }
            let (vector, bytes, copy) = self.vector;
            core::ptr::copy_nonoverlapping(copy as *const u8, vector as *mut u8, bytes as usize);
        }
    }
}

static mut PRISTINE: [Pristine; gabion_trace::shared::MAX_THREADS] =
    [Pristine::NONE; gabion_trace::shared::MAX_THREADS];
/// The image that others are compared with; 0: none yet.
static mut FIRST: u64 = 0;

pub fn thread_pointer() -> u64 {
    let fs: u64;
    // SAFETY: the driver made sure that the kernel allows it.
    unsafe { asm!("rdfsbase {}", out(reg) fs) };
    fs
}

unsafe fn word(at: u64) -> *mut u64 {
    at as *mut u64
}

/// Learns the layout and tells the kernel to leave main's control block alone.
pub fn take_over() {
    unsafe extern "C" {
        // ABI: sys/auxv.h.
        fn getauxval(kind: u64) -> u64;
    }
    // SAFETY: AT_HWCAP2; bit 1 says that user code may read and write the segment bases.
    if unsafe { getauxval(26) } & 2 == 0 {
        sys::die(format_args!("this kernel does not allow the fsgsbase instructions, which switching threads needs"));
    }
    type Info = unsafe extern "C" fn(*mut u64, *mut u64);
    let (mut size, mut align) = (0, 0);
    // SAFETY: these symbols have the types that glibc gives them; descriptors are (bits, elements, offset).
    unsafe {
        core::mem::transmute::<usize, Info>(require("_dl_get_tls_static_info\0"))(&mut size, &mut align);
        LAYOUT = Layout {
            size,
            block: u64::from(*(require("_thread_db_sizeof_pthread\0") as *const u32)),
            tid: u64::from(*(require("_thread_db_pthread_tid\0") as *const u32).add(2)),
            rseq: *(require("__rseq_offset\0") as *const u64),
            allocate: require("_dl_allocate_tls\0"),
            ctype_init: require("__ctype_init\0"),
            single_threaded: find("__libc_single_threaded\0"),
            spare: Spare::UNKNOWN,
        };
        let (low, high) = static_range(thread_pointer());
        LAYOUT.spare = Spare::of(low, high);
        let area = thread_pointer().wrapping_add(LAYOUT.rseq);
        // The kernel would write the processor's number into this area at any moment.
        sys::call6(sys::RSEQ, area, 32, 1, 0x5305_3053, 0, 0);
        *((area + 4) as *mut i32) = -2; // what libc itself says when registration failed
    }
}

/// The program loads or closes a library: all of a thread's storage may be used from now on.
pub fn no_spare() {
    // SAFETY: one kernel thread.
    unsafe { LAYOUT.spare = Spare::UNKNOWN };
}

/// Bounds of the static storage and control block that belong to a thread pointer.
pub fn static_range(fs: u64) -> (u64, u64) {
    // SAFETY: set by `take_over`.
    unsafe { (fs + LAYOUT.block - LAYOUT.size, fs + LAYOUT.block) }
}

/// Gives a new fiber its thread-local storage, at the top of its stack slot, and the stack's top below it.
pub fn give(thread: usize) -> u64 {
    // SAFETY: one kernel thread; memory of the slot is ours.
    unsafe {
        let top = crate::api::keys::values(thread);
        let fs = (top - LAYOUT.block) & !63;
        let pristine = PRISTINE.get(thread).expect("internal error: a thread without a slot");
        if pristine.storage == 0 {
            build(thread, fs);
        } else {
            pristine.restore();
        }
        let single = LAYOUT.single_threaded as *mut u8;
        if !single.is_null() && *single != 0 {
            *single = 0;
        }
        g().fibers[thread].fs = fs;
        (fs + LAYOUT.block - LAYOUT.size) & !63
    }
}

/// First use of a slot: libc fills in the storage; a copy is kept.
unsafe fn build(thread: usize, fs: u64) {
    type Allocate = unsafe extern "C" fn(u64) -> u64;
    // SAFETY: `_dl_allocate_tls` takes the place of the control block and fills what lies below it. What it allocates
    // (the vector of dynamic storage) comes from memory that is not reset.
    unsafe {
        core::ptr::write_bytes(fs as *mut u8, 0, LAYOUT.block as usize);
        heap::private(|| core::mem::transmute::<usize, Allocate>(LAYOUT.allocate)(fs));
        let mine = g().controller_fs;
        *word(fs) = fs;
        *word(fs + 0x10) = fs;
        *((fs + 0x18) as *mut u32) = 1;
        *word(fs + 0x28) = *word(mine + 0x28);
        *word(fs + 0x30) = *word(mine + 0x30);
        *((fs + LAYOUT.tid) as *mut u32) = *((mine + LAYOUT.tid) as *const u32) + thread as u32;
        *((fs.wrapping_add(LAYOUT.rseq) + 4) as *mut i32) = -2;
        let (low, high) = static_range(fs);
        let vector = *word(fs + 8) - 16;
        let bytes = (*word(vector) + 2) * 16;
        PRISTINE[thread] = Pristine::of(low, high - low, (vector, bytes));
    }
}

/// What libc does first in every thread: locale tables.
pub fn enter_thread() {
    // SAFETY: takes and returns nothing.
    unsafe { core::mem::transmute::<usize, unsafe extern "C" fn()>(LAYOUT.ctype_init)() }
}
