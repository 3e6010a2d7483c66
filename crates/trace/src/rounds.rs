//! The repeating part of a run that gets nowhere: what each thread does again and again.

use crate::{Frame, NamedStep, ThreadId};
use std::collections::HashMap;

/// Longest round that is looked for.
const LONGEST: usize = 200;
/// So often must a thread other than the failing one have repeated a round: others may well do something twice.
const OFTEN: usize = 5;

/// What a thread does again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Who.
    pub thread: ThreadId,
    /// The steps of its first round: indices.
    pub steps: Vec<usize>,
    /// Its steps that only repeat them.
    pub again: Vec<usize>,
}

impl Round {
    /// The index of its last step.
    pub fn until(&self) -> usize {
        self.again.iter().chain(&self.steps).copied().max().unwrap_or(0)
    }
}

/// The rounds of the threads of a livelock, of which this one is shown to fail.
pub fn rounds(steps: &[NamedStep], failing: ThreadId) -> Vec<Round> {
    let mut threads: Vec<ThreadId> = steps.iter().map(|step| step.thread).collect();
    threads.sort_unstable();
    threads.dedup();
    threads.into_iter().filter_map(|thread| round(steps, thread, thread == failing)).collect()
}

fn round(steps: &[NamedStep], thread: ThreadId, failing: bool) -> Option<Round> {
    let own: Vec<usize> = (0..steps.len()).filter(|index| steps[*index].thread == thread).collect();
    let mut numbers = HashMap::new();
    let mut number = |index: &usize| {
        let new = numbers.len();
        *numbers.entry(deed(&steps[*index])).or_insert(new)
    };
    let deeds: Vec<usize> = own.iter().map(&mut number).collect();
    let (from, period, same) = (1..=LONGEST.min(deeds.len() / 2))
        .filter_map(|period| stretch(&deeds, period).map(|(from, same)| (from, period, same)))
        .max_by_key(|(_, period, same)| (*same, std::cmp::Reverse(*period)))?;
    let enough = if failing { period } else { OFTEN * period };
    (same >= enough).then(|| Round {
        thread,
        steps: own[from..from + period].to_vec(),
        again: own[from + period..from + period + same].to_vec(),
    })
}

/// Where something repeats with this period for longest: its beginning, and how many follow the first round that are the same again.
fn stretch(deeds: &[usize], period: usize) -> Option<(usize, usize)> {
    let (mut best, mut from) = (None, 0);
    for at in 0..deeds.len() - period {
        if deeds[at] != deeds[at + period] {
            from = at + 1;
        } else if best.is_none_or(|(_, same)| at + 1 - from > same) {
            best = Some((from, at + 1 - from));
        }
    }
    best
}

/// What a step does and where, whatever the values are.
fn deed(step: &NamedStep) -> (String, Option<&Frame>) {
    let mut words = step.what.clone();
    while let Some((from, to)) = words.find(" (").and_then(|from| Some((from, from + words[from..].find(')')?))) {
        words.replace_range(from..=to, "");
    }
    (words, Frame::place(&step.stack))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;

    fn steps(text: &str) -> Vec<NamedStep> {
        let step = |word: &str| NamedStep {
            thread: ThreadId(u16::from(word.starts_with(char::is_uppercase))),
            number: 0,
            point: Point::Voluntary,
            enabled: 1,
            what: word.replace('=', " (is ").replace('.', ")"),
            stack: Vec::new(),
            chosen: Vec::new(),
            accesses: Vec::new(),
        };
        text.split_whitespace().map(step).collect()
    }

    fn check(text: &str, expected: &[(u16, &[usize], &[usize])]) {
        let found = rounds(&steps(text), ThreadId(0));
        let found: Vec<_> =
            found.iter().map(|round| (round.thread.0, round.steps.as_slice(), round.again.as_slice())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn a_round_is_found_once() {
        check("start create load=0. A yield load=1. yield", &[(0, &[2, 4], &[5, 6])]);
        check("start lock read unlock lock read unlock A pause", &[(0, &[1, 2, 3], &[4, 5, 6])]);
        check("start a a a a", &[(0, &[1], &[2, 3, 4])]);
    }

    #[test]
    fn what_does_not_repeat_is_none() {
        check("start create load yield", &[]);
        check("", &[]);
        // Another thread that does something twice is no part of it; one that goes on and on is.
        check("start A B A B end", &[]);
        check("a A a A a A a A a A a A a A", &[(0, &[0], &[2, 4, 6, 8, 10, 12]), (1, &[1], &[3, 5, 7, 9, 11, 13])]);
    }
}
