//! Taking over the program, and the loop that runs plans.

use crate::fiber::{self, Fiber, Life};
use crate::link::{answer, await_request, control, put_text};
pub use crate::link::{controlled, discards, ends_are_seen, failed};
use crate::places::{self, SHARED};
use crate::state::{ThreadSet, Why, g, me, set_shadow_top, watch};
use crate::{ahead, arguments, blame, dispatch, fault, heap, quiet, record, reset, seal, sleep, sys, tls};
use core::sync::atomic::{Ordering, compiler_fence};
use gabion_trace::shared::{self, MAX_THREADS, PLAN_RECORDS, PlanHead, ResetMode, Stage, TRACE_RECORDS, TraceHead};
use gabion_trace::{Coverage, Ending, PointSet, Rec, Tag};

/// The controller runs, so there is somewhere to go when a run ends.
static mut STARTED: bool = false;

/// Has the program come to its `main`?
pub fn started() -> bool {
    // SAFETY: one kernel thread.
    unsafe { STARTED }
}

/// Runs in place of `main`, on the kernel's stack: becomes the controller. Main itself becomes fiber 0.
pub extern "C" fn controller(argc: i32, argv: u64, envp: u64) -> i32 {
    setup(argc, argv, envp);
    control().stage.store(Stage::Ready as u32, Ordering::Release);
    let mut goes_on = true;
    let mut alone = None; // the slot of the request before, if it was the only one
    while goes_on {
        let begun = alone.is_some_and(ahead::begin);
        let number = await_request();
        let asked = &control().asked;
        if asked.stop != 0 {
            break;
        }
        let (first, plans) = (asked.first as usize % shared::SLOTS, asked.plans as usize);
        goes_on = if begun { clean() } else { (first..shared::SLOTS).take(plans).all(run) };
        goes_on &= control().once == 0;
        alone = (goes_on && plans == 1).then_some(first);
        answer(number);
    }
    end_process(0)
}

fn end_process(status: u64) -> ! {
    // SAFETY: ends the process.
    unsafe { sys::call(sys::EXIT_GROUP, status, 0, 0) };
    unreachable!()
}

/// At the first call of anything: constructors run in main's thread as well, before there are runs.
pub fn begin_main_thread() {
    let main = &mut g().fibers[0];
    main.fs = tls::thread_pointer();
    main.life = Life::Live;
}

/// Facts that bear on every run's verdict, whenever the program brought them about, constructors included.
const LASTING: Coverage =
    Coverage::UNMODELLED_CALL.with(Coverage::CALLED_BY_NAME).with(Coverage::MARKED).with(Coverage::LOADED);

fn setup(argc: i32, argv: u64, envp: u64) {
    g().base_coverage = g().coverage & LASTING.0; // of constructors
    crate::api::process::keep_arguments(argc, argv, envp);
    tls::take_over();
    sys::map(places::STACKS, places::STACKS_END - places::STACKS, 0, sys::RESERVED, -1);
    reset::prepare(arguments::kernels());
    crate::executable::learn(arguments::kernels());
    crate::standard::install();
    dispatch::learn_program(crate::api::process::main_function());
    fault::install();
    let g = g();
    g.controller_fs = g.fibers[0].fs;
    let Some((low, high)) = fiber::stack_memory(0, 0) else {
        sys::die(format_args!("no memory for the main thread's stack"));
    };
    let main = &mut g.fibers[0];
    (main.stack_low, main.stack_high) = (low, high);
    g.live.insert(0);
    g.main_tls = tls::static_range(g.controller_fs);
    fiber::clear_below(crate::api::keys::values(0));
    fiber::prepare(0, crate::api::keys::values(0));
    main.shadow = crate::aside::shadow_base(0);
    if !dispatch::enable() {
        // Nobody would notice what memory cannot undo.
        control().mode = ResetMode::Fork as u32;
    }
    // SAFETY: one kernel thread.
    unsafe { STARTED = true };
}

