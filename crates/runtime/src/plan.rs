//! Following the plan: which value each choice takes.

use crate::record;
use crate::sleep;
use crate::state::{ThreadSet, g, me};
use gabion_trace::shared::tail;
use gabion_trace::{ChoiceKind, Ending, OpKind, Rec, Tag, ThreadId};

/// A choice among threads: who runs next, who is woken. There are at least two.
///
/// `preferred` are those that the default order takes before all others.
pub fn choose_thread(kind: ChoiceKind, among: &ThreadSet, preferred: &ThreadSet, count: usize) -> usize {
    let g = g();
    let value = match planned() {
        Some(rec) if fits(&rec, kind, among) => {
            g.position += 1;
            rec.choice_value() as usize
        }
        Some(rec) => mismatch(&rec, kind, among, preferred, count),
        None => tail_choice(kind, among, preferred),
    };
    record_thread(kind, among, count, value);
    if g.sleepers != 0 && kind != ChoiceKind::Thread {
        sleep::chose(value);
    }
    value
}

/// The only thread that can run; the run ends if what it would do sleeps. A search that guesses what follows a prefix does
/// not know where there will be a choice: a planned one that says what happens anyway is passed over.
pub fn forced(only: usize, ready: &ThreadSet) -> usize {
    let g = g();
    match planned() {
        Some(rec)
            if rec.choice_kind() == Some(ChoiceKind::Thread)
                && rec.choice_value() as usize == only
                && usize::from(rec.thread().0) == g.current
                && rec.choice_step() == me().step =>
        {
            g.position += 1;
        }
        None if g.sleepers != 0 => sleep::leave_out(ChoiceKind::Thread, &mut { *ready }),
        _ => {}
    }
    only
}

fn record_thread(kind: ChoiceKind, among: &ThreadSet, count: usize, value: usize) {
    let g = g();
    let asker = me();
    let mut rec = Rec::choice(
        kind,
        ThreadId(g.current as u16),
        asker.step,
        g.fibers[value].pending.op,
        count as u16,
        value as u32,
        among.0[0],
    );
    if asker.pending.op.gives_way() || waits_for_time(asker.pending.op) {
        rec = rec.free();
    }
    g.made += 1;
    record::keep(rec);
    if g.threads > 64 {
        record::more(Tag::MoreAlternatives, among, record::keep);
    }
}

/// Values that one choice may have.
pub const VALUES: u32 = 64;

/// A choice of the running thread among the numbers below `count`, at most [`VALUES`]; the tail takes `default`, or what
/// does not sleep.
pub fn choose_value(kind: ChoiceKind, count: u32, default: u32) -> u32 {
    let g = g();
    let (step, op) = (me().step, me().pending.op);
    let here = |rec: &Rec| {
        rec.choice_kind() == Some(kind)
            && rec.choice_value() < count
            && usize::from(rec.thread().0) == g.current
            && rec.choice_step() == step
    };
    let value = match planned() {
        Some(rec) if here(&rec) => {
            g.position += 1;
            rec.choice_value()
        }
        Some(rec) if g.plan.mismatch == 0 => diverged(&rec, kind, count as usize),
        None if g.sleepers != 0 && kind == ChoiceKind::Program => awake(kind, count, default),
        _ => default,
    };
    g.made += 1;
    let all = u64::MAX >> (u64::BITS - count);
    record::keep(Rec::choice(kind, ThreadId(g.current as u16), step, op, count as u16, value, all));
    if g.sleepers != 0 {
        sleep::chose(value as usize);
    }
    value
}

/// The default, or else the first value whose event does not sleep.
fn awake(kind: ChoiceKind, count: u32, default: u32) -> u32 {
    let mut among = ThreadSet::EMPTY;
    (0..count as usize).for_each(|value| among.insert(value));
    sleep::leave_out(kind, &mut among);
    if among.has(default as usize) { default } else { among.first().map_or(default, |value| value as u32) }
}

/// Runs only because time passes.
pub fn waits_for_time(op: OpKind) -> bool {
    matches!(op, OpKind::CondTimeout | OpKind::FutexTimeout | OpKind::CondQueued)
}

/// The plan's next choice, if there is one left.
#[inline(always)]
fn planned() -> Option<Rec> {
    if g().position >= g().known && g().ahead {
        crate::ahead::hold();
    }
    let g = g();
    // SAFETY: `position` is below the number of choices that the slot holds.
    (g.position < g.known).then(|| unsafe { *g.choices.add(g.position) })
}

/// Does the planned choice fit what is here? The operation `Run` fits any: a search that has seen only the hash of a run
/// does not know what the thread it now picks was about to do.
fn fits(rec: &Rec, kind: ChoiceKind, among: &ThreadSet) -> bool {
    let g = g();
    let value = rec.choice_value() as usize;
    rec.choice_kind() == Some(kind)
        && value < g.threads
        && among.has(value)
        && usize::from(rec.thread().0) == g.current
        && rec.choice_step() == me().step
        && (rec.choice_op() == Some(OpKind::Run) || rec.choice_op() == Some(g.fibers[value].pending.op))
}

