//! The connection to the search: finding the shared memory, requests and answers, and what was agreed at the start.

use crate::places::SHARED;
use crate::sys;
use core::sync::atomic::{AtomicU8, Ordering, fence};
use gabion_trace::FORMAT_VERSION;
use gabion_trace::shared::{self, CONTROL_FD, Control, MAGIC, Stage, TEXT};

const UNKNOWN: u8 = 0;
const PASSIVE: u8 = 1;
const CONTROLLED: u8 = 2;

static MODE: AtomicU8 = AtomicU8::new(UNKNOWN);
/// Is a search connected? Decided at the first call of anything, long before `main`.
#[inline(always)]
pub fn controlled() -> bool {
    match MODE.load(Ordering::Relaxed) {
        CONTROLLED => true,
        PASSIVE => false,
        _ => detect(),
    }
}

#[cold]
fn detect() -> bool {
    let mut status = [0u64; 18];
    // SAFETY: asks about a descriptor that may not exist; the buffer has the size of `struct stat`.
    let absent = unsafe { sys::call(sys::FSTAT, CONTROL_FD as u64, status.as_mut_ptr() as u64, 0) } < 0;
    let size = status[6];
    let found = !absent && size == shared::TOTAL as u64 && {
        // SAFETY: a new mapping at a place of ours; shared, so that the search sees it.
        let at = unsafe { sys::call6(sys::MMAP, SHARED, size, 3, 0x10_0001, CONTROL_FD as u64, 0) };
        at as u64 == SHARED && control().magic == MAGIC
    };
    MODE.store(if found { CONTROLLED } else { PASSIVE }, Ordering::Relaxed);
    if found && control().version != FORMAT_VERSION {
        sys::die(format_args!("the program was started by another version of gabion"));
    }
    if found {
        crate::control::begin_main_thread();
    }
    found
}

/// The control page.
#[inline(always)]
pub fn control() -> &'static mut Control {
    // SAFETY: mapped by `detect`; the other side writes only what the protocol gives it.
    unsafe { &mut *(SHARED as *mut Control) }
}

/// The message of a slot's ending.
pub fn put_text(slot: usize, text: &[u8]) {
    let slot = &mut control().slots[slot];
    let n = text.len().min(TEXT);
    slot.text[..n].copy_from_slice(&text[..n]);
    slot.trace.text_len = n as u16;
}

/// Says why the runtime cannot go on; shown by the driver.
pub fn failed(text: &[u8]) {
    if MODE.load(Ordering::Relaxed) == CONTROLLED {
        put_text(0, text);
        control().stage.store(Stage::Failed as u32, Ordering::Release);
        answer(control().asked.request.load(Ordering::Acquire));
    }
}

/// The last request that was answered.
static mut ANSWERED: u32 = 0;

/// The number of a request that has no answer yet.
pub fn requested() -> Option<u32> {
    let now = control().asked.request.load(Ordering::Acquire);
    // SAFETY: one kernel thread.
    (now != unsafe { ANSWERED }).then_some(now)
}

/// Waits for a request that has no answer yet; gives its number.
pub fn await_request() -> u32 {
    for _ in 0..control().asked.looks {
        if let Some(number) = requested() {
            return number;
        }
        core::hint::spin_loop();
    }
    let page = control();
    loop {
        page.answered.asleep.store(1, Ordering::Relaxed);
        // Whoever asks from here on sees that we sleep, or else we see the request.
        fence(Ordering::SeqCst);
        if let Some(number) = requested() {
            page.answered.asleep.store(0, Ordering::Relaxed);
            return number;
        }
        // SAFETY: waits on a word that stays mapped, unless it has changed.
        unsafe { sys::call6(sys::FUTEX, &raw const page.asked.request as u64, 0, u64::from(ANSWERED), 0, 0, 0) };
    }
}

/// The traces of a request are there.
pub fn answer(number: u32) {
    // SAFETY: one kernel thread.
    unsafe { ANSWERED = number };
    let page = control();
    page.answered.response.store(number, Ordering::Release);
    // As in `await_request`, from the other side.
    fence(Ordering::SeqCst);
    if page.asked.asleep.load(Ordering::Relaxed) != 0 {
        // SAFETY: wakes whoever waits on a word that stays mapped.
        unsafe { sys::call(sys::FUTEX, &raw const page.answered.response as u64, 1, 1) };
    }
}

/// Can the program ask whether a thread has ended?
pub fn ends_are_seen() -> bool {
    control().ends != 0
}

/// Is the program's output of no interest?
pub fn discards() -> bool {
    control().discard != 0
}