/// Runs the plan in a slot. False: this process cannot run another.
fn run(slot: usize) -> bool {
    let page = control();
    page.current.store(slot as u32, Ordering::Relaxed);
    let g = g();
    if g.checkpointed {
        if page.mode == ResetMode::Fork as u32 {
            return run_child(slot);
        }
        reset::restore();
        load(slot, slot);
        start_recording();
        fiber::resume();
        return clean();
    }
    load(slot, slot);
    page.stage.store(Stage::Running as u32, Ordering::Release);
    watch(true); // for errors with memory; nothing is recorded yet
    fiber::resume();
    if g.why == Why::Ended {
        return false; // never became concurrent: memory was not saved
    }
    if page.once == 0 {
        reset::checkpoint();
        g.checkpointed = true;
    } else {
        reset::no_checkpoint();
    }
    // What the program did before is done: only what bears on every run's verdict counts for each.
    let lasting = Coverage::MEMORY_LIMIT.with(Coverage::TIME).with(Coverage::WEAK_ATOMIC).with(LASTING);
    g.base_coverage = g.coverage & lasting.0;
    page.reset_bytes = reset::size().min(u64::from(u32::MAX)) as u32;
    page.tracking = u32::from(reset::tracking());
    if page.mode == ResetMode::Fork as u32 && page.once == 0 {
        reset::keep_offsets();
        return run_child(slot);
    }
    start_recording();
    fiber::resume();
    clean()
}

/// May another run start in this process? Not after one that changed what memory cannot undo.
pub fn clean() -> bool {
    g().coverage & Coverage::NEEDS_FORK.0 == 0
}

/// Runs the plan in a child of the checkpoint.
fn run_child(slot: usize) -> bool {
    reset::restore_offsets();
    reset::restore_shared();
    let page = control();
    page.slots[slot].trace.ending = Ending::Running as u8;
    quiet::load(&plan_of(slot), plan_records(slot)); // children find a list that they know
    // SAFETY: one kernel thread, so a plain fork copies everything.
    let child = unsafe { sys::call(sys::FORK, 0, 0, 0) };
    if child == 0 {
        // SAFETY: asks to be killed with the parent.
        unsafe { sys::call(sys::PRCTL, 1, 9, 0) };
        dispatch::enable();
        load(slot, slot);
        start_recording();
        fiber::resume();
        end_process(0);
    }
    if child < 0 {
        sys::die(format_args!("cannot fork: error {}", -child));
    }
    let mut status = 0u32;
    // SAFETY: waits for our own child.
    while unsafe { sys::call6(sys::WAIT4, child as u64, &raw mut status as u64, 0, 0, 0, 0) } == -4 {}
    let head = &mut page.slots[slot].trace;
    if head.ending == Ending::Running as u8 {
        // The child could not say anything: it was killed, or killed itself.
        *head = TraceHead { id: page.slots[slot].plan.id, ending: Ending::Died as u8, ..empty_head() };
        head.code = (status & 0x7f) as i32;
    }
    true
}

const fn empty_head() -> TraceHead {
    TraceHead {
        id: 0,
        hash: 0,
        steps: 0,
        cost: 0,
        ending: 0,
        begun: 0,
        reserved: [0; 2],
        code: 0,
        thread: 0,
        threads: 0,
        coverage: 0,
        records: 0,
        choices: 0,
        passed: 0,
        text_len: 0,
        op: 0,
        pc: 0,
        address: 0,
    }
}

/// A slot's plan, checked as far as its counts go.
fn plan_of(slot: usize) -> PlanHead {
    let mut plan = control().slots[slot].plan;
    plan.records = plan.records.min(PLAN_RECORDS as u32);
    plan.choices = plan.choices.min(plan.records);
    plan.contended = plan.contended.min(plan.records - plan.choices);
    plan
}

fn plan_records(slot: usize) -> *const Rec {
    (SHARED + shared::plan_offset(slot) as u64) as *const Rec
}

