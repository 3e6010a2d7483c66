//! Runs that go round and round.
//!
//! A run that reaches the limit of steps is cut, unless its last part shows that it would never end. Two ways:
//!
//! * Livelock: steps repeat, ten times or more, with the same threads at the same instructions in the same private state,
//!   having read the same values, and everybody who could run takes part. That is what two threads do that give way to
//!   each other for ever.
//! * A bad samaritan (CHESS §4.3 assumes that a thread which cannot make progress yields): for half of all steps one
//!   thread alone has gone round a loop, asking for the same thing and getting the same answer, while others could run,
//!   and has never given way.
//!
//! Both are judged at a limit, so they are marked heuristic. Nothing is noted before half of the steps are made.
//!
//! A livelock is looked for once before, after [`EARLY`] steps, and must then have repeated more often. Threads that give way to
//! each other do so for ever only if the search makes them, and a search in depth makes one more round with every run or
//! two: to come to the limit in this way takes thousands of long runs.

use crate::control::finish;
use crate::interpose::ENTRY;
use crate::state::{ThreadSet, g, me};
use crate::sys::Text;
use crate::waiting::timed::is_limited;
use gabion_trace::{Ending, OpKind};

/// Steps that are kept.
const KEPT: usize = 4096;
/// Times that a part must have been repeated.
const TIMES: usize = 10;
/// Steps after which a livelock is looked for before the limit, and times that it must have been repeated there.
const EARLY: u64 = 1000;
const EARLY_TIMES: usize = 20;
/// Steps of such a part.
const LONGEST: usize = 128;
/// Bytes of stack that are looked at: a counter of rounds may lie far from the loop.
const STACK: u64 = 1 << 16;

#[derive(Clone, Copy)]
struct Step {
    thread: u16,
    /// Thread, instruction and operation.
    place: u64,
    /// Also the object, private state and what was read since the step before.
    state: u64,
    /// The instruction, address and value of an atomic load; 0: none.
    asked: u64,
    /// Who could run, of the first 64.
    able: u64,
}

struct Rounds {
    steps: [Step; KEPT],
    count: usize,
    /// What was read since the last step.
    values: u64,
    asked: u64,
    /// Number of changes that are not compared.
    unseen: u64,
    /// All who took a step, and whether one of them gave way.
    threads: ThreadSet,
    yielded: bool,
}

static mut ROUNDS: Rounds = Rounds {
    steps: [Step { thread: 0, place: 0, state: 0, asked: 0, able: 0 }; KEPT],
    count: 0,
    values: 0,
    asked: 0,
    unseen: 0,
    threads: ThreadSet::EMPTY,
    yielded: false,
};

fn rounds() -> &'static mut Rounds {
    // SAFETY: one kernel thread.
    unsafe { &mut ROUNDS }
}

const fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9fb2_1c65_1e98_df25).rotate_left(29)
}

/// A run begins.
pub fn begin() {
    let g = g();
    g.judged_after = g.plan.max_steps.min(EARLY);
    g.noted_from = g.judged_after / 2;
    rounds().unseen = 0;
}

/// Half of the steps until something is judged are made: from now on they are noted.
#[inline(always)]
pub fn late() -> bool {
    let g = g();
    g.steps > g.noted_from
}

/// The running thread has seen a value, or a result.
#[inline(always)]
pub fn value(at: u64, value: u64) {
    if late() {
        let r = rounds();
        r.values = mix(mix(r.values, at), value);
    }
}

/// The running thread has changed something that is not compared: no two such rounds are the same.
#[inline(always)]
pub fn unseen() {
    if late() {
        let r = rounds();
        r.unseen += 1;
        r.values = mix(r.values, r.unseen);
    }
}

/// The running thread has made an atomic load.
#[inline(always)]
pub fn asked(pc: u64, at: u64, value: u64) {
    if late() {
        rounds().asked = mix(mix(mix(1, pc), at), value) | 1;
    }
}

/// The running thread stands at a point.
#[inline(always)]
pub fn step() {
    if late() {
        note();
    }
}

#[cold]
fn note() {
    let (g, r) = (g(), rounds());
    if g.steps == g.noted_from + 1 {
        (r.count, r.values, r.asked, r.threads, r.yielded) = (0, 0, 0, ThreadSet::EMPTY, false);
    }
    let f = me();
    let place = mix(mix(mix(2, g.current as u64), f.pending.pc), f.pending.op as u64);
    // SAFETY: one kernel thread.
    let registers = unsafe { ENTRY };
    // The object: code that is not instrumented does not say what it read, and may give one block back after another.
    let seen = mix(mix(place, f.pending.object.0), r.values);
    let mut state = registers.iter().fold(seen, |hash, word| mix(hash, *word));
    for i in 0..crate::private::depth(&registers, f.pending.pc).map_or(0, |depth| depth.min(STACK) / 8) {
        // SAFETY: on the thread's stack, between its pointer at the call and its base.
        state = mix(state, unsafe { *((registers[0] + i * 8) as *const u64) });
    }
    let able =
        g.live.iter().take_while(|t| *t < 64).filter(|t| crate::sched::enabled(*t)).fold(0, |set, t| set | 1 << t);
    r.steps[r.count % KEPT] = Step { thread: g.current as u16, place, state, asked: r.asked, able };
    (r.count, r.values, r.asked) = (r.count + 1, 0, 0);
    r.threads.insert(g.current);
    r.yielded |= matches!(f.pending.op, OpKind::Yield | OpKind::Sleep) || is_limited(f.pending.op);
}

