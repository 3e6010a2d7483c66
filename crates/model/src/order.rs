//! The happens-before order of a run, in a form that is equal exactly for equivalent runs (Mazurkiewicz 1986).
//!
//! An event is (thread, its number, the values of the choices made in it). Of two events of a run, the later depends on
//! the earlier if both are of one thread; if their accesses conflict, objects included; if the earlier woke or created
//! the later's thread and this is its first event since; or if the later ended the run by itself (an exit, a
//! failure), so that it cut all others off. A run that ends because nobody can go on has
//! no such event. A step that ended because it met something held, and not at a point, says itself that it read it. Whether a thread can run changes only through an object
//! that its own operation touches, so this needs no rule of its own.
//!
//! The order is kept by vector clocks, computed by comparing every pair of steps: slow, and plainly right.

use crate::state::child_name;
use gabion_trace::{Access, ChoiceKind, Decision, Ending, Event, Trace};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A happens-before order, as a hash of its canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(pub u128);

/// A step of a run.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub(crate) thread: usize,
    /// See [`child_name`].
    pub(crate) name: u32,
    pub(crate) number: u32,
    /// Threads by name.
    pub(crate) values: Vec<u32>,
    pub(crate) accesses: Vec<Access>,
    pub(crate) wakes: Vec<usize>,
    /// Steps of each thread up to and including this one that happen before it or are it. Filled in by [`Steps::push`].
    pub(crate) clock: Vec<u32>,
}

/// How a run ended, as far as its order is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Nobody could go on.
    Stuck,
    /// The last step cut all others off.
    Cut,
}

impl End {
    pub(crate) fn of(ending: Ending) -> Self {
        if ending == Ending::Deadlock { End::Stuck } else { End::Cut }
    }
}

/// The steps of a run so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps(Vec<Done>);

impl Steps {
    pub(crate) fn push(&mut self, mut step: Done) {
        let mut clock = vec![0; 1 + step.thread];
        let mut fresh = true;
        for earlier in self.0.iter().rev() {
            let own = earlier.thread == step.thread;
            // Only what happened since the thread's last event can have changed its next one.
            let woke = fresh && earlier.wakes.contains(&step.thread);
            fresh &= !own;
            let conflict = || earlier.accesses.iter().any(|a| step.accesses.iter().any(|b| a.conflicts(b)));
            if own || woke || conflict() {
                join(&mut clock, &earlier.clock);
            }
        }
        clock[step.thread] = step.number + 1;
        step.clock = clock;
        self.0.push(step);
    }

    pub(crate) fn pop(&mut self) {
        self.0.pop();
    }

    /// Who made each step, and the values chosen in it.
    pub(crate) fn schedule(&self) -> Vec<(u32, Vec<u32>)> {
        self.0.iter().map(|step| (step.name, step.values.clone())).collect()
    }

    /// The steps with their clocks, the last one's as the end says.
    fn ended(&self, end: End) -> Vec<Done> {
        let mut steps = self.0.clone();
        if let (End::Cut, Some((last, others))) = (end, steps.split_last_mut()) {
            others.iter().for_each(|step| join(&mut last.clock, &step.clock));
        }
        steps
    }

    /// In how many sequences the steps can be put without breaking the order.
    pub(crate) fn extensions(&self, end: End) -> u64 {
        let steps = self.ended(end);
        let threads = 1 + steps.iter().map(|step| step.thread).max().unwrap_or(0);
        let mut ways = BTreeMap::from([(vec![0u32; threads], 1u64)]);
        for _ in 0..steps.len() {
            let mut more = BTreeMap::new();
            for (done, count) in &ways {
                let next = |step: &&Done| {
                    let before = |(t, n): (usize, &u32)| *n <= done[t] + u32::from(t == step.thread);
                    done[step.thread] == step.number && step.clock.iter().enumerate().all(before)
                };
                for step in steps.iter().filter(next) {
                    let mut after = done.clone();
                    after[step.thread] += 1;
                    *more.entry(after).or_default() += count;
                }
            }
            ways = more;
        }
        ways.into_values().sum()
    }

    /// The canonical form of what was pushed.
    pub(crate) fn order(&self, end: End) -> Order {
        let steps = self.ended(end);
        let mut names = Vec::new();
        for step in &steps {
            names.resize(names.len().max(step.thread + 1), None);
            names[step.thread] = Some(step.name);
        }
        let mut events: Vec<_> = steps
            .iter()
            .map(|step| {
                let known = step.clock.iter().enumerate().filter(|(_, count)| **count > 0);
                let mut clock: Vec<_> = known.map(|(t, count)| (names[t], *count)).collect();
                clock.sort_unstable();
                (step.name, step.number, &step.values, clock)
            })
            .collect();
        events.sort_unstable();
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, &events).hash(&mut hasher);
            hasher.finish()
        };
        Order(u128::from(half(1)) << 64 | u128::from(half(2)))
    }
}

fn join(clock: &mut Vec<u32>, other: &[u32]) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(a, b)| *a = (*a).max(*b));
}

/// What the step's events say to the order: accesses, and who was woken.
pub(crate) fn read(events: &[Event]) -> (Vec<Access>, Vec<usize>) {
    let woken = |event: &Event| match event {
        Event::Wake { thread } => Some(thread.index()),
        _ => None,
    };
    (events.iter().filter_map(Event::as_access).collect(), events.iter().filter_map(woken).collect())
}

/// The order of a recorded run.
pub fn order(trace: &Trace) -> Order {
    let mut names: Vec<u32> = Vec::new();
    for (index, info) in trace.threads.iter().enumerate() {
        names.push(if index == 0 { 0 } else { child_name(names[info.parent.index()], info.nth) });
    }
    let mut steps = Steps::default();
    for (index, step) in trace.steps.iter().enumerate() {
        let to = trace.steps.get(index + 1).map_or(trace.decisions.len(), |next| next.decisions as usize);
        let value = |d: &Decision| match d.choice.kind {
            ChoiceKind::Waiter => names[d.choice.value as usize],
            _ => d.choice.value,
        };
        let inside = trace.decisions[step.decisions as usize..to].iter().filter(|d| !d.is_thread());
        let (accesses, wakes) = read(trace.events(step));
        steps.push(Done {
            thread: step.thread.index(),
            name: names[step.thread.index()],
            number: step.number,
            values: inside.map(value).collect(),
            accesses,
            wakes,
            clock: Vec::new(),
        });
    }
    steps.order(End::of(trace.outcome.ending))
}
