//! The checkpoint, and putting everything back to it.
//!
//! At the checkpoint every private writable mapping is copied aside. Of small ones the pages that runs write are copied
//! back (see `hot`); of large ones the pages that were ever written since: the kernel keeps track of them (userfaultfd in its
//! asynchronous write-protect mode, read with PAGEMAP_SCAN). A page once written stays unprotected and is copied every
//! time, so that a steady program takes no faults; when that set has grown large all is protected again. Kernels
//! without these features copy everything.

use crate::aside::{self, shadow_base};
use crate::heap;
use crate::hot;
use crate::maps::{self, Mapping};
use crate::places::{self, PAGE};
use crate::state::{g, watch};
use crate::sys;
use crate::written;

/// Mappings larger than this are tracked page by page.
const TRACKED: u64 = 128 << 10;
/// Dirty pages after which tracking starts afresh, looked at every [`RENEW`] runs.
const MANY: u64 = 64;
const RENEW: u64 = 256;
/// Used heap up to this size is cleared by writing, beyond it by giving the pages back.
const CLEAR: u64 = 256 << 10;
const REGIONS: usize = 512;

#[derive(Clone, Copy)]
struct Region {
    at: u64,
    length: u64,
    copy: u64,
    way: Way,
}

/// How a region is put back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Whole.
    Copied,
    /// Whole, and also by the parent of a child that is about to run.
    Shared,
    /// The pages that runs write; see `hot`.
    Learnt,
    /// The pages that the kernel says were written.
    Tracked,
}

struct State {
    regions: [Region; REGIONS],
    count: usize,
    total: u64,
    main: crate::fiber::Fiber,
    main_end: u64,
    arguments: u64,
    runs: u64,
    offsets: [i64; 64],
    /// Memory of ours among the program's mappings.
    excluded: (u64, u64),
}

static mut STATE: State = State {
    regions: [Region { at: 0, length: 0, copy: 0, way: Way::Copied }; REGIONS],
    count: 0,
    total: 0,
    main: crate::fiber::Fiber::NEW,
    main_end: 0,
    arguments: 0,
    runs: 0,
    offsets: [-1; 64],
    excluded: (0, 0),
};

fn state() -> &'static mut State {
    // SAFETY: one kernel thread.
    unsafe { &mut STATE }
}

unsafe fn copy(to: u64, from: u64, length: u64) {
    // SAFETY: the caller's.
    unsafe { core::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, length as usize) }
}

/// Before the program starts: what is needed later and must not be set up in the middle of it.
pub fn prepare(arguments: u64) {
    state().arguments = arguments - 8; // argc lies before the pointers
}

/// Keeps memory of ours out of the checkpoint.
pub fn exclude(at: u64, length: u64) {
    state().excluded = (at, at + length);
}

/// Bytes that a reset restores at most.
pub fn size() -> u64 {
    state().total
}
/// The program becomes concurrent, and nothing will be put back.
pub fn no_checkpoint() {
    state().main_end = heap::main_range().1;
}
/// Where the main thread's heap ended then.
pub fn main_end() -> u64 {
    state().main_end
}
/// Are large mappings tracked?
pub fn tracking() -> bool {
    written::tracking()
}

/// Saves everything. The main fiber has just left for the controller.
pub fn checkpoint() {
    let s = state();
    s.count = 0;
    s.total = 0;
    s.main = g().fibers[0];
    crate::api::signal::keep();
    crate::libc::locks::keep();
    crate::libc::buffers::keep();
    let (low, end) = heap::main_range();
    s.main_end = end;
    add(low, end, way(end - low));
    let (valid, valid_end) = (crate::valid::place(low), crate::valid::place(end));
    add(valid, valid_end, way(valid_end - valid));
    add(g().fibers[0].sp, places::slot_end(0), Way::Copied);
    let of_ours = [
        crate::api::keys::region(),
        crate::api::process::region(),
        crate::api::header::region(),
        crate::libc::region(),
    ];
    for (at, length) in of_ours {
        add(at, at + length, Way::Copied);
    }
    let base = shadow_base(0);
    add(base, s.main.shadow.max(base), Way::Copied);
    maps::each(add_mapping);
    if s.regions[..s.count].iter().any(|r| r.way == Way::Tracked) {
        track();
    }
    for region in &mut s.regions[..s.count] {
        region.copy = aside::copy(region.at, region.length);
        if region.way == Way::Learnt && !hot::add(region.at, region.length, region.copy) {
            region.way = Way::Copied;
        }
    }
    protect();
}

/// Where this library lies, its zero-initialised part included, which the kernel lists without a name.
pub fn own_image() -> (u64, u64) {
    unsafe extern "C" {
        // ABI: the linker's name for the start of the ELF header.
        static __ehdr_start: [u8; 64];
    }
    const LOAD: u32 = 1;
    let base = &raw const __ehdr_start as u64;
    let mut end = base;
    // SAFETY: the header and the table it points to are loaded with the library.
    unsafe {
        let table = base + *((base + 32) as *const u64);
        for i in 0..u64::from(*((base + 56) as *const u16)) {
            let entry = table + i * 56;
            if *(entry as *const u32) == LOAD {
                end = end.max(base + *((entry + 16) as *const u64) + *((entry + 40) as *const u64));
            }
        }
    }
    (base, (end + PAGE - 1) & !(PAGE - 1))
}

