//! The Rust standard library inside the program: whose code is whose, and functions of it that are stood in for.
//!
//! The program's linker has written both into the executable (`trace/standard.rs`). An atomic access is looked up by its
//! instruction, and where that lies in a helper (`core::sync::atomic`, `Arc`), by the call sites above it: at higher levels of
//! optimisation these are inlined, at lower ones they are calls. Functions are stood in for by a jump over their first
//! instructions. The jump goes to a page nearby, from where all of memory can be reached, and where the overwritten instructions
//! are kept for models that want the function itself as well.

use crate::api::standard as models;
use crate::aside;
use crate::state::{g, shadow_top};
use crate::sys;
use gabion_trace::shared::flag;
use gabion_trace::standard::{HEADER, Layout, MAGIC, MODEL, Model, SECTION, SITE, Site};

/// Places that are remembered, by their lowest bits.
const KNOWN: usize = 1024;
/// Callers that are asked at most: helpers are not that deep.
const CALLERS: u64 = 12;

struct Standard {
    /// The table's words; none: no such library, or no search.
    sites: &'static [u32],
    slide: u64,
    layout: Layout,
    known: [(u64, Site); KNOWN],
    /// Where the functions themselves can be called, by model.
    originals: [u64; Model::COUNT],
    /// The top of the main thread's shadow call stack when it entered a test harness; 0: it has not.
    entered: u64,
    /// The same while the harness runs: not when the process ends, whose handlers are the program's.
    harness: u64,
}

static mut STANDARD: Standard = Standard {
    sites: &[],
    slide: 0,
    layout: Layout { current: 0, parker: 0, barrier: 0 },
    known: [(0, Site::Own); KNOWN],
    originals: [0; Model::COUNT],
    entered: 0,
    harness: 0,
};

fn standard() -> &'static mut Standard {
    // SAFETY: one kernel thread.
    unsafe { &mut STANDARD }
}

/// Where the library keeps things.
pub fn layout() -> Layout {
    standard().layout
}

/// The function that a model stands in for.
pub fn original(model: Model) -> u64 {
    standard().originals[model as usize]
}

/// Whose is an access at this instruction of the running thread?
#[inline(always)]
pub fn site(pc: u64) -> Site {
    if standard().sites.is_empty() { Site::Own } else { look_up(pc) }
}

fn look_up(pc: u64) -> Site {
    let mut site = at(pc);
    let (base, mut top) = (aside::shadow_base(g().current), shadow_top());
    let last = top.saturating_sub(CALLERS * 8).max(base);
    while site == Site::Caller && top > last {
        top -= 8;
        // SAFETY: between the base and the top of the shadow call stack.
        site = at(unsafe { *(top as *const u64) }.wrapping_sub(1));
    }
    match site {
        Site::Caller => Site::Own,
        Site::Begin | Site::Part | Site::Wake if g().plan.flags & flag::INSIDE_STD != 0 => taken_apart(site),
        _ => site,
    }
}

/// An access of an operation that is not to be one step.
fn taken_apart(site: Site) -> Site {
    if site == Site::Wake { Site::Unpark } else { Site::Own }
}

/// Is there such a library in the program?
pub fn present() -> bool {
    !standard().sites.is_empty()
}

/// Is what this instruction does trusted? That of code which nobody instrumented is too.
#[inline(always)]
pub fn trusts(pc: u64) -> bool {
    matches!(site(pc), Site::Trusted | Site::Library)
}

/// Does this instruction lie in code of the library that nobody instrumented?
pub fn is_prebuilt(pc: u64) -> bool {
    present() && at(pc) == Site::Library
}

/// Is this instruction, which makes a plain access, part of an operation of the library?
#[inline(always)]
pub fn is_part(pc: u64) -> bool {
    matches!(site(pc), Site::Begin | Site::Part)
}

/// Is it the library's own business what this instruction gives back?
pub fn owns(pc: u64) -> bool {
    alone() || site(pc) == Site::Trusted
}

/// Is the running thread in code of the library alone: before the program's code in it begins, or after it has ended, or in the
/// harness of a test binary? What it does there for itself is no point.
#[inline(always)]
pub fn alone() -> bool {
    let s = standard();
    let (thread, top) = (g().current, shadow_top());
    !s.sites.is_empty() && (top == aside::shadow_base(thread) || top == s.harness && thread == 0)
}

/// The main thread enters the harness of a test binary.
pub fn enter_harness() {
    if g().current == 0 {
        let s = standard();
        (s.entered, s.harness) = (shadow_top(), shadow_top());
    }
}

