//! The Rust standard library inside the program: whose code is whose, and functions of it that are stood in for.
//!
//! The program's linker has written both into the executable (`trace/standard.rs`). [`whose`] looks accesses up. Functions are
//! stood in for by a jump over their first instructions. The jump goes to a page nearby, from where all of memory can be reached,
//! and where the overwritten instructions are kept for models that want the function itself as well.

pub mod known;
mod section;
mod whose;

use crate::api::standard as models;
use crate::state::{g, shadow_top};
use crate::sys;
use gabion_trace::standard::{HEADER, Layout, MODEL, Model, SITE};
use gabion_trace::unwind::RULE;
pub use section::slide;
use section::{code, read_section};
use whose::Whose;
pub use whose::{alone, asker, is_known, is_library, is_part, load, owns, present, site, surely_trusts, trusts};

struct Standard {
    /// The table's words; none: no such library, or no search.
    sites: &'static [u32],
    /// How callers are found in the library's code, likewise.
    rules: &'static [u32],
    slide: u64,
    /// Where the executable's code lies.
    code: (u64, u64),
    /// It was compiled like the program: its own functions are on shadow call stacks.
    rebuilt: bool,
    layout: Layout,
    /// The plan puts its insides under test.
    apart: bool,
    /// Where the functions themselves can be called, by model.
    originals: [u64; Model::COUNT],
    /// The top of the main thread's shadow call stack when it entered a test harness; 0: it has not.
    entered: u64,
    /// The same while the harness runs: not when the process ends, whose handlers are the program's.
    harness: u64,
}

static mut STANDARD: Standard = Standard {
    sites: &[],
    rules: &[],
    slide: 0,
    code: (0, 0),
    rebuilt: false,
    layout: Layout { current: 0, parker: 0, barrier: 0 },
    apart: false,
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

/// The number of the rule by which the caller of the function with this instruction is found; 0: it is none of the library that
/// nobody instrumented.
pub fn rule(pc: u64) -> u32 {
    let s = standard();
    last_from(s.rules, RULE, pc.wrapping_sub(s.slide)).map_or(0, |entry| entry[1])
}

/// Of entries of so many words, in order, the last that begins there or before.
fn last_from(table: &'static [u32], words: usize, offset: u64) -> Option<&'static [u32]> {
    let (mut low, mut high) = (0, table.len() / words);
    while low < high {
        let middle = (low + high) / 2;
        if u64::from(table[middle * words]) <= offset { low = middle + 1 } else { high = middle }
    }
    low.checked_sub(1).map(|i| &table[i * words..(i + 1) * words])
}

/// Reads the table and puts the models in place; the program has not begun.
pub fn install() {
    let Some(table) = read_section() else { return };
    let (header, rest) = table.split_at(HEADER);
    let (sites, rest) = rest.split_at(header[1] as usize * SITE);
    let (models, rules) = rest.split_at(header[2] as usize * MODEL);
    let s = standard();
    s.slide = slide();
    (s.sites, s.rules) = (sites, rules);
    s.code = code(s.slide);
    s.rebuilt = sites.chunks_exact(SITE).any(|entry| Whose::from_word(entry[2]).is_seen_inside());
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
            [0x89 | 0x8b, 0xc0..=0xff, ..] => 2,
            [0x40..=0x4f, 0x89 | 0x8b, 0xc0..=0xff, ..] => 3,
            // mov between a register and the stack
            [0x48 | 0x4c, 0x89 | 0x8b, kind @ 0x44..=0x7c, 0x24, ..] if kind & 7 == 4 => 5,
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
