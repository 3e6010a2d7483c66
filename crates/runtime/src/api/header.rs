//! What a program says through `gabion.h` or the crate `gabion`: points and choices of its own, scopes, and what must hold at its end.
//!
//! Both refer to these weakly, so a program without this library does without them; where no search is connected they
//! do nothing. Checks at the end run in the thread that ends the process, after all exit handlers, as ordinary code: what
//! they read is announced like any other access.

use super::process;
use crate::control::{become_concurrent, controlled, started, unsupported};
use crate::interpose::caller;
use crate::plan::{self, VALUES};
use crate::state::{g, me};
use crate::{record, sched, seal};
use gabion_trace::{Address, ChoiceKind, Coverage, OpKind, Point, Pseudo};

/// Checks that a program may register.
const CHECKS: usize = 64;

/// Something that must hold at the end, with its words.
#[derive(Clone, Copy)]
struct Check {
    holds: u64,
    /// Where it was registered: its function is made of a macro's lines.
    pc: u64,
    text: *const u8,
    file: *const u8,
    line: u32,
}

struct Checks {
    each: [Check; CHECKS],
    used: usize,
}

const NONE: Check = Check { holds: 0, pc: 0, text: core::ptr::null(), file: core::ptr::null(), line: 0 };

/// Reset with the rest of a run.
static mut REGISTERED: Checks = Checks { each: [NONE; CHECKS], used: 0 };

fn registered() -> &'static mut Checks {
    // SAFETY: one kernel thread.
    unsafe { &mut REGISTERED }
}

/// What a reset has to restore: (address, length). Checks that came later vanish with their number.
pub fn region() -> (u64, u64) {
    (&raw const registered().used as u64, size_of::<usize>() as u64)
}

/// Asks what was registered, in order.
pub fn check_at_end() {
    for i in 0..registered().used {
        let check = registered().each[i];
        // SAFETY: a function of the program's with this type.
        let holds = unsafe { core::mem::transmute::<u64, unsafe extern "C-unwind" fn() -> i32>(check.holds)() };
        if holds == 0 {
            process::failed_assertion(check.text, check.file, check.line, c"at the end".as_ptr().cast(), check.pc);
        }
    }
}

/// A value below `count`. What has more values than one choice can have is chosen digit by digit.
fn choose(count: u32) -> u32 {
    let one = |count: u32| if count > 1 { plan::choose_value(ChoiceKind::Program, count, 0) } else { 0 };
    if count <= VALUES {
        return one(count);
    }
    let groups = count.div_ceil(VALUES);
    let group = choose(groups);
    group * VALUES + one(VALUES.min(count - group * VALUES))
}

// A point wherever it stands, whatever the classes; sealed like any other.
export!("__gabion_preempt", fn() {
    let pc = caller();
    if controlled() && g().active && !seal::seals_off(Point::Everywhere, pc) {
        sched::reach(OpKind::Preempt, Address(0), pc);
        record::op(OpKind::Preempt, Address(0), 0, pc);
    }
});

// Runs begin at the first choice, if that comes before the first thread: what lies before it is run once.
export!("__gabion_choose", fn(count: i32) -> i32 {
    let pc = caller();
    if !controlled() || count <= 1 {
        return 0;
    }
    if !started() {
        crate::sys::die(format_args!("gabion_choose before main: runs begin in main"));
    }
    if count as u32 > VALUES * VALUES {
        unsupported("a choice of more than 4096 values", pc);
    }
    become_concurrent();
    sched::reach(OpKind::Choose, Address(0), pc);
    let value = choose(count as u32);
    record::op(OpKind::Choose, Address(0), value, pc);
    value as i32
});

// Registered twice, a check is made once. Beyond the room for them the program is refused: nothing is left unchecked.
export!("__gabion_at_end", fn(holds: u64, text: *const u8, file: *const u8, line: u32) {
    let pc = caller();
    if !controlled() {
        return;
    }
    let handlers = Address::pseudo(Pseudo::ExitHandlers);
    if g().active {
        sched::reach(OpKind::Hidden, handlers, pc);
        record::op(OpKind::Hidden, handlers, 0, pc);
    }
    let checks = registered();
    if checks.each[..checks.used].iter().any(|check| check.holds == holds) {
        return;
    }
    if checks.used == CHECKS {
        unsupported("more than 64 checks at the end", pc);
    }
    checks.each[checks.used] = Check { holds, pc, text, file, line };
    checks.used += 1;
});

export!("__gabion_within_begin", fn() {
    if controlled() {
        record::cover(Coverage::MARKED);
        me().within += 1;
    }
});

export!("__gabion_within_end", fn() {
    if controlled() {
        me().within = me().within.saturating_sub(1);
    }
});