/// The process is about to end: what runs from now on is not the harness.
pub fn leave_harness() {
    standard().harness = 0;
}

/// A run begins, within the harness if there is one.
pub fn begin_run() {
    let s = standard();
    s.harness = s.entered;
}

/// What the table says about one instruction.
fn at(pc: u64) -> Site {
    let s = standard();
    let index = pc as usize % KNOWN;
    if s.known[index].0 != pc {
        let offset = pc.wrapping_sub(s.slide);
        let (mut low, mut high) = (0, s.sites.len() / SITE);
        while low < high {
            let middle = (low + high) / 2;
            if u64::from(s.sites[middle * SITE]) <= offset { low = middle + 1 } else { high = middle }
        }
        let entry = low.checked_sub(1).map(|i| &s.sites[i * SITE..(i + 1) * SITE]);
        let found = entry.filter(|e| offset < u64::from(e[1])).and_then(|e| Site::from_number(e[2] as u8));
        s.known[index] = (pc, found.unwrap_or(Site::Own));
    }
    s.known[index].1
}

/// Reads the table and puts the models in place; the program has not begun.
pub fn install() {
    let Some(table) = read_section() else { return };
    let (header, rest) = table.split_at(HEADER);
    let (sites, models) = rest.split_at(header[1] as usize * SITE);
    let s = standard();
    s.slide = slide();
    s.sites = sites;
    s.layout = Layout::from_words([header[3], header[4], header[5]]);
    let page = nearby(s.slide);
    let mut used = page;
    for entry in models.chunks_exact(MODEL).take(header[2] as usize) {
        if let Some(model) = Model::from_number(entry[1] as u8) {
            used = stand_in(s.slide + u64::from(entry[0]), model, used);
        }
    }
    // SAFETY: the page is ours; what it holds is complete.
    unsafe { sys::call(sys::MPROTECT, page, crate::places::PAGE, 5) };
}

/// Lets a function begin with a jump to `model`. `room` is free space nearby; gives what is left of it.
fn stand_in(function: u64, model: Model, room: u64) -> u64 {
    const JUMP: usize = 5;
    // SAFETY: the beginning of a function of the program.
    let code = unsafe { core::slice::from_raw_parts(function as *const u8, 32) };
    let length = if model.wants_original() { whole_instructions(code, JUMP) } else { Some(0) };
    let Some(length) = length else {
        if model == Model::Harness {
            return room; // it is only faster for it
        }
        sys::die(format_args!("{model:?} of this Rust standard library begins in a way that is not known here"));
    };
    // SAFETY: `room` is in our page, which has space for all models; the function's page is made writable for a moment,
    // before any code of the program runs.
    unsafe {
        // To the model: jmp [rip]; then its address.
        core::ptr::copy_nonoverlapping([0xff_u8, 0x25, 0, 0, 0, 0].as_ptr(), room as *mut u8, 6);
        ((room + 6) as *mut u64).write_unaligned(models::entry(model));
        if length > 0 {
            // The function itself: its first instructions, and on.
            let original = room + 16;
            core::ptr::copy_nonoverlapping(code.as_ptr(), original as *mut u8, length);
            jump(original + length as u64, function + length as u64);
            standard().originals[model as usize] = original;
        }
        let page = function & !(crate::places::PAGE - 1);
        let pages = function + JUMP as u64 - page;
        sys::call(sys::MPROTECT, page, pages, 7);
        jump(function, room);
        sys::call(sys::MPROTECT, page, pages, 5);
    }
    room + 64
}

/// # Safety
/// Five bytes at `from` are writable, and nobody runs them meanwhile.
unsafe fn jump(from: u64, to: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        *(from as *mut u8) = 0xe9;
        ((from + 1) as *mut i32).write_unaligned(to.wrapping_sub(from + 5) as i32);
    }
}

/// How many of the first bytes are whole instructions that mean the same anywhere, at least `least` of them: what functions
/// begin with.
fn whole_instructions(code: &[u8], least: usize) -> Option<usize> {
    let mut length = 0;
    while length < least {
        length += match code[length..] {
            [0x50..=0x57, ..] => 1,
            [0x41, 0x50..=0x57, ..] => 2,
            // mov between registers
            [0x48 | 0x49 | 0x4c | 0x4d, 0x89 | 0x8b, 0xc0..=0xff, ..] => 3,
            // sub rsp
            [0x48, 0x83, 0xec, ..] => 4,
            [0x48, 0x81, 0xec, ..] => 7,
            // lock inc or dec of a word
            [0xf0, 0x48, 0xff, 0x40..=0x43 | 0x45..=0x4b | 0x4d..=0x4f, ..] => 5,
            // if the second argument is true, set a byte
            [0x85, 0xf6, 0x74, 0x04, 0xc6, 0x40..=0x43 | 0x45..=0x47, ..] => 8,
            _ => return None,
        };
    }
    Some(length)
}

