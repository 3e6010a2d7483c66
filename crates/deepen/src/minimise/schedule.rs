//! An order of steps, and the run that follows it as far as the program lets it.
//!
//! A schedule is a list of turns: a thread, and up to which of its own steps. A thread that cannot go on loses the rest of
//! its turn. Which choices that takes is known only while the program runs: the run is made, and made again with one choice
//! more, until it is the one that was asked for.

use gabion_trace::{Choice, ChoiceKind, Decision, OpKind, ThreadId, Trace};
use std::collections::HashMap;

/// One thread's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn {
    /// Whose.
    pub(crate) thread: ThreadId,
    /// It is over when the thread's next step has this number.
    pub(crate) until: u32,
}

/// Turns, one after the other; then anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    pub(crate) turns: Vec<Turn>,
    /// What was chosen within steps.
    values: HashMap<Key, u32>,
}

/// Which choice within a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Key {
    /// Whether a loop waits: by thread, number of its step, and how many choices the step made before.
    Wait(ThreadId, u32, u32),
    /// Whom a signal wakes, what the program is given: by thread, and how many of its kind it made before. It stays what it
    /// was where the thread comes to it in another number of steps.
    Other(ThreadId, ChoiceKind, u32),
}

impl Schedule {
    /// Of a run.
    pub(crate) fn of(trace: &Trace) -> Self {
        let parts = trace.steps.chunk_by(|a, b| a.thread == b.thread);
        let turn = |part: &[gabion_trace::Step]| {
            let last = part.last().expect("internal error: an empty part");
            Turn { thread: last.thread, until: last.number + 1 }
        };
        let mut values = HashMap::new();
        for made in within_steps(trace) {
            values.insert(made.key, made.decision.choice.value);
        }
        Schedule { turns: parts.map(turn).collect(), values }
    }

    /// With other turns.
    pub(crate) fn with(&self, turns: Vec<Turn>) -> Self {
        Schedule { turns, values: self.values.clone() }
    }

    /// As it is, but the thread of a step does not take its loop to wait at the end of it: it goes on until it has left it.
    pub(crate) fn going_on(mut self, trace: &Trace, step: usize) -> Self {
        let of = &trace.steps[step];
        let made = trace.made_within(step).filter(|index| !trace.decisions[*index].is_thread());
        if let Some(last) = made.count().checked_sub(1) {
            self.values.insert(Key::Wait(of.thread, of.number, last as u32), 0);
        }
        self
    }

    /// As it is, but one choice within a step is another.
    pub(crate) fn choosing(mut self, key: Key, value: u32) -> Self {
        self.values.insert(key, value);
        self
    }

    /// How many choices of a run are not what they are here, but for whether loops wait.
    pub(crate) fn differing(&self, trace: &Trace) -> usize {
        let others = within_steps(trace).filter(|made| matches!(made.key, Key::Other(..)));
        others.filter(|made| self.values.get(&made.key).is_some_and(|v| *v != made.decision.choice.value)).count()
    }

    /// The choices up to the first one in which the run differs from the schedule, with that as it should be; `None`: it does
    /// not differ.
    pub(crate) fn correction(&self, trace: &Trace) -> Option<Vec<Choice>> {
        let turns = self.first_wrong_turn(trace);
        let values = within_steps(trace).find_map(|made| {
            let wanted = *self.values.get(&made.key)?;
            let wrong = wanted != made.decision.choice.value && made.decision.values.contains(wanted);
            wrong.then_some((made.index, wanted))
        });
        let (index, value) = turns.into_iter().chain(values).min_by_key(|(index, _)| *index)?;
        let made = trace.decisions[index].choice;
        let op = if trace.decisions[index].is_thread() { OpKind::Run } else { made.op };
        let before = trace.decisions[..index].iter().map(|decision| decision.choice);
        Some(before.chain([Choice { value, op, ..made }]).collect())
    }

    /// The decision after which somebody runs whose turn it is not, and whose it is.
    fn first_wrong_turn(&self, trace: &Trace) -> Option<(usize, u32)> {
        let mut turns = self.turns.iter().peekable();
        let mut next: HashMap<ThreadId, u32> = HashMap::new();
        for step in &trace.steps {
            let can = |turn: &&Turn| {
                let done = next.get(&turn.thread).copied().unwrap_or(0) >= turn.until;
                !done && step.enabled.contains(u32::from(turn.thread.0))
            };
            while turns.next_if(|turn| !can(turn)).is_some() {}
            let turn = turns.peek()?;
            if turn.thread != step.thread {
                let index = (step.decisions as usize).checked_sub(1).filter(|_| step.alternatives > 1);
                // Where there was nothing to choose, it is nobody else's turn.
                return index.map(|index| (index, u32::from(turn.thread.0)));
            }
            next.insert(step.thread, step.number + 1);
        }
        None
    }
}

/// A choice within a step.
pub(crate) struct Within<'a> {
    index: usize,
    /// The step.
    pub(crate) step: usize,
    pub(crate) key: Key,
    pub(crate) decision: &'a Decision,
}

/// All choices of a run but those of threads.
pub(crate) fn within_steps(trace: &Trace) -> impl Iterator<Item = Within<'_>> {
    let mut step = 0;
    let mut last = None;
    let mut nth = 0;
    let mut before: HashMap<(ThreadId, ChoiceKind), u32> = HashMap::new();
    trace.decisions.iter().enumerate().filter(|(_, decision)| !decision.is_thread()).filter_map(
        move |(index, decision)| {
            while trace.steps.get(step + 1).is_some_and(|next| next.decisions as usize <= index) {
                step += 1;
            }
            let of = trace.steps.get(step)?;
            nth = if last == Some(step) { nth + 1 } else { 0 };
            last = Some(step);
            let kind = decision.choice.kind;
            let times = before.entry((of.thread, kind)).or_default();
            let key = match kind {
                ChoiceKind::Wait => Key::Wait(of.thread, of.number, nth),
                kind => Key::Other(of.thread, kind, *times),
            };
            *times += 1;
            Some(Within { index, step, key, decision })
        },
    )
}

/// Who ran how many steps, one after the other.
pub(crate) fn order(trace: &Trace) -> Vec<(ThreadId, u32)> {
    trace.steps.chunk_by(|a, b| a.thread == b.thread).map(|part| (part[0].thread, part.len() as u32)).collect()
}