/// The planned choice does not fit what the program does.
fn mismatch(rec: &Rec, kind: ChoiceKind, among: &ThreadSet, preferred: &ThreadSet, count: usize) -> usize {
    let g = g();
    match g.plan.mismatch {
        1 => {
            // Skip: drop planned choices until one fits, else the tail.
            while let Some(next) = planned() {
                g.position += 1;
                if fits(&next, kind, among) {
                    return next.choice_value() as usize;
                }
            }
            tail_choice(kind, among, preferred)
        }
        2 => {
            let value = rec.choice_value() as usize;
            if rec.choice_kind() == Some(kind) && value < g.threads && among.has(value) {
                g.position += 1;
                return value;
            }
            tail_choice(kind, among, preferred)
        }
        _ => diverged(rec, kind, count),
    }
}

/// Ends the run: it is not the one that was planned.
fn diverged(rec: &Rec, kind: ChoiceKind, count: usize) -> ! {
    let g = g();
    let f = me();
    let planned = rec.choice_kind().map_or("something else", question);
    let whose = matches!(rec.choice_kind(), Some(ChoiceKind::Thread | ChoiceKind::Waiter));
    let text = crate::sys::Text::<256>::format(format_args!(
        "planned: T{} in its step {} chooses {planned} ({}{} of {} possible); met: T{} in its step {} chooses {} ({count} possible)",
        rec.thread().0,
        rec.choice_step(),
        if whose { "T" } else { "" },
        rec.choice_value(),
        rec.alternatives(),
        g.current,
        f.step,
        question(kind),
    ));
    crate::control::finish(Ending::Diverged, 0, 0, 0, text.as_bytes())
}

/// What a choice decides, in words.
fn question(kind: ChoiceKind) -> &'static str {
    match kind {
        ChoiceKind::Thread => "who goes on",
        ChoiceKind::Waiter => "who is woken",
        ChoiceKind::Spurious => "whether a wait ends without a signal",
        ChoiceKind::Program => "a value for the program",
        ChoiceKind::Wait => "whether a loop waits",
    }
}

/// What the plan's policy takes when the plan has nothing more to say: nothing that sleeps.
fn tail_choice(kind: ChoiceKind, among: &ThreadSet, preferred: &ThreadSet) -> usize {
    if g().sleepers == 0 {
        return by_policy(kind, among, preferred);
    }
    let (mut awake, mut preferred) = (*among, *preferred);
    sleep::leave_out(kind, &mut awake);
    preferred.keep_common(&awake);
    by_policy(kind, &awake, &preferred)
}

fn by_policy(kind: ChoiceKind, among: &ThreadSet, preferred: &ThreadSet) -> usize {
    let g = g();
    let best = |set: &ThreadSet| set.iter().max_by_key(|t| (g.fibers[*t].priority, usize::MAX - t));
    match g.plan.tail {
        tail::RANDOM => {
            let k = random() as usize % among.len();
            among.iter().nth(k).expect("internal error: an empty choice")
        }
        tail::PCT => best(among).expect("internal error: an empty choice"),
        tail::POS => {
            let chosen = best(among).expect("internal error: an empty choice");
            // Operations that the chosen one conflicts with lose their turn: their priority is drawn again.
            let object = g.fibers[chosen].pending.object;
            for t in among.iter() {
                if t == chosen || g.fibers[t].pending.object == object {
                    g.fibers[t].priority = random();
                }
            }
            chosen
        }
        tail::FAIR => {
            // Who gave way comes after all who have not run since; else the running thread goes on.
            let me = g.current;
            let patient = g.in_a_row < PATIENCE || kind != ChoiceKind::Thread;
            if kind == ChoiceKind::Thread && preferred.has(me) && g.fibers[me].yielded == 0 && patient {
                return me;
            }
            let set = if preferred.len() > 0 { preferred } else { among };
            if !patient {
                let longest = set.iter().filter(|t| *t != me).min_by_key(|t| (g.fibers[*t].ran, *t));
                return longest.unwrap_or(me);
            }
            let behind = |t: usize| {
                let yielded = g.fibers[t].yielded;
                yielded > 0 && set.iter().any(|u| u != t && g.fibers[u].ran < yielded)
            };
            let key = |t: &usize| (behind(*t), *t != me || kind != ChoiceKind::Thread, g.fibers[*t].yielded, *t);
            set.iter().min_by_key(key).expect("internal error: an empty choice")
        }
        _ => {
            let me = g.current;
            if kind == ChoiceKind::Thread && preferred.has(me) {
                return me;
            }
            preferred.first().or_else(|| among.first()).expect("internal error: an empty choice")
        }
    }
}

/// Steps of one thread after which a fair tail lets others run although it has not given way: it may wait for them.
const PATIENCE: u64 = 500;

/// Next number of the tail's random stream (xorshift64*).
pub fn random() -> u64 {
    let g = g();
    let mut x = g.tail_random;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    g.tail_random = x;
    x.wrapping_mul(0x2545_f491_4f6c_dd1d)
}