/// An empty page within reach of a jump from the program's code.
fn nearby(slide: u64) -> u64 {
    const FIXED: u64 = 0x10_0022; // private, anonymous, there or nowhere
    let page = crate::places::PAGE;
    for distance in 1..256 {
        let at = slide.wrapping_sub(distance * 16 * page);
        // SAFETY: a new mapping where nothing is.
        if unsafe { sys::call6(sys::MMAP, at, page, 3, FIXED, u64::MAX, 0) } as u64 == at {
            return at;
        }
    }
    sys::die(format_args!("no room near the program's code"))
}

unsafe extern "C" {
    // ABI: sys/auxv.h
    fn getauxval(kind: u64) -> u64;
}

const AT_PHDR: u64 = 3;

/// What to add to an address in the executable's file to get one in memory.
pub fn slide() -> u64 {
    const PT_PHDR: u32 = 6;
    // SAFETY: asks for a word of the kernel's list.
    let headers = unsafe { getauxval(AT_PHDR) };
    program_header(PT_PHDR).map_or(0, |(at, _)| headers.wrapping_sub(at))
}

/// Where in the executable's file the segment of a kind is to be, and how long it is.
pub fn program_header(kind: u32) -> Option<(u64, u64)> {
    const AT_PHNUM: u64 = 5;
    const ENTRY: u64 = 56;
    // SAFETY: the kernel's list, and the program headers that it names.
    unsafe {
        let headers = getauxval(AT_PHDR);
        let mut entries = (0..getauxval(AT_PHNUM)).map(|i| headers + i * ENTRY);
        let found = entries.find(|at| *(*at as *const u32) == kind)?;
        Some((*((found + 16) as *const u64), *((found + 40) as *const u64)))
    }
}

/// The section of our own executable, kept where no reset touches it.
fn read_section() -> Option<&'static [u32]> {
    // SAFETY: opens our own file; the descriptor is closed again below.
    let file = unsafe { sys::call(sys::OPEN, c"/proc/self/exe".as_ptr() as u64, 0o2000000, 0) };
    let found = (file >= 0).then(|| find_section(file as u64)).flatten();
    let (offset, length) = found.unwrap_or((0, 0));
    let at = aside::take(length);
    let complete = found.is_some() && read(file as u64, offset, at, length);
    // SAFETY: as above.
    unsafe { sys::call(sys::CLOSE, file as u64, 0, 0) };
    // SAFETY: filled above, aligned, and never changed again.
    let words = unsafe { core::slice::from_raw_parts(at as *const u32, length as usize / 4) };
    let whole = |w: &[u32]| w.len() >= HEADER && w.len() == HEADER + w[1] as usize * SITE + w[2] as usize * MODEL;
    (complete && whole(words) && words[0] == MAGIC).then_some(words)
}

/// Where in the file the section is, and how long.
fn find_section(file: u64) -> Option<(u64, u64)> {
    let mut header = [0u8; 64];
    read(file, 0, header.as_mut_ptr() as u64, 64).then_some(())?;
    let number =
        |bytes: &[u8], at: usize, n: usize| bytes[at..at + n].iter().rev().fold(0u64, |v, b| v << 8 | u64::from(*b));
    let (table, count, names) = (number(&header, 40, 8), number(&header, 60, 2), number(&header, 62, 2));
    let section = |index: u64| -> Option<[u8; 64]> {
        let mut bytes = [0u8; 64];
        read(file, table + index * 64, bytes.as_mut_ptr() as u64, 64).then_some(bytes)
    };
    let names = number(&section(names)?, 24, 8);
    (0..count).rev().find_map(|index| {
        let entry = section(index)?;
        let mut name = [0u8; 16];
        let wanted = SECTION.as_bytes();
        read(file, names + number(&entry, 0, 4), name.as_mut_ptr() as u64, wanted.len() as u64 + 1).then_some(())?;
        let same = &name[..wanted.len()] == wanted && name[wanted.len()] == 0;
        same.then(|| (number(&entry, 24, 8), number(&entry, 32, 8)))
    })
}

fn read(file: u64, offset: u64, to: u64, length: u64) -> bool {
    const PREAD: i64 = 17;
    // SAFETY: reads into memory that the caller gives.
    unsafe { sys::call6(PREAD, file, to, length, offset, 0, 0) == length as i64 }
}