impl Rounds {
    /// The step that was made so many steps before the last.
    fn back(&self, i: usize) -> &Step {
        &self.steps[(self.count - 1 - i) % KEPT]
    }

    /// The length of the part that was repeated at the end, by this measure.
    fn period(&self, measure: impl Fn(&Step) -> u64) -> Option<usize> {
        let kept = self.count.min(KEPT);
        let repeats = |p: &usize| (0..p * (TIMES - 1)).all(|i| measure(self.back(i)) == measure(self.back(i + p)));
        (1..=kept / TIMES).find(repeats)
    }
}

impl Rounds {
    /// A part that was repeated so many times, and those who took part: all who could run at any of its steps. It need not be the
    /// last: a search that goes in depth leaves such a circle shortly before the limit, again and again. But it must
    /// have been left because another thread was chosen, not because the program did something else.
    fn circle(&self, times: usize) -> Option<(usize, ThreadSet)> {
        let kept = self.count.min(KEPT);
        (1..=(kept / times).min(LONGEST)).find_map(|period| {
            let mut same = 0;
            (0..kept - period).find_map(|i| {
                same = if self.back(i).state == self.back(i + period).state { same + 1 } else { 0 };
                let last = (i + 1).checked_sub(same).filter(|_| same == period * (times - 1))?;
                let left = last.checked_sub(1).map(|next| (self.back(next).thread, self.back(next + period).thread));
                let part = self.fair(last, period)?;
                left.is_none_or(|(taken, due)| taken != due).then_some((period, part))
            })
        })
    }

    /// Those who made these steps, if nobody else could have run.
    fn fair(&self, last: usize, period: usize) -> Option<ThreadSet> {
        let (mut part, mut able) = (ThreadSet::EMPTY, 0);
        for step in (last..last + period).map(|i| self.back(i)) {
            part.insert(step.thread.into());
            able |= step.able;
        }
        (g().threads <= 64 && able & !part.0[0] == 0).then_some(part)
    }
}

/// The run has made all the steps that it may, or so many that it may be seen to go round in a circle.
pub fn judge(pc: u64) {
    let (g, r) = (g(), rounds());
    if g.judged_after < g.plan.max_steps {
        livelock(r, pc, EARLY_TIMES);
        g.noted_from = (g.plan.max_steps / 2).max(g.steps);
        g.judged_after = g.plan.max_steps;
        return;
    }
    crate::sched::end_in_circle();
    if r.count > TIMES {
        livelock(r, pc, TIMES);
        samaritan(r, pc);
    }
    finish(Ending::TooManySteps, 0, pc, 0, b"the run has more steps than the limit")
}

fn livelock(r: &Rounds, pc: u64, times: usize) {
    let Some((period, part)) = r.circle(times) else { return };
    let text = Text::<256>::format(format_args!(
        "{period} steps repeat for ever, as they did {times} times within {} steps: {} in turn, each in the same state as before",
        g().judged_after,
        Threads(&part)
    ));
    finish(Ending::Livelock, 1, pc, 0, text.as_bytes());
}

fn samaritan(r: &Rounds, pc: u64) {
    let g = g();
    let others = g.live.iter().any(|t| t != g.current && crate::sched::enabled(t));
    if r.threads.len() != 1 || !r.threads.has(g.current) || r.yielded || !others {
        return;
    }
    let Some(period) = r.period(|step| step.place) else { return };
    let same = |i: &usize| {
        let asked = r.back(*i).asked;
        asked != 0 && (1..TIMES).all(|n| r.back(i + n * period).asked == asked)
    };
    if (0..period).any(|i| same(&i)) {
        let text = Text::<256>::format(format_args!(
            "T{} has gone round a loop for {} steps, asking for what another thread has to do, and has never given way",
            g.current, r.count
        ));
        finish(Ending::Livelock, 2, pc, 0, text.as_bytes());
    }
}

struct Threads<'a>(&'a ThreadSet);

impl core::fmt::Display for Threads<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        for (i, t) in self.0.iter().enumerate() {
            write!(f, "{}T{t}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}