/// Takes a slot's plan as the one to follow, and a slot's trace as the one to write.
pub fn load(slot: usize, trace: usize) {
    let g = g();
    g.slot = trace;
    g.plan = plan_of(slot);
    g.points = PointSet(g.plan.points | 1);
    g.choices = plan_records(slot);
    g.known = g.plan.choices as usize;
    g.ahead = false;
    g.out_start = (SHARED + shared::trace_offset(trace) as u64) as *mut Rec;
    g.out = g.out_start;
    // SAFETY: the end of the slot's records. A few are kept back for the ending.
    g.out_end = unsafe { g.out_start.add(TRACE_RECORDS - MAX_THREADS) };
    g.position = 0;
    g.made = 0;
    g.steps = 0;
    crate::rounds::begin();
    record::begin_run();
    (g.in_a_row, g.ran_last) = (0, 0);
    g.cost = 0;
    g.hash = 0;
    g.step_accesses = 0;
    g.passed_off = 0;
    g.passed = 0;
    g.coverage = g.base_coverage;
    g.tail_random = g.plan.tail_seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    g.table_len = 0;
    g.shared_stacks = ThreadSet::EMPTY;
    quiet::load(&g.plan, g.choices);
    g.plan.records -= g.plan.contended; // nobody else has use for those
    load_rest();
    let head = &mut control().slots[trace].trace;
    (head.records, head.choices, head.threads, head.begun) = (0, 0, 0, 0);
    compiler_fence(Ordering::Release); // who sees that it runs sees no count of the run before
    head.ending = Ending::Running as u8;
}

/// Takes a plan that is like the one before, in the middle of a run that has followed their common choices.
pub fn load_other(slot: usize) {
    let g = g();
    g.plan = plan_of(slot);
    g.choices = plan_records(slot);
    g.known = g.plan.choices as usize;
    g.plan.records -= g.plan.contended;
    load_rest();
    crate::abi::own::runs(g.current);
}

/// The plan's records after the choices.
fn load_rest() {
    let g = g();
    for i in g.plan.choices as usize..g.plan.records as usize {
        // SAFETY: below the number of records in the slot.
        let rec = unsafe { *g.choices.add(i) };
        let id = rec.thread().index() % MAX_THREADS;
        match rec.tag() {
            Some(Tag::Thread) => {
                g.table[id] = (rec.a as u16, rec.n());
                g.table_len = g.table_len.max(id + 1);
            }
            Some(Tag::SharedStack) => g.shared_stacks.insert(id),
            _ => {}
        }
    }
    crate::abi::access::load_races();
    seal::load();
    crate::trust::load();
    crate::standard::load();
    sleep::load();
}

/// From here on operations are scheduled and recorded.
pub fn start_recording() {
    let g = g();
    g.active = true;
    set_shadow_top(g.fibers[0].shadow); // the last run left another's
    crate::apart::choose(0);
    fiber::becomes(0);
    fault::new_run();
    crate::abi::wide::reset();
    seal::begin_run();
    crate::waiting::begin(0);
    crate::standard::begin_run();
    if g.plan.record >= shared::record::STACKS {
        crate::standing::begin_run();
    }
    (g.cost, g.steps, g.passed, g.coverage) = (0, 0, 0, g.base_coverage);
    watch(true);
    g.fibers[0].priority = crate::plan::random();
    g.fibers[0].random = g.plan.seed;
    record::thread(0, 0, 0, crate::api::process::main_function());
    let mut only = ThreadSet::EMPTY;
    only.insert(0);
    if g.sleepers_due {
        sleep::begin_step(0);
    }
    record::step(0, gabion_trace::Point::Voluntary, &only, 1);
    g.fibers[0].step += 1;
    crate::abi::access::new_segment();
    crate::blame::present();
}

/// The program is about to become concurrent. Every run but the first starts by returning from here.
pub fn become_concurrent() {
    let g = g();
    if !g.active {
        g.why = Why::Checkpoint;
        crate::callers::keep();
        crate::libc::before_threads();
        fiber::to_controller();
    }
}

