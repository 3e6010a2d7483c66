//! Running ahead: the next run begins before it is asked for (decision 0012).
//!
//! A search that goes depth first knows how its next plan begins while the present one is out. When a run has been told, and
//! while the search thinks about it, memory is put back and the next run is begun, with the choices that are known. Where
//! they end the run is held, in the middle of a thread's point, until the next request comes. If its plan begins as expected the
//! run goes on with the rest of it; if not, or if anything is unusual, it is given up and the plan is run from its beginning.
//!
//! A run that was held does not differ from one that was not: nothing is written to the stack that the program runs on, and what
//! sleeps is not asked for before the first choice that is not known.

use crate::link::{await_request, control, requested};
use crate::state::{Why, g};
use crate::{control, fiber, reset, sleep};
use core::arch::naked_asm;
use gabion_trace::shared::{ResetMode, SLOTS, neighbour};

/// The request for this slot, alone, has been answered: begins the next run if its plan says how. True: that was asked for
/// meanwhile, and the run is over. False: nothing has happened that the next request would notice.
pub fn begin(slot: usize) -> bool {
    let g = g();
    let page = control();
    let Some(known) = page.slots[slot].plan.ahead.checked_sub(1) else { return false };
    if !g.checkpointed || page.mode == ResetMode::Fork as u32 || requested().is_some() {
        return false;
    }
    reset::restore();
    control::load(slot, neighbour(slot));
    sleep::nobody();
    g.known = g.known.min(known as usize);
    g.ahead = true;
    control::start_recording();
    fiber::resume();
    !core::mem::replace(&mut crate::state::g().ahead, false)
}

/// The running thread is at a choice of which the plan is not known: waits for it.
#[cold]
pub fn hold() {
    // SAFETY: the controller left its stack for the run, so what lies below its context is free.
    unsafe { on_stack(g().controller_sp & !15, go_on) }
}

/// Calls a function on another stack, so that nothing of it stays on this one, where the program would find it in variables
/// that it does not initialise.
#[unsafe(naked)]
unsafe extern "C" fn on_stack(top: u64, function: extern "C" fn()) {
    naked_asm!("mov rax, rsp", "mov rsp, rdi", "sub rsp, 8", "push rax", "call rsi", "pop rsp", "ret")
}

extern "C" fn go_on() {
    await_request();
    let g = g();
    let asked = &control().asked;
    let slot = asked.first as usize % SLOTS;
    if asked.stop != 0 || asked.goes_on == 0 || asked.plans != 1 || slot != g.slot {
        give_up();
    }
    control().current.store(slot as u32, core::sync::atomic::Ordering::Relaxed);
    control::load_other(slot);
    if sleep::is_late() {
        give_up();
    }
    g.ahead = false;
    control().slots[slot].trace.begun = 1;
}

/// Ends the run without a word.
pub fn give_up() -> ! {
    g().why = Why::Ended;
    loop {
        fiber::to_controller();
    }
}
