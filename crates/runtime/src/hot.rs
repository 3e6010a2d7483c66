//! Which pages of small mappings a reset has to copy.
//!
//! Most runs write the same few pages. During the first runs, but for the very first, every page is compared with its copy; pages that
//! never changed are then write-protected, and only the others are copied back. A write to a protected page faults once: the
//! page is made writable and copied from then on. So nothing is ever missed, and a steady program pays for what it
//! writes. (Tracking by the kernel, as for large mappings, would cost a system call per mapping and run.)

use crate::places::PAGE;
use crate::sys;

/// Runs that are watched before pages are protected.
const LEARNING: u32 = 32;
/// The first of them say nothing of later ones: the loader binds names, libraries look around.
const SETTLING: u32 = 8;
const PAGES: usize = 1024;

/// A page, or the part of one that belongs to a region.
#[derive(Clone, Copy)]
struct Page {
    at: u64,
    length: u64,
    copy: u64,
    hot: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Learning(u32),
    /// Cold pages are write-protected.
    Protected,
}

struct Hot {
    pages: [Page; PAGES],
    count: usize,
    /// Once cold pages are protected: how many are hot. Invariant: they come first; `protect` and `open` see to it.
    hot: usize,
    stage: Stage,
}

static mut HOT: Hot =
    Hot { pages: [Page { at: 0, length: 0, copy: 0, hot: false }; PAGES], count: 0, hot: 0, stage: Stage::Learning(0) };

fn hot() -> &'static mut Hot {
    // SAFETY: one kernel thread.
    unsafe { &mut HOT }
}

/// Takes charge of a region and its copy. False: no room, the caller copies it whole.
pub fn add(at: u64, length: u64, copy: u64) -> bool {
    let h = hot();
    let pages = (at + length).div_ceil(PAGE) - at / PAGE;
    if h.count + pages as usize > PAGES {
        return false;
    }
    let mut from = at;
    while from < at + length {
        let to = ((from & !(PAGE - 1)) + PAGE).min(at + length);
        h.pages[h.count] = Page { at: from, length: to - from, copy: copy + (from - at), hot: to - from < PAGE };
        h.count += 1;
        from = to;
    }
    true
}

/// Puts the pages back.
pub fn restore() {
    let h = hot();
    match h.stage {
        Stage::Learning(runs) => {
            for page in &mut h.pages[..h.count] {
                page.hot |= runs >= SETTLING && differs(page);
                put_back(page);
            }
            h.stage = Stage::Learning(runs + 1);
            if runs + 1 == LEARNING {
                protect();
            }
        }
        Stage::Protected => h.pages[..h.hot].iter().for_each(put_back),
    }
}

fn put_back(page: &Page) {
    // SAFETY: the page is writable and its copy has the same length.
    unsafe { core::ptr::copy_nonoverlapping(page.copy as *const u8, page.at as *mut u8, page.length as usize) };
}

fn differs(page: &Page) -> bool {
    // SAFETY: as above.
    unsafe {
        let now = core::slice::from_raw_parts(page.at as *const u8, page.length as usize);
        let then = core::slice::from_raw_parts(page.copy as *const u8, page.length as usize);
        now != then
    }
}

fn protect() {
    let h = hot();
    for i in 0..h.count {
        let page = &mut h.pages[i];
        if !page.hot {
            // SAFETY: a page of the program's that was readable and writable. If the kernel refuses, it stays so.
            page.hot = unsafe { sys::call(sys::MPROTECT, page.at, PAGE, 1) } != 0;
        }
        if page.hot {
            heat(i);
        }
    }
    h.stage = Stage::Protected;
}

/// The page with this number, none of the hot ones yet, becomes the last of them.
fn heat(i: usize) {
    let h = hot();
    h.pages[i].hot = true;
    h.pages.swap(h.hot, i);
    h.hot += 1;
}

fn open(i: usize) {
    // SAFETY: gives back what `protect` took.
    unsafe { sys::call(sys::MPROTECT, hot().pages[i].at, PAGE, 3) };
    heat(i);
}

/// A write faulted at an address. True: the page was protected by us and is writable now.
pub fn fault(address: u64) -> bool {
    let h = hot();
    let at = address & !(PAGE - 1);
    if h.stage != Stage::Protected {
        return false;
    }
    match (h.hot..h.count).find(|i| h.pages[*i].at == at) {
        Some(i) => {
            open(i);
            true
        }
        None => false,
    }
}

/// Makes all pages writable: the kernel is about to write for the program and would not ask.
pub fn open_all() {
    let h = hot();
    if h.stage == Stage::Protected {
        (h.hot..h.count).for_each(open);
    }
}