/// Ends the run. Never returns: the next run starts from the checkpoint.
pub fn finish(ending: Ending, code: i32, pc: u64, address: u64, text: &[u8]) -> ! {
    watch(false);
    if !started() {
        let text = core::str::from_utf8(text).ok().filter(|text| !text.is_empty()).unwrap_or("the program ends");
        crate::sys::die(format_args!("a constructor or a global variable, before main, where runs begin: {text}"));
    }
    if g().ahead {
        ahead::give_up(); // nobody has asked for it
    }
    if ending != Ending::TraceFull {
        record::writes_made();
    }
    blame::failed(ending, pc, address);
    if ending != Ending::TraceFull {
        blame::names();
        blame::made();
    }
    let g = g();
    let head = &mut control().slots[g.slot].trace;
    head.hash = g.hash;
    head.steps = g.steps;
    head.cost = g.cost + g.step_accesses;
    head.code = code;
    head.thread = blame::whose(ending);
    head.threads = if g.active { g.threads as u16 } else { 0 };
    head.coverage = g.coverage;
    // SAFETY: both point into the slot's records.
    head.records = unsafe { g.out.offset_from(g.out_start) } as u32;
    head.choices = g.made;
    head.passed = g.passed;
    head.op = me().pending.op as u32;
    head.pc = pc;
    head.address = address;
    put_text(g.slot, text);
    head.id = g.plan.id;
    head.ending = ending as u8;
    g.why = Why::Ended;
    loop {
        fiber::to_controller();
    }
}

/// Keeps the head's counts true in the middle of a run.
pub fn show_progress() {
    let g = g();
    compiler_fence(Ordering::Release); // what is counted is there
    let head = &mut control().slots[g.slot].trace;
    // SAFETY: both point into the slot's records.
    head.records = unsafe { g.out.offset_from(g.out_start) } as u32;
    head.choices = g.made;
    head.threads = g.threads as u16;
}

/// The record does not fit: the run cannot be told.
pub fn trace_full() -> ! {
    let g = g();
    // SAFETY: `load` kept room back.
    g.out_end = unsafe { g.out_end.add(MAX_THREADS - 1) };
    finish(Ending::TraceFull, 0, 0, 0, b"the run has more records than a trace holds")
}

/// Puts the thread table back to main alone.
pub fn only_main() {
    let g = g();
    for t in 1..g.threads {
        g.fibers[t] = Fiber::NEW;
    }
    g.threads = 1;
    (g.live, g.ready, g.can, g.gladly) = (ThreadSet::EMPTY, ThreadSet::EMPTY, ThreadSet::EMPTY, ThreadSet::EMPTY);
    g.live.insert(0);
    fiber::becomes(0);
}

/// The program called something that cannot be modelled.
pub fn unsupported(call: &str, pc: u64) -> ! {
    if !started() {
        crate::sys::die(format_args!(
            "a constructor or a global variable calls {call} before main, which gabion does not model; a test that does \
             without it can be checked"
        ));
    }
    finish(Ending::Unsupported, 0, pc, 0, call.as_bytes())
}

/// Notes that memory alone will not undo this run.
pub fn needs_fork() {
    record::cover(Coverage::NEEDS_FORK);
}

/// Where libc is asked to go instead of the program's `main`.
pub fn start(main: u64, argc: i32, argv: u64, init: u64, fini: u64, rtld_fini: u64, stack_end: u64) -> i32 {
    type Start = unsafe extern "C" fn(u64, i32, u64, u64, u64, u64, u64) -> i32;
    let real = crate::interpose::next("__libc_start_main\0");
    // SAFETY: libc's own definition; the arguments are those it was called with, `main` replaced when controlled.
    unsafe {
        let real = core::mem::transmute::<usize, Start>(real);
        if controlled() {
            heap::open();
            crate::aside::begin();
            crate::calls::install();
            crate::api::lookup::prepare();
            crate::unwinder::find();
            crate::libc::cxx::prepare_threads();
            crate::api::process::keep_main(main);
            let ours = controller as extern "C" fn(i32, u64, u64) -> i32 as usize as u64;
            let at_end = crate::api::fini::stand_in(rtld_fini);
            let argv = arguments::take_over(argc, argv);
            real(ours, argc, argv, init, fini, at_end, stack_end)
        } else {
            real(main, argc, argv, init, fini, rtld_fini, stack_end)
        }
    }
}