/// A private writable mapping that belongs to the program and its libraries.
fn add_mapping(mapping: &Mapping<'_>) {
    let (mut from, to) = (mapping.from, mapping.to);
    let placed = (places::HEAP..places::STACKS_END).contains(&from);
    if !mapping.writable() || placed {
        return;
    }
    if mapping.shared() {
        // Children share it, so it is put back before each of them starts as well.
        return add(from, to, Way::Shared);
    }
    let (ours, ours_end) = own_image();
    let (signal, signal_end) = state().excluded;
    if (signal..signal_end).contains(&from) {
        from = signal_end;
    }
    if (ours..ours_end).contains(&from) {
        from = ours_end; // what the kernel merged with our last page is the program's
    }
    // Of the kernel's stack only the arguments and environment are the program's; the rest is the controller's.
    let kernel_stack = mapping.named(b"[stack]");
    if kernel_stack {
        from = from.max(state().arguments);
    }
    let executable = mapping.permissions[2] == b'x'; // `hot` would lose that
    add(from, to, if kernel_stack || executable { Way::Copied } else { way(to.saturating_sub(from)) });
}

fn way(length: u64) -> Way {
    if length > TRACKED { Way::Tracked } else { Way::Learnt }
}

fn add(from: u64, to: u64, way: Way) {
    let s = state();
    if from >= to {
        return;
    }
    if s.count == REGIONS {
        sys::die(format_args!("the program has more than {REGIONS} writable mappings"));
    }
    s.regions[s.count] = Region { at: from, length: to - from, copy: 0, way };
    s.count += 1;
    s.total += to - from;
}

/// Asks the kernel to track the large regions; without it they are copied whole.
fn track() {
    let s = state();
    let large = || state().regions[..state().count].iter().filter(|r| r.way == Way::Tracked).map(whole_pages);
    if written::open() && large().all(|(start, end)| written::register(start, end)) {
        return;
    }
    written::close();
    for region in s.regions[..s.count].iter_mut().filter(|r| r.way == Way::Tracked) {
        region.way = Way::Copied;
    }
}

fn whole_pages(region: &Region) -> (u64, u64) {
    (region.at & !(PAGE - 1), (region.at + region.length + PAGE - 1) & !(PAGE - 1))
}

/// Starts tracking afresh.
fn protect() {
    let s = state();
    for region in s.regions[..s.count].iter().filter(|r| r.way == Way::Tracked) {
        let (start, end) = whole_pages(region);
        written::forget(start, end);
    }
}

/// Puts everything back.
pub fn restore() {
    watch(false);
    let s = state();
    let mut dirty = 0;
    for region in &s.regions[..s.count] {
        match region.way {
            Way::Tracked => dirty += restore_pages(region),
            Way::Learnt => {}
            // SAFETY: the region and its copy have this length.
            Way::Copied | Way::Shared => unsafe { copy(region.at, region.copy, region.length) },
        }
    }
    hot::restore();
    s.runs += 1;
    if dirty > MANY && s.runs.is_multiple_of(RENEW) {
        protect();
    }
    heap::used_since(s.main_end, g().threads, clear);
    crate::fiber::clear_below(s.main.sp);
    crate::control::only_main();
    g().fibers[0] = s.main;
    crate::time::reset();
    crate::api::signal::restore();
    crate::libc::locks::restore();
    crate::libc::buffers::restore();
}

/// Copies back the pages of a region that were ever written; gives their number.
fn restore_pages(region: &Region) -> u64 {
    let (start, end) = whole_pages(region);
    let mut pages = 0;
    written::each(start, end, |from, to| {
        pages += (to - from) / PAGE;
        let (from, to) = (from.max(region.at), to.min(region.at + region.length));
        if from < to {
            // SAFETY: inside the region; its copy has the same layout.
            unsafe { copy(from, region.copy + (from - region.at), to - from) };
        }
    });
    pages
}

/// Makes used heap zero again.
fn clear(from: u64, to: u64) {
    let near = (from + CLEAR).min(to);
    // SAFETY: heap beyond the checkpoint; nothing of the next run is there yet.
    unsafe {
        core::ptr::write_bytes(from as *mut u8, 0, (near - from) as usize);
        let page = (near + PAGE - 1) & !(PAGE - 1);
        if page < to {
            core::ptr::write_bytes(near as *mut u8, 0, (page - near) as usize);
            sys::call(sys::MADVISE, page, (to - page + PAGE - 1) & !(PAGE - 1), 4);
        } else if near < to {
            core::ptr::write_bytes(near as *mut u8, 0, (to - near) as usize);
        }
    }
}

/// Puts back what children share.
pub fn restore_shared() {
    let s = state();
    for region in s.regions[..s.count].iter().filter(|r| r.way == Way::Shared) {
        // SAFETY: the region and its copy have this length.
        unsafe { copy(region.at, region.copy, region.length) };
    }
}

/// Remembers where the program's open files stand: children share them.
pub fn keep_offsets() {
    for (fd, offset) in state().offsets.iter_mut().enumerate() {
        // SAFETY: asks for the position of a descriptor that may not exist.
        *offset = unsafe { sys::call(sys::LSEEK, fd as u64, 0, 1) };
    }
}

/// Puts open files back where they stood.
pub fn restore_offsets() {
    for (fd, offset) in state().offsets.iter().enumerate().filter(|(_, o)| **o >= 0) {
        // SAFETY: moves the position of a file that the program has open.
        unsafe { sys::call(sys::LSEEK, fd as u64, *offset as u64, 0) };
    }
}
